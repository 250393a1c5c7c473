//! One choice of an answer while it is put together.

use std::collections::HashSet;

use serde_json::Value;
use tool_core::ErrorCode;

use super::arguments::{self, Unusable};
use super::{Decoded, DecodedCall, Finish, StreamError, Usage};
use crate::{Reasoning, ToolSet};

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
    pub(crate) usage: Option<Usage>,
    /// Whether the provider says that the answer has no end.
    pub(crate) is_cut: bool,
}

impl Choice {
    /// Settles ids, parses arguments and says why the model stopped.
    pub(crate) fn finish(self, tools: Option<&ToolSet>) -> Decoded {
        let is_cut = self.is_cut || self.finish == Finish::Length;
        let calls = settle(self.calls, is_cut, tools);
        let reasoning: Vec<&str> = self
            .reasoning
            .iter()
            .map(|piece| piece.text.as_str())
            .filter(|text| !text.is_empty())
            .collect();
        Decoded {
            text: self.text,
            reasoning: reasoning.join("\n"),
            finish: finish_of(
                self.finish,
                self.error.is_some(),
                !is_cut && !calls.is_empty(),
            ),
            calls,
            choices: Vec::new(),
            finish_raw: self.finish_raw,
            stream_error: self.error,
            usage: self.usage,
            reasoning_blocks: self.reasoning,
        }
    }
}

/// The calls with ids of their own and arguments read. `cut` says that the answer ended in a limit.
fn settle(arrivals: Vec<Arrival>, cut: bool, tools: Option<&ToolSet>) -> Vec<DecodedCall> {
    let last = arrivals.len().saturating_sub(1);
    let mut ids = Ids::of(&arrivals);
    arrivals
        .into_iter()
        .enumerate()
        .map(|(position, arrival)| {
            let (id, id_generated) = ids.settle(position, arrival.id.as_deref());
            let call = settle_arguments(arrival, cut && position == last);
            let call = DecodedCall {
                id,
                id_generated,
                ..call
            };
            restore(call, tools)
        })
        .collect()
}

fn finish_of(said: Finish, failed: bool, has_whole_calls: bool) -> Finish {
    match said {
        _ if failed => Finish::Error,
        Finish::Length | Finish::Filtered | Finish::Error => said,
        _ if has_whole_calls => Finish::Calls,
        // A stop reason that promises calls, and then none came.
        Finish::Calls => Finish::Other,
        other => other,
    }
}

fn settle_arguments(arrival: Arrival, cut: bool) -> DecodedCall {
    let sent = match arrival.arguments {
        // Nothing in a free text says that it is whole.
        sent @ Sent::Value(_) if cut && is_free_text(arrival.provider_data.as_ref()) => {
            Sent::Unfinished(sent.into_text())
        }
        sent => sent,
    };
    let (raw, parsed) = arguments::parse(sent, cut);
    let (arguments, error) = match parsed {
        Ok(object) => (Some(Value::Object(object)), None),
        Err(Unusable::Invalid) => (None, Some(ErrorCode::InvalidArguments)),
        Err(Unusable::Truncated) => (None, Some(ErrorCode::TruncatedArguments)),
    };
    DecodedCall {
        id: String::new(),
        name: arrival.name,
        arguments,
        raw,
        error,
        id_generated: false,
        provider_data: arrival.provider_data,
    }
}

fn is_free_text(provider_data: Option<&Value>) -> bool {
    provider_data.is_some_and(|data| data.get("type") == Some(&"custom".into()))
}

fn restore(mut call: DecodedCall, tools: Option<&ToolSet>) -> DecodedCall {
    if let Some(tools) = tools {
        if let Some(Value::Object(arguments)) = &mut call.arguments {
            tools.restore_arguments(&call.name, arguments);
        }
        call.name = tools.canonical_name(&call.name).to_owned();
    }
    call
}

/// The ids of one answer, each used once.
struct Ids {
    given: HashSet<String>,
    used: HashSet<String>,
}

impl Ids {
    fn of(calls: &[Arrival]) -> Self {
        Self {
            given: calls.iter().filter_map(|call| call.id.clone()).collect(),
            used: HashSet::new(),
        }
    }

    /// The provider's id where it can be used, else one of our own.
    fn settle(&mut self, position: usize, given: Option<&str>) -> (String, bool) {
        let given = given.filter(|id| !id.trim().is_empty() && *id != "null");
        if let Some(id) = given
            && self.used.insert(id.to_owned())
        {
            return (id.to_owned(), false);
        }
        let mut number = position;
        loop {
            let id = format!("{LOCAL_ID}{number}");
            if !self.given.contains(&id) && self.used.insert(id.clone()) {
                return (id, true);
            }
            number += self.given.len() + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arrival(id: Option<&str>, arguments: &str) -> Arrival {
        Arrival {
            id: id.map(str::to_owned),
            name: "f".to_owned(),
            arguments: Sent::Text(arguments.to_owned()),
            provider_data: None,
        }
    }

    fn answer(finish: Finish, calls: Vec<Arrival>) -> Choice {
        Choice {
            calls,
            finish,
            ..Choice::default()
        }
    }

    #[test]
    fn an_id_that_cannot_be_used_is_made_up_from_the_position() {
        let given = [None, Some(" "), Some("null"), Some("a"), Some("a")];
        let calls = given.iter().map(|id| arrival(*id, "{}")).collect();

        let decoded = answer(Finish::Stop, calls).finish(None);

        let ids: Vec<(&str, bool)> = decoded
            .calls
            .iter()
            .map(|call| (call.id.as_str(), call.id_generated))
            .collect();
        assert_eq!(
            ids,
            [
                ("local_0", true),
                ("local_1", true),
                ("local_2", true),
                ("a", false),
                ("local_4", true)
            ]
        );
    }

    #[test]
    fn a_made_up_id_never_meets_one_of_the_provider() {
        let calls = vec![arrival(None, "{}"), arrival(Some("local_0"), "{}")];

        let decoded = answer(Finish::Stop, calls).finish(None);

        assert_ne!(decoded.calls[0].id, decoded.calls[1].id);
        assert_eq!(decoded.calls[1].id, "local_0");
    }

    #[test]
    fn only_the_last_call_of_a_cut_answer_is_truncated() {
        let calls = vec![
            arrival(Some("a"), "{\"x\":"),
            arrival(Some("b"), "{}"),
            arrival(Some("c"), ""),
        ];

        let decoded = answer(Finish::Length, calls).finish(None);

        let errors: Vec<Option<ErrorCode>> =
            decoded.calls.into_iter().map(|call| call.error).collect();
        assert_eq!(
            errors,
            [
                Some(ErrorCode::InvalidArguments),
                None,
                Some(ErrorCode::TruncatedArguments)
            ]
        );
        assert_eq!(decoded.finish, Finish::Length);
    }

    #[test]
    fn calls_count_even_when_the_stop_reason_says_stop() {
        let decoded = answer(Finish::Stop, vec![arrival(Some("a"), "{\"x\":1}")]).finish(None);

        assert_eq!(decoded.finish, Finish::Calls);
        assert_eq!(decoded.calls[0].arguments, Some(json!({"x": 1})));
    }
}
