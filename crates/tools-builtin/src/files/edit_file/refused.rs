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
    let code = code(refusals.first().map(|refusal| refusal.kind));
    let failed = refusals.len();
    let explained = refusals.into_iter().take(MAX_EXPLAINED);
    let lines: Vec<String> = explained.map(|refusal| line(refusal, count)).collect();
    let mut text = lines.join("\n");
    if count > 1 {
        let more = match failed.saturating_sub(MAX_EXPLAINED) {
            0 => String::new(),
            more => format!("\n[… {more} more edits fail]"),
        };
        text =
            format!("Nothing was written, because {failed} of {count} edits fail.\n{text}{more}");
    }
    if let Some(foreign) = foreign {
        let places = foreign.places();
        text = format!("{text}\nThe file was changed by others since you read it ({places}).");
    }
    ToolError::new(code, text).with_parameter(Some("edits"))
}

fn line(refusal: Refusal, count: usize) -> String {
    match refusal.edit {
        Some(edit) if count > 1 => format!("edits[{edit}]: {}", refusal.text),
        _ => refusal.text,
    }
}

fn code(kind: Option<RefusalKind>) -> ErrorCode {
    match kind {
        Some(RefusalKind::Missing) => ErrorCode::TextNotFound,
        Some(RefusalKind::Applied) => ErrorCode::Conflict,
        Some(RefusalKind::TooLarge) => ErrorCode::FileTooLarge,
        Some(RefusalKind::Ambiguous | RefusalKind::Invalid) | None => ErrorCode::InvalidArguments,
    }
}
