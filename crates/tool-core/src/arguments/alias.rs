//! Names that are accepted and not shown.

use serde_json::Value;

use super::change::{Change, ChangeKind};
use crate::{Fault, ToolError};

/// Renames aliases to the parameters they stand for; giving both is a fault.
pub(crate) fn apply_aliases(
    value: &mut Value,
    aliases: &[(String, String)],
    changes: &mut Vec<Change>,
) -> Result<(), ToolError> {
    let Value::Object(members) = value else {
        return Ok(());
    };
    for (alias, parameter) in aliases {
        let Some(member) = members.remove(alias) else {
            continue;
        };
        if members.contains_key(parameter) {
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
        members.insert(parameter.clone(), member);
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
        let mut value = json!({"file_path": "a"});
        let mut changes = Vec::new();

        apply_aliases(
            &mut value,
            &[("file_path".into(), "path".into())],
            &mut changes,
        )
        .unwrap();

        assert_eq!(value, json!({"path": "a"}));
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
        let mut value = json!({"file_path": "a", "path": "b"});

        let error = apply_aliases(
            &mut value,
            &[("file_path".into(), "path".into())],
            &mut Vec::new(),
        )
        .unwrap_err();

        assert_eq!(
            error.message(),
            "The arguments do not fit: `file_path` must be given as `path` only, not both names."
        );
    }
}
