//! One choice of an answer while it is put together.

use serde_json::Value;

use super::{Finish, StreamError};
use crate::Reasoning;

/// The start of every id that is made up here; Gemini and Ollama never see these.
pub(crate) const LOCAL_ID: &str = "local_";

/// Where the first call of a serialised answer carries the reasoning that the provider wants back.
pub(crate) const CARRIED_REASONING: &str = "reasoning";

/// The arguments of a call as they came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Sent {
    Text(String),
    Value(Value),
    /// A text whose end may be missing.
    Cut(String),
    /// A text that may lack its end although it can be read.
    Unfinished(String),
    /// A text that the provider itself found wrong.
    Refused(String),
}

impl Sent {
    /// Takes a text for a text and anything else for itself; what is missing counts as null.
    pub(crate) fn from_field(field: Option<&Value>) -> Self {
        match field {
            Some(Value::String(text)) => Self::Text(text.clone()),
            other => Self::Value(other.cloned().unwrap_or_default()),
        }
    }
}

impl Sent {
    /// What came, as text; nothing where nothing came.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Value(Value::Null) => String::new(),
            Self::Value(value) => value.to_string(),
            Self::Text(text) | Self::Cut(text) | Self::Unfinished(text) | Self::Refused(text) => {
                text
            }
        }
    }
}

/// One call as it came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arrival {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Sent,
    pub(crate) provider_data: Option<Value>,
}

/// One choice as it came, before ids are settled and arguments are parsed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Choice {
    pub(crate) text: String,
    pub(crate) reasoning: Vec<Reasoning>,
    pub(crate) calls: Vec<Arrival>,
    pub(crate) finish: Finish,
    pub(crate) finish_raw: Option<String>,
    pub(crate) error: Option<StreamError>,
    /// Whether the provider says that the answer has no end.
    pub(crate) is_cut: bool,
}
