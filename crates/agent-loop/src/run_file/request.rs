//! Digests of model requests.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest, Sha256};
use tool_core::Redactor;

use crate::ModelRequest;

/// Digests of a request, from which the first difference between two requests can be named.
#[derive(Debug, Serialize)]
pub(crate) struct Request {
    /// Number of leading messages that the last request had, too.
    known_messages: usize,
    /// Digests of the other messages.
    new_messages: Vec<String>,
    /// Digest of each tool's definition.
    tools: BTreeMap<String, String>,
    /// Digest of tool choice, settings and required answer.
    options: String,
}

impl Request {
    /// Compares the messages with `last`, the digests of the last request, and replaces them.
    pub(super) fn new(
        request: &ModelRequest<'_>,
        last: &mut Vec<String>,
        redactor: Option<&Redactor>,
    ) -> Self {
        let messages = request.transcript.messages().iter();
        let digests: Vec<_> = messages.map(|one| digest(one, redactor)).collect();
        let pairs = last.iter().zip(&digests);
        let known = pairs.take_while(|(last, new)| last == new).count();
        let new_messages = digests.get(known..).unwrap_or_default().to_vec();
        *last = digests;
        let definitions = request.tools.list();
        let options = (request.choice, request.settings, request.answer_schema);
        Self {
            known_messages: known,
            new_messages,
            tools: definitions
                .iter()
                .map(|tool| (tool.name().to_owned(), digest(&tool.to_value(), redactor)))
                .collect(),
            options: digest(&options, redactor),
        }
    }
}

/// Returns the first eight bytes of the SHA-256 digest of the JSON form without secrets.
fn digest(content: &impl Serialize, redactor: Option<&Redactor>) -> String {
    let mut value = serde_json::to_value(content).unwrap_or_default();
    if let Some(redactor) = redactor {
        redactor.scrub_value(&mut value);
    }
    let hash = Sha256::digest(value.to_string().as_bytes());
    // A replay has to notice a change, not an attack, and the file has one digest per message.
    let first = hash.first_chunk().copied().unwrap_or_default();
    format!("{:016x}", u64::from_be_bytes(first))
}
