//! Accepted alternative parameter names that the schema does not show.

use tool_json::Tape;

use crate::{ArgumentChange, ChangeKind, ToolError, ValidationIssue};

/// Renames aliases to their parameters. Passing both names is an error.
pub(super) fn apply_aliases<'t>(
    tape: &mut Tape<'t>,
    aliases: &'t [(String, String)],
    changes: &mut Vec<ArgumentChange>,
) -> Result<(), ToolError> {
    for (alias, parameter) in aliases {
        if tape.root().get(alias).is_none() {
            continue;
        }
        if tape.root().get(parameter).is_some() {
            let issue = ValidationIssue::new(
                "",
                "alias",
                format!("given as `{parameter}` only"),
                "both names",
            );
            return Err(ToolError::from_issues(vec![
                issue.with_property(alias.as_str()),
            ]));
        }
        tape.rename_member(alias, parameter);
        changes.push(ArgumentChange::new(
            format!("/{parameter}"),
            ChangeKind::Alias,
            alias.as_str().into(),
            parameter.as_str().into(),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn renames_alias_and_records_change() {
        let aliases = [("file_path".into(), "path".into())];
        let mut tape = Tape::from(&json!({"file_path": "a"})).into_owned();
        let mut changes = Vec::new();

        apply_aliases(&mut tape, &aliases, &mut changes).unwrap();

        assert_eq!(tape.root().to_value(), json!({"path": "a"}));
        assert_eq!(
            changes,
            [ArgumentChange::new(
                "/path",
                ChangeKind::Alias,
                json!("file_path"),
                json!("path")
            )]
        );
    }

    #[test]
    fn rejects_parameter_with_its_alias() {
        let aliases = [("file_path".into(), "path".into())];
        let mut tape = Tape::from(&json!({"file_path": "a", "path": "b"})).into_owned();

        let error = apply_aliases(&mut tape, &aliases, &mut Vec::new()).unwrap_err();

        assert_eq!(
            error.message(),
            "The arguments do not fit: `file_path` must be given as `path` only, not both names."
        );
    }
}
