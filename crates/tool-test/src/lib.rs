#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod approver;
mod laws;
mod scratch;

pub use approver::FakeApprover;
pub use laws::{Broken, Laws, laws};
pub use scratch::Scratch;
