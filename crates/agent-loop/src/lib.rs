#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agent;
mod agent_tool;
mod approvals;
mod ask;
mod budget;
mod calls;
mod checkpoint;
mod compaction;
mod ending;
mod event;
#[cfg(feature = "http-no-provider")]
mod http;
mod json_reply;
mod ledger;
mod locked;
mod model;
mod model_retry;
mod open_calls;
mod run;
mod run_builder;
mod run_file;
mod run_outcome;
mod spans;
mod suspended;
mod terminal_approver;
mod turn;
mod usage;

pub use agent::AgentLoop;
pub use checkpoint::{Checkpoint, CheckpointError, CheckpointSink, SavedRun, TranscriptFile};
pub use compaction::{Compaction, KeepEnds};
pub use event::{Event, EventKind, EventSink};
#[cfg(feature = "http-no-provider")]
pub use http::{HttpModel, HttpModelError};
pub use json_reply::{JsonReply, Trimmed};
pub use model::{
    Model, ModelCall, ModelError, ModelIdentity, ModelReply, ModelRequest, ReplyPiece,
    ScriptedModel,
};
pub use model_retry::ModelRetry;
pub use run_builder::{RunBuilder, RunHandle};
pub use run_file::{RecordedRun, ReplayDifference, Replayed, RunFileError, RunReport};
pub use run_outcome::{LoopError, RunOutcome, Status};
pub use suspended::{ApprovalWait, Suspended};
pub use terminal_approver::TerminalApprover;
pub use turn::{Turn, TurnChanges};
pub use usage::{PriceTable, Prices, TotalUsage};
