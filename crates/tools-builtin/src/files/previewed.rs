//! What approvers have seen, so that an approved call writes exactly that.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use tool_core::{ErrorCode, ToolContext, ToolError};

/// Maximum number of calls to remember. A person decides about few at a time.
const MAX_CALLS: usize = 1000;

/// Digests of the contents, before and after, that the calls of a session showed to their approvers. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Previewed(Arc<Mutex<VecDeque<Shown>>>);

/// Id of a call, and digest of what its approver saw.
type Shown = (String, [u8; 32]);

impl Previewed {
    /// Remembers the contents that a call would replace, and those that it would write.
    pub(super) fn remember(
        &self,
        cx: &ToolContext,
        contents: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) {
        let digest = digest(contents);
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|(call, _)| call != cx.call_id());
        calls.push_back((cx.call_id().to_owned(), digest));
        if calls.len() > MAX_CALLS {
            calls.pop_front();
        }
    }

    /// Rejects other contents than those that the approver of this call has seen, if there was one.
    pub(super) fn check(
        &self,
        cx: &ToolContext,
        parameter: &str,
        contents: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<(), ToolError> {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = calls.iter().find(|(call, _)| call == cx.call_id());
        if seen.is_none_or(|(_, seen)| *seen == digest(contents)) {
            return Ok(());
        }
        let sentence = "has changed since the user approved the call, so nothing was written";
        let error = ToolError::about(ErrorCode::Conflict, parameter, sentence);
        Err(error.suggest("Call the tool again, so that the user sees the new change."))
    }
}

fn digest(contents: impl IntoIterator<Item = impl AsRef<[u8]>>) -> [u8; 32] {
    let mut digest = Sha256::new();
    for content in contents {
        // With their lengths, so that no other division of the bytes has the same digest.
        let content = content.as_ref();
        digest.update(content.len().to_le_bytes());
        digest.update(content);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_contents_are_rejected() {
        let previewed = Previewed::default();
        let (cx, other) = (ToolContext::new("1", "edit"), ToolContext::new("2", "edit"));
        previewed.remember(&cx, [b"ab".as_slice(), b"c"]);

        let check = |cx, contents: [&[u8]; 2]| previewed.check(cx, "path", contents);

        assert!(check(&cx, [b"ab", b"c"]).is_ok());
        assert!(check(&other, [b"x", b"y"]).is_ok());
        let refused = check(&cx, [b"a", b"bc"]).unwrap_err();
        assert_eq!(refused.code(), &ErrorCode::Conflict);
        previewed.remember(&cx, [b"a".as_slice(), b"bc"]);
        assert!(check(&cx, [b"a", b"bc"]).is_ok());
    }

    #[test]
    fn oldest_calls_are_forgotten() {
        let previewed = Previewed::default();
        for call in 0..=MAX_CALLS {
            previewed.remember(&ToolContext::new(call.to_string(), "edit"), [b""]);
        }

        let check = |call: &str| {
            let cx = ToolContext::new(call, "edit");
            previewed.check(&cx, "path", [b"x".as_slice()]).is_ok()
        };

        assert!(check("0"));
        assert!(!check("1"));
    }
}
