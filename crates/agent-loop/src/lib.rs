#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agent;
mod budget;
mod ending;
mod event;
#[cfg(feature = "http")]
mod http;
mod json_answer;
mod model;
mod model_retry;
mod open_calls;
mod run;
mod run_outcome;
#[cfg(feature = "terminal")]
mod terminal_approver;

pub use agent::AgentLoop;
pub use event::{Event, EventSink};
#[cfg(feature = "http")]
pub use http::{HttpModel, HttpModelError};
pub use json_answer::{JsonAnswer, Trimmed};
pub use model::{
    Model, ModelCall, ModelError, ModelReply, ModelRequest, ReplayModel, ReplyPiece, ScriptedModel,
};
pub use model_retry::ModelRetry;
pub use run_outcome::{LoopError, RunOutcome, Status, TotalUsage};
#[cfg(feature = "terminal")]
pub use terminal_approver::TerminalApprover;
