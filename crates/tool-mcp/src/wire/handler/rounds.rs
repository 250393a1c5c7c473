//! Calls over several requests: the client repeats the request with its responses and the sealed state.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ErrorData, InputRequiredResult, InputResponses, RequestStateCodec,
    SealOptions,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tool_core::approval::{Answer, ApprovalRequest};
use tool_core::{CallArguments, Secret};

use super::Reply;
use super::client::random;
use crate::server::{Asked, InputRequest, ROOTS, SAMPLING};

/// Time after which a state expires.
const STATE_TTL: Duration = Duration::from_mins(10);

/// Number of random bytes of a key.
const KEY: usize = 32;

/// Key of the form for an approval.
pub(super) const APPROVAL: &str = "toolwright/approval";

/// State of a call between two requests. The client can read but not change it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    answers: Map<String, Value>,
    approval: Option<ApprovalRequest>,
}

/// Request to which a state belongs. Another client or other arguments cannot continue it.
#[derive(Clone, Copy)]
pub(super) struct Origin<'r> {
    pub(super) subject: &'r str,
    pub(super) method: &'static str,
    pub(super) name: &'r str,
    pub(super) arguments: &'r CallArguments,
}

impl Origin<'_> {
    /// Returns the data that a seal covers. Equal arguments have equal data.
    // Only for states: most calls have none, and their arguments may be large.
    fn to_bytes(self) -> Vec<u8> {
        let mut bound = json!([self.subject, self.method, self.name, self.arguments]);
        bound.sort_all_objects();
        bound.to_string().into_bytes()
    }
}

/// Request that may continue an earlier one.
pub(super) struct Round<'r> {
    seals: &'r Seals,
    origin: Origin<'r>,
    state: State,
}

impl<'r> Round<'r> {
    /// Opens the state of a request.
    pub(super) fn open(
        seals: &'r Seals,
        origin: Origin<'r>,
        sealed: Option<&str>,
        responses: Option<InputResponses>,
    ) -> Reply<Self> {
        let state = match sealed {
            Some(sealed) => seals
                .open(sealed, &origin.to_bytes())
                .and_then(|state| serde_json::from_str(&state).ok()),
            None => Some(State::default()),
        };
        let mut state = state.ok_or_else(|| {
            let reason = "the requestState is invalid or has expired; send the request without it";
            ErrorData::invalid_params(reason, None)
        })?;
        state.answers.extend(responses.unwrap_or_default());
        Ok(Self {
            seals,
            origin,
            state,
        })
    }

    /// Returns the responses of the client.
    pub(super) fn answers(&self) -> Map<String, Value> {
        self.state.answers.clone()
    }

    /// Takes the request for approval that the client has seen.
    pub(super) fn take_approval(&mut self) -> Option<ApprovalRequest> {
        self.state.approval.take()
    }

    /// Returns the result that requests input for the tool.
    pub(super) fn required(&self, asked: Asked) -> Reply<InputRequiredResult> {
        self.next(asked.requests, asked.used, None)
    }

    /// Returns the result that requests an approval.
    pub(super) fn approval_required(&self, request: ApprovalRequest) -> Reply<InputRequiredResult> {
        let mut answers = self.answers();
        answers.remove(APPROVAL);
        let form = BTreeMap::from([(APPROVAL.to_owned(), approval_form(&request))]);
        self.next(form, answers, Some(request))
    }

    fn next(
        &self,
        requests: BTreeMap<String, InputRequest>,
        answers: Map<String, Value>,
        approval: Option<ApprovalRequest>,
    ) -> Reply<InputRequiredResult> {
        let state = serde_json::to_string(&State { answers, approval }).ok();
        let seal = |state: String| self.seals.seal(&state, &self.origin.to_bytes(), STATE_TTL);
        let sealed = state.and_then(seal);
        // A form may have an invalid schema.
        let wire =
            |(key, request)| Some((key, serde_json::from_value(wire_request(&request)).ok()?));
        let requests = requests.into_iter().map(wire).collect::<Option<_>>();
        let (sealed, requests) = sealed.zip(requests).ok_or_else(|| {
            ErrorData::internal_error("the state of the request cannot be sealed", None)
        })?;
        Ok(InputRequiredResult::new(Some(requests), Some(sealed)))
    }
}

/// Returns the form for an approval.
pub(super) fn approval_form(request: &ApprovalRequest) -> InputRequest {
    let approve =
        json!({"type": "boolean", "title": "Approve", "description": "Whether the call may run."});
    InputRequest::form(
        request.details(),
        json!({"type": "object", "properties": {"approve": approve}, "required": ["approve"]}),
    )
}

/// Returns the decision of a form: `None` if the answer is missing or invalid.
pub(super) fn approval_of(answer: &Value) -> Option<Answer> {
    let is_approved = match answer.get("action")?.as_str()? {
        "accept" => answer.get("content")?.get("approve")?.as_bool()?,
        "decline" | "cancel" => false,
        _ => return None,
    };
    let denied = Answer::Deny { reason: None };
    Some(if is_approved { Answer::Approve } else { denied })
}

/// Returns a request in the form of the protocol.
pub(super) fn wire_request(request: &InputRequest) -> Value {
    let params = match request {
        InputRequest::Form { message, schema } => {
            json!({"mode": "form", "message": message, "requestedSchema": schema})
        }
        InputRequest::Sampling(params) => params.clone(),
        InputRequest::Roots => json!({}),
    };
    json!({"method": request.method(), "params": params})
}

/// Returns the error for a client without the capability for a method.
pub(super) fn missing_capability(method: &str) -> ErrorData {
    let capability = match method {
        SAMPLING => "sampling",
        ROOTS => "roots",
        _ => "elicitation",
    };
    let capabilities: ClientCapabilities =
        serde_json::from_value(json!({capability: {}})).unwrap_or_default();
    ErrorData::missing_required_client_capability(capabilities)
}

/// Key that seals text with an HMAC.
pub(super) struct Seals(Option<RequestStateCodec>);

impl Seals {
    /// Creates seals with a key, or with a random one. Without random numbers, nothing can be sealed.
    pub(super) fn new(key: Option<&Secret<Vec<u8>>>) -> Self {
        let random = || random::<KEY>().map(Vec::from);
        let key = key.map(|key| key.expose().clone()).or_else(random);
        Self(key.and_then(|key| RequestStateCodec::try_new(key).ok()))
    }

    /// Seals text for `bound`, which names the client and the request. The seal expires after `ttl`.
    pub(super) fn seal(&self, text: &str, bound: &[u8], ttl: Duration) -> Option<String> {
        let options = SealOptions::new().associated_data(bound).ttl(ttl);
        Some(self.0.as_ref()?.seal_with(text.as_bytes(), &options))
    }

    /// Returns text that was sealed for `bound` and has not expired.
    pub(super) fn open(&self, sealed: &str, bound: &[u8]) -> Option<String> {
        let text = self.0.as_ref()?.open_with(sealed, bound).ok()?;
        String::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unchanged_text_is_opened() {
        let seals = Seals::new(Some(&Secret::new(vec![7; 32])));
        let hour = Duration::from_hours(1);
        let sealed = seals.seal("a.b.c", b"client", hour).unwrap();

        assert_eq!(seals.open(&sealed, b"client").as_deref(), Some("a.b.c"));
        assert_eq!(seals.open(&sealed, b"other"), None);
        for changed in [
            format!("{sealed}x"),
            sealed.replacen('.', "0.", 1),
            String::new(),
            "a.b".to_owned(),
        ] {
            assert_eq!(seals.open(&changed, b"client"), None, "{changed}");
        }
        assert_eq!(Seals::new(None).open(&sealed, b"client"), None);
        let expired = seals.seal("a", b"client", Duration::ZERO).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(seals.open(&expired, b"client"), None);
    }
}
