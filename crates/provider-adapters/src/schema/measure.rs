//! Size limits of a schema, checked before all other passes.

use serde_json::Value;

/// Maximum depth of a schema, so that every pass may recurse.
const MAX_DEPTH: usize = 120;

/// Maximum number of values in a schema, before and after references are inlined.
pub(crate) const MAX_VALUES: usize = 20_000;

/// Returns an error if a schema is too deep or too large. Runs in linear time, without recursion.
pub(crate) fn measure(schema: &Value) -> Result<(), String> {
    let mut waiting = vec![(schema, 1)];
    let mut values = 0;
    while let Some((value, depth)) = waiting.pop() {
        values += 1;
        if depth > MAX_DEPTH {
            return Err(format!(
                "the schema is nested deeper than {MAX_DEPTH} levels"
            ));
        }
        if values > MAX_VALUES {
            return Err(format!("the schema has more than {MAX_VALUES} values"));
        }
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => {
                waiting.extend(members.values().map(|member| (member, depth + 1)));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rejects_schemas_over_depth_or_size_limit() {
        let deep = (0..200).fold(json!({}), |inner, _| json!({"items": inner}));
        let large = json!({"enum": vec![1; MAX_VALUES]});

        for (schema, reason) in [
            (deep, "the schema is nested deeper than 120 levels"),
            (large, "the schema has more than 20000 values"),
        ] {
            assert_eq!(measure(&schema), Err(reason.to_owned()));
        }
    }

    #[test]
    fn accepts_ordinary_schema() {
        assert_eq!(
            measure(&json!({"type": "object", "properties": {"a": {}}})),
            Ok(())
        );
    }
}
