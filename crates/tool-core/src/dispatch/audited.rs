//! The events of a call, from what is known of it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::INLINE_BYTES;
use crate::approval::{ApprovalRecord, Outcome};
use crate::audit::{AfterCall, AuditedArguments, AuditedFile, AuditedOutput, BeforeCall};
use crate::catalog::Entry;
use crate::{
    Arguments, ErrorCode, Notes, Redactor, RiskLevel, STORED_OUTPUT, SideEffects, Timestamp,
    ToolResult, text,
};

/// The most characters of an id or a name.
const NAME_CHARS: usize = 256;
/// The most files that are listed.
const MAX_FILES: usize = 1000;
/// Bytes of their paths and digests.
const FILES_BYTES: usize = 256 * 1024;
/// The metadata that says what was enforced.
const SANDBOX_KEYS: [&str; 2] = ["sandbox", "protected"];
/// The most bytes of one fact about a sandbox.
const FACT_BYTES: usize = 4 * 1024;

/// The event before a call that is about to run.
pub(super) fn before_event(
    call_id: &str,
    entry: &Entry,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
    redactor: Option<&Redactor>,
) -> BeforeCall {
    BeforeCall {
        time: Timestamp::now(),
        call_id: bounded(call_id),
        parent_id: None,
        tool: bounded(entry.name().as_str()),
        definition_digest: entry.digest(),
        arguments: AuditedArguments::of(arguments.to_value(), redactor),
        risk: Some(risk),
        decision: None,
        rule: None,
        approved_by: None,
    }
}

/// The event before a call that was refused, made when that is known.
pub(super) fn refused_event(result: &ToolResult, redactor: Option<&Redactor>) -> BeforeCall {
    BeforeCall {
        time: result.metadata.start_time,
        call_id: bounded(&result.id),
        parent_id: None,
        tool: bounded(&result.metadata.tool_name),
        definition_digest: None,
        arguments: AuditedArguments::of(result.metadata.parameters.to_value(), redactor),
        risk: None,
        decision: None,
        rule: None,
        approved_by: None,
    }
}

impl BeforeCall {
    /// Adds what was decided.
    pub(super) fn decided(&mut self, approval: Option<&ApprovalRecord>) {
        let Some(approval) = approval else {
            return;
        };
        self.decision = Some(approval.outcome);
        self.rule = approval.rule.as_deref().map(bounded);
        let by = match approval.outcome {
            Outcome::Allowed => Some("policy"),
            Outcome::Approved | Outcome::Edited => Some("approver"),
            Outcome::Denied | Outcome::Pending => None,
        };
        self.approved_by = by.map(str::to_owned);
    }
}

/// The event after a call.
pub(super) fn after_event(result: &ToolResult) -> AfterCall {
    let metadata = &result.metadata;
    let digests = metadata.extra.get("file_digests");
    AfterCall {
        time: Timestamp::now(),
        call_id: bounded(&result.id),
        parent_id: None,
        tool: bounded(&metadata.tool_name),
        success: result.success,
        code: result.error.as_ref().map(|error| error.code.clone()),
        side_effects: metadata.side_effects,
        attempts: metadata.attempts,
        exit_code: exit_code(result),
        duration_ms: milliseconds(metadata.total_time),
        bytes_dropped: metadata.bytes_dropped,
        output: output(result),
        files: files(&result.files_affected, digests),
        sandbox: sandbox(&metadata.extra),
    }
}

/// The event after a call that was dropped while it ran.
pub(super) fn dropped_event(
    call_id: String,
    tool: String,
    parent_id: Option<String>,
    after: Duration,
) -> AfterCall {
    AfterCall {
        time: Timestamp::now(),
        call_id,
        parent_id,
        tool,
        success: false,
        code: Some(ErrorCode::Cancelled),
        side_effects: SideEffects::Possible,
        attempts: 0,
        exit_code: None,
        duration_ms: milliseconds(after),
        bytes_dropped: 0,
        output: AuditedOutput::default(),
        files: Vec::new(),
        sandbox: BTreeMap::new(),
    }
}

/// An id or a name, which may come from anywhere, on one line and not too long.
pub(super) fn bounded(name: &str) -> String {
    text::short(name, NAME_CHARS)
}

fn exit_code(result: &ToolResult) -> Option<i64> {
    let noted = result.metadata.extra.get("exit_code");
    let given = || result.data.as_ref()?.get("exit_code");
    noted.or_else(given)?.as_i64()
}

fn output(result: &ToolResult) -> AuditedOutput {
    let bytes = result.cuts.whole_bytes(&result.content);
    let handle = result
        .metadata
        .extra
        .get(STORED_OUTPUT)
        .and_then(Value::as_str);
    let short = bytes <= INLINE_BYTES as u64;
    AuditedOutput {
        bytes,
        text: short
            .then(|| result.text())
            .filter(|text| text.len() <= 2 * INLINE_BYTES),
        handle: handle.map(bounded),
    }
}

/// As many as there is room for, so that a log can be read line by line.
fn files(paths: &[String], digests: Option<&Value>) -> Vec<AuditedFile> {
    let mut room = FILES_BYTES;
    let described = paths.iter().take(MAX_FILES).map(|path| file(path, digests));
    let fits = |file: &AuditedFile| {
        let given = file.before.iter().chain(&file.after);
        let bytes = file.path.len() + given.map(String::len).sum::<usize>();
        let left = room.checked_sub(bytes);
        room = left.unwrap_or_default();
        left.is_some()
    };
    described.take_while(fits).collect()
}

fn file(path: &str, digests: Option<&Value>) -> AuditedFile {
    let of_file = digests.and_then(|digests| digests.get(path));
    let digest = |when: &str| of_file?.get(when)?.as_str().map(bounded);
    AuditedFile {
        path: text::short(path, 4096),
        before: digest("before"),
        after: digest("after"),
    }
}

fn sandbox(extra: &Notes) -> BTreeMap<String, Value> {
    let fact = |key: &str| {
        let value = extra.get(key)?;
        let short = value.to_string().len() <= FACT_BYTES;
        let shown = if short {
            value.clone()
        } else {
            "too large".into()
        };
        Some((key.to_owned(), shown))
    };
    SANDBOX_KEYS.into_iter().filter_map(fact).collect()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
