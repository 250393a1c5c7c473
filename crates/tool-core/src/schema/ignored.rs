//! Detects members that an open schema ignores.

use serde_json::{Map, Value};
use tool_json::JsonView;

use super::query::resolve;
use crate::{JsonRef, parameter_names, text};

/// Maximum number of ignored names to report per call.
const MAX_REPORTED: usize = 20;

/// The keyword that controls unlisted members.
const UNLISTED: &str = "additionalProperties";

/// Keywords that allow more members than the listed ones.
const OTHER_KEYWORDS: [&str; 8] = [
    "patternProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "if",
    "dependentSchemas",
    "prefixItems",
];

/// Maximum depth of objects in the arguments to check for names.
const MAX_DEPTH: usize = 8;

/// Returns a message for each member that an open schema ignores, with the known name that was most likely meant, and all of
/// them once if there are few.
pub(crate) fn ignored(arguments: JsonRef<'_>, schema: &Value) -> Vec<String> {
    let mut report = Report {
        root: schema,
        lines: Vec::new(),
        listed: Vec::new(),
    };
    report.value(arguments, schema, "", MAX_DEPTH);
    report.lines
}

/// Lines about ignored members.
struct Report<'s> {
    root: &'s Value,
    lines: Vec<String>,
    /// Properties that were listed.
    listed: Vec<&'s Map<String, Value>>,
}

impl<'s> Report<'s> {
    fn value(&mut self, value: JsonRef<'_>, schema: &'s Value, path: &str, depth: usize) {
        let is_ambiguous = schema.get("$ref").is_some() && schema.get("properties").is_some();
        let schema = resolve(schema, self.root);
        let mut others = OTHER_KEYWORDS.iter();
        let unlisted = schema.get(UNLISTED);
        if depth == 0
            || is_ambiguous
            || others.any(|word| schema.get(word).is_some())
            || unlisted.is_some_and(|unlisted| *unlisted != Value::Bool(false))
        {
            return;
        }
        if let Some(items) = schema.get("items") {
            for (at, item) in value.items().enumerate() {
                self.value(item, items, &format!("{path}[{at}]"), depth - 1);
            }
        }
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        let before = if path.is_empty() { "" } else { "." };
        let before = [path, before].concat();
        for (name, value) in value.members() {
            if self.lines.len() >= MAX_REPORTED {
                return;
            }
            match properties.get(name) {
                Some(inside)
                    if matches!(value.view(), JsonView::Array(1..) | JsonView::Object(1..)) =>
                {
                    self.value(value, inside, &[&before, name].concat(), depth - 1);
                }
                None if unlisted.is_none() => {
                    let line = self.line(name, path, &before, properties);
                    self.lines.push(line);
                }
                _ => {}
            }
        }
    }

    fn line(
        &mut self,
        name: &str,
        path: &str,
        before: &str,
        properties: &'s Map<String, Value>,
    ) -> String {
        let mut known: Vec<&str> = properties.keys().map(String::as_str).collect();
        known.sort_unstable();
        let nearest = parameter_names::nearest(name, known.iter().copied());
        let name = text::short(name, 64);
        let mut line = format!("`{before}{name}` is not a known parameter and was ignored");
        if let Some(nearest) = nearest {
            line.extend([". Did you mean `", nearest, "`?"]);
        }
        let names = parameter_names::listed(known);
        let is_listed = |other: &&Map<String, Value>| std::ptr::eq(*other, properties);
        if !names.is_empty() && !self.listed.iter().any(is_listed) {
            self.listed.push(properties);
            line.push_str(if line.ends_with('?') { " " } else { ". " });
            parameter_names::write_listed(names.iter().filter_map(Value::as_str), path, &mut line);
            line.push('.');
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Arguments;

    #[test]
    fn reports_members_ignored_by_open_schema() {
        let schema = json!({"properties": {"path": {}, "all": {}}});

        assert_eq!(
            reported(&schema, json!({"path": 1, "pth": 2})),
            [
                "`pth` is not a known parameter and was ignored. Did you mean `path`? Known: `all`, `path`."
            ]
        );
        let has_keyword = json!({"properties": {}, "additionalProperties": {}});
        assert_eq!(reported(&has_keyword, json!({"a": 1})), [""; 0]);
    }

    fn reported(schema: &Value, arguments: Value) -> Vec<String> {
        ignored(Arguments::from_value(arguments).root(), schema)
    }

    #[test]
    fn reports_nested_members_with_path() {
        let step = json!({"type": "object", "properties": {"content": {}, "status": {}}});
        let closed =
            json!({"additionalProperties": false, "properties": {"in": {"$ref": "#/$defs/step"}}});
        let schema = json!({
            "properties": {"items": {"items": {"$ref": "#/$defs/step"}}, "closed": closed},
            "$defs": {"step": step}
        });

        let reported = reported(
            &schema,
            json!({"items": [{"content": 1}, {"contents": 1, "id": 2}, 3], "closed": {"x": 1, "in": {"y": 1}}}),
        );

        assert_eq!(
            reported,
            [
                "`items[1].contents` is not a known parameter and was ignored. Did you mean `content`? \
                 Known in `items[1]`: `content`, `status`.",
                "`items[1].id` is not a known parameter and was ignored",
                "`closed.in.y` is not a known parameter and was ignored",
            ]
        );
    }

    #[test]
    fn bounds_reported_and_checked_names() {
        let list = json!({"properties": {"list": {"items": {"properties": {}}}}});
        let itself = json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}});
        let mut deep = json!({"unknown": 1});
        for _ in 0..20 {
            deep = json!({"a": deep});
        }

        assert_eq!(
            reported(&list, json!({"list": vec![json!({"x": 1}); 30]})).len(),
            20
        );
        assert_eq!(reported(&itself, deep), Vec::<String>::new());
        assert_eq!(reported(&itself, json!({"b": {"c": 1}})).len(), 1);
    }
}
