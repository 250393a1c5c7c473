#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agent;
mod agent_calls;
mod agent_tool;
mod approvals;
mod ask;
mod budget;
mod calls;
mod checkpoint;
mod compaction;
mod conclusion;
mod ending;
mod event;
#[cfg(feature = "http")]
mod http;
mod json_reply;
mod ledger;
mod locked;
mod model;
mod model_retry;
mod open_calls;
mod paused;
mod prices;
mod record;
mod repeated;
mod run;
mod run_builder;
mod run_file;
mod run_handle;
mod run_outcome;
mod scope;
mod shortening;
mod span_content;
mod spans;
mod start;
mod stop_when;
mod sub_agents;
mod suspended;
mod terminal_approver;
mod transcript_file;
mod turn;
mod usage;

pub use agent::AgentLoop;
pub use agent_tool::AgentTool;
pub use checkpoint::{Checkpoint, CheckpointError, CheckpointSink, SavedRun};
pub use compaction::{Compaction, KeepEnds};
pub use event::{Event, EventKind, EventSink};
#[cfg(feature = "http")]
pub use http::{HttpModel, HttpModelError};
pub use json_reply::{JsonReply, Trimmed};
pub use model::{
    Model, ModelCall, ModelError, ModelIdentity, ModelReply, ModelRequest, ReplayModel, ReplyPiece,
    ScriptedModel,
};
pub use model_retry::ModelRetry;
pub use prices::{PriceTable, Prices};
pub use run_builder::RunBuilder;
pub use run_file::{RecordedRun, ReplayDifference, Replayed, RunFileError, RunReport};
pub use run_handle::RunHandle;
pub use run_outcome::{LoopError, RunOutcome, Status};
pub use stop_when::StopWhen;
pub use suspended::{ApprovalWait, Suspended};
pub use terminal_approver::TerminalApprover;
pub use transcript_file::TranscriptFile;
pub use turn::{Turn, TurnChanges};
pub use usage::TotalUsage;
