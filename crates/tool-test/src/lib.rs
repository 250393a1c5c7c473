#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod approver;
mod clock;
mod golden;
mod laws;
mod recorder;
mod scratch;
mod script;

pub use approver::FakeApprover;
pub use clock::FakeClock;
pub use golden::{Difference, Golden, golden};
pub use laws::{Broken, Laws, laws};
pub use recorder::{Called, RecordedCall, Recorder};
pub use scratch::Scratch;
pub use script::{ScriptedTool, Step};
