#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod deserialize;
mod error;
#[doc(hidden)]
pub mod look_alikes;
mod number;
mod parse;
mod parser;
#[doc(hidden)]
pub mod reader;
#[doc(hidden)]
pub mod surrogates;
mod tape;
#[doc(hidden)]
pub mod text;
pub mod trim;
#[doc(hidden)]
pub mod wide_numbers;

pub use deserialize::DeserializeError;
pub use error::{ParseError, ParseErrorKind, ParseLimits, Repair, RepairKind};
pub use parse::{parse, parse_with, repair, repair_with};
#[doc(hidden)]
pub use tape::Addition;
pub use tape::{Items, JsonRef, JsonView, Members, Tape};
