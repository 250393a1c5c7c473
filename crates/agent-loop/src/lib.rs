#![doc = include_str!("../README.md")]

mod agent;
mod budget;
mod ending;
mod event;
#[cfg(feature = "http")]
mod http;
mod json_answer;
mod model;
mod open_calls;
mod outcome;
mod retry;
mod run;

pub use agent::AgentLoop;
pub use event::{Event, EventSink};
#[cfg(feature = "http")]
pub use http::{HttpModel, HttpModelError, default_base_url};
pub use json_answer::{JsonAnswer, Trimmed};
pub use model::{
    Model, ModelCall, ModelError, ModelReply, ModelRequest, ReplayModel, ReplyPiece, ScriptedModel,
};
pub use outcome::{LoopError, Outcome, Status, TotalUsage};
pub use retry::Retry;
