//! Limits of the strict tools in one request.

use serde_json::Value;

use crate::Object;

/// Remaining capacity of one request for strict tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StrictBudget {
    tools: usize,
    optional: usize,
    unions: usize,
}

impl Default for StrictBudget {
    fn default() -> Self {
        Self {
            tools: 20,
            optional: 24,
            unions: 16,
        }
    }
}

impl StrictBudget {
    /// Returns the capacity after sending `tool`. Only strict tools use capacity.
    pub(crate) fn after(self, strict: bool, tool: &Value) -> Self {
        let schema = ["/input_schema", "/toolSpec/inputSchema/json"]
            .iter()
            .find_map(|place| tool.pointer(place));
        match schema {
            Some(schema) if strict => self.deduct(schema).unwrap_or(self),
            _ => self,
        }
    }

    /// Returns `true` if there is capacity for another strict tool with this schema.
    pub(crate) fn can_add(self, schema: &Value) -> bool {
        self.deduct(schema).is_some()
    }

    fn deduct(self, schema: &Value) -> Option<Self> {
        let (mut optional, mut unions) = (0, 0);
        crate::schema::visit_all(schema, &mut |object| {
            optional += optional_properties(object);
            let union =
                object.contains_key("anyOf") || object.get("type").is_some_and(Value::is_array);
            unions += usize::from(union);
        });
        Some(Self {
            tools: self.tools.checked_sub(1)?,
            optional: self.optional.checked_sub(optional)?,
            unions: self.unions.checked_sub(unions)?,
        })
    }
}

fn optional_properties(object: &Object) -> usize {
    let count = |keyword: &str| match object.get(keyword) {
        Some(Value::Object(named)) => named.len(),
        Some(Value::Array(list)) => list.len(),
        _ => 0,
    };
    count("properties").saturating_sub(count("required"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn allows_at_most_twenty_strict_tools() {
        let tool = json!({"input_schema": {"type": "object", "properties": {}}});

        let left = (0..20).fold(StrictBudget::default(), |left, _| left.after(true, &tool));

        assert!(!left.can_add(&tool["input_schema"]));
        assert!(StrictBudget::default().can_add(&tool["input_schema"]));
    }

    #[test]
    fn counts_optional_parameters() {
        let schema = json!({"properties": {"a": {}, "b": {}}, "required": ["a"]});

        assert_eq!(
            StrictBudget::default()
                .deduct(&schema)
                .map(|left| left.optional),
            Some(23)
        );
    }
}
