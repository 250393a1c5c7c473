//! Names that are accepted and not shown.

use crate::json::tape::Tape;
use crate::{Change, ChangeKind, Fault, ToolError};

/// Renames aliases to the parameters they stand for; giving both is a fault.
pub(super) fn apply_aliases<'t>(
    tape: &mut Tape<'t>,
    aliases: &'t [(String, String)],
    changes: &mut Vec<Change>,
) -> Result<(), ToolError> {
    for (alias, parameter) in aliases {
        if tape.root().get(alias).is_none() {
            continue;
        }
        if tape.root().get(parameter).is_some() {
            let fault = Fault::new(
                "",
                "alias",
                format!("given as `{parameter}` only"),
                "both names",
            );
            return Err(ToolError::from_faults(vec![
                fault.with_property(alias.as_str()),
            ]));
        }
        tape.rename_member(alias, parameter);
        changes.push(Change::new(
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
    fn an_alias_becomes_its_parameter_and_is_recorded() {
        let aliases = [("file_path".into(), "path".into())];
        let mut tape = Tape::of_owned_value(&json!({"file_path": "a"}));
        let mut changes = Vec::new();

        apply_aliases(&mut tape, &aliases, &mut changes).unwrap();

        assert_eq!(tape.root().to_value(), json!({"path": "a"}));
        assert_eq!(
            changes,
            [Change::new(
                "/path",
                ChangeKind::Alias,
                json!("file_path"),
                json!("path")
            )]
        );
    }

    #[test]
    fn a_parameter_and_its_alias_together_are_a_fault() {
        let aliases = [("file_path".into(), "path".into())];
        let mut tape = Tape::of_owned_value(&json!({"file_path": "a", "path": "b"}));

        let error = apply_aliases(&mut tape, &aliases, &mut Vec::new()).unwrap_err();

        assert_eq!(
            error.message(),
            "The arguments do not fit: `file_path` must be given as `path` only, not both names."
        );
    }
}
