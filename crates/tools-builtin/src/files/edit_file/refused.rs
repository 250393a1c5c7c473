//! Error of edits that were not made.

use tool_core::{ErrorCode, ToolError};

use crate::files::edit::{Refusal, RefusalKind};
use crate::files::foreign::ForeignChange;

/// Maximum number of failed edits to explain.
const MAX_EXPLAINED: usize = 10;

/// Returns one error for all failed edits of a call that has `count` edits.
pub(super) fn error(
    refusals: Vec<Refusal>,
    count: usize,
    foreign: Option<&ForeignChange>,
) -> ToolError {
    let code = code_of(refusals.first().map(|refusal| refusal.kind));
    let failed = refusals.len();
    // One that is about all edits has no index.
    let are_numbered = refusals.iter().all(|refusal| refusal.edit.is_some());
    let more = failed.saturating_sub(MAX_EXPLAINED);
    let explained = refusals.into_iter().take(MAX_EXPLAINED);
    let lines: Vec<String> = explained.map(|refusal| line(refusal, count)).collect();
    let failed = if count > 1 && are_numbered {
        format!(" ({failed} of {count} fail)")
    } else {
        String::new()
    };
    let mut text = format!(
        "cannot be made, so nothing was written{failed}:\n{}",
        lines.join("\n")
    );
    if more > 0 {
        text = format!("{text}\n[… {more} more edits fail]");
    }
    if let Some(foreign) = foreign {
        let places = foreign.places();
        text = format!("{text}\nThe file was changed by others since you read it ({places}).");
    }
    ToolError::about(code, "edits", text)
}

fn line(refusal: Refusal, count: usize) -> String {
    match refusal.edit {
        Some(edit) if count > 1 => format!("edits[{edit}]: {}", refusal.text),
        _ => refusal.text,
    }
}

pub(in crate::files) fn code_of(kind: Option<RefusalKind>) -> ErrorCode {
    match kind {
        Some(RefusalKind::Missing) => ErrorCode::TextNotFound,
        Some(RefusalKind::Applied) => ErrorCode::Conflict,
        Some(RefusalKind::TooLarge) => ErrorCode::FileTooLarge,
        Some(RefusalKind::Ambiguous | RefusalKind::Invalid) | None => ErrorCode::InvalidArguments,
    }
}
