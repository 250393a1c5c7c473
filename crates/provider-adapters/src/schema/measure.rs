//! Bounds on a schema before anything walks it.

use serde_json::Value;

/// Deeper schemas are refused, so that every pass may recurse.
const MAX_DEPTH: usize = 120;

/// Larger schemas are refused; also the most that references may expand to.
pub(crate) const MAX_VALUES: usize = 20_000;

/// Refuses a schema that is too deep or too large, in linear time and without recursion.
pub(crate) fn measure(schema: &Value) -> Result<(), String> {
    let mut waiting = vec![(schema, 1)];
    let mut values = 0;
    while let Some((value, depth)) = waiting.pop() {
        values += 1;
        if depth > MAX_DEPTH {
            return Err(format!(
                "its schema is nested deeper than {MAX_DEPTH} levels"
            ));
        }
        if values > MAX_VALUES {
            return Err(format!("its schema holds more than {MAX_VALUES} values"));
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
    fn a_schema_that_is_too_deep_or_too_large_is_refused() {
        let deep = (0..200).fold(json!({}), |inner, _| json!({"items": inner}));
        let large = json!({"enum": vec![1; MAX_VALUES]});

        for (schema, reason) in [
            (deep, "its schema is nested deeper than 120 levels"),
            (large, "its schema holds more than 20000 values"),
        ] {
            assert_eq!(measure(&schema), Err(reason.to_owned()));
        }
    }

    #[test]
    fn an_ordinary_schema_passes() {
        assert_eq!(
            measure(&json!({"type": "object", "properties": {"a": {}}})),
            Ok(())
        );
    }
}
