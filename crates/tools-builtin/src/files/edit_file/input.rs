//! Arguments of edits, and the names under which models know them from elsewhere.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ToolDefinition, ToolError};

use crate::files::edit::Edit;

/// File to change, and the changes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct EditFileInput {
    /// File or handle.
    pub(super) path: String,
    /// Replacements in order, all or none.
    #[serde(default)]
    edits: Vec<Replacement>,
    // One edit without the list, as other tools have it.
    old: Option<String>,
    new: Option<String>,
    all: Option<bool>,
    near_line: Option<NonZeroUsize>,
}

/// One replacement.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(description = "")]
struct Replacement {
    /// Text to replace; empty creates a file.
    old: String,
    /// New text.
    new: String,
    /// Replace all occurrences.
    all: Option<bool>,
    /// A line of `old`, if several fit.
    near_line: Option<NonZeroUsize>,
}

/// Other names of the parameters.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("file_path", "path"),
    ("old_string", "old"),
    ("old_str", "old"),
    ("old_text", "old"),
    ("oldString", "old"),
    ("oldText", "old"),
    ("new_string", "new"),
    ("new_str", "new"),
    ("new_text", "new"),
    ("newString", "new"),
    ("newText", "new"),
    ("replace_all", "all"),
    ("replaceAll", "all"),
    ("edits/*/old_string", "old"),
    ("edits/*/old_str", "old"),
    ("edits/*/old_text", "old"),
    ("edits/*/oldString", "old"),
    ("edits/*/oldText", "old"),
    ("edits/*/new_string", "new"),
    ("edits/*/new_str", "new"),
    ("edits/*/new_text", "new"),
    ("edits/*/newString", "new"),
    ("edits/*/newText", "new"),
    ("edits/*/replace_all", "all"),
    ("edits/*/replaceAll", "all"),
];

/// Parameters that calls may pass but models are not shown.
const HIDDEN: [&str; 4] = ["old", "new", "all", "near_line"];

impl EditFileInput {
    /// Shows the list of edits only, as a required parameter.
    pub(crate) fn define(definition: ToolDefinition) -> ToolDefinition {
        let definition = HIDDEN
            .into_iter()
            .fold(definition, ToolDefinition::with_hidden_parameter);
        definition.with_shown_as_required("edits")
    }

    /// Returns the edits.
    ///
    /// # Errors
    /// Fails if there are none, or both forms are used.
    pub(super) fn edits(&self) -> Result<Vec<Edit<'_>>, ToolError> {
        let of_list = |edit: &Replacement| (edit.all.unwrap_or_default(), edit.near_line);
        match (&self.old, &self.new, self.edits.is_empty()) {
            (None, None, false) => Ok(self
                .edits
                .iter()
                .map(|edit| edit_of(&edit.old, &edit.new, of_list(edit)))
                .collect()),
            (Some(old), Some(new), true) => {
                let all = self.all.unwrap_or_default();
                Ok(vec![edit_of(old, new, (all, self.near_line))])
            }
            (None, None, true) => Err(ToolError::invalid_arguments("edits", "is empty")
                .suggest("Pass at least one object with `old` and `new`.")),
            (_, _, false) => Err(
                ToolError::invalid_arguments("old", "is passed beside `edits`")
                    .suggest("Put all replacements into `edits`."),
            ),
            (Some(_), None, true) => Err(missing("new")),
            (None, Some(_), true) => Err(missing("old")),
        }
    }
}

fn edit_of<'e>(
    old: &'e str,
    new: &'e str,
    (all, near_line): (bool, Option<NonZeroUsize>),
) -> Edit<'e> {
    Edit {
        old,
        new,
        all,
        near_line: near_line.map(NonZeroUsize::get),
        region: None,
    }
}

fn missing(parameter: &str) -> ToolError {
    ToolError::invalid_arguments(parameter, "is missing")
        .suggest("Pass `edits`: a list of objects with `old` and `new`.")
}
