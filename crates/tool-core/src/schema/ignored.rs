//! Detects members that an open schema ignores.

use std::collections::BTreeSet;

use serde_json::Value;
use tool_json::JsonView;

use super::query::resolve;
use crate::{JsonRef, parameter_names, text};

/// Maximum number of ignored names to report per call.
const MAX_REPORTED: usize = 20;

/// The keyword that controls unlisted members.
const UNLISTED: &str = "additionalProperties";

/// Keywords besides `properties` that constrain members.
const OTHER_KEYWORDS: [&str; 9] = [
    UNLISTED,
    "patternProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "if",
    "dependentSchemas",
    "prefixItems",
];

/// Maximum depth of objects in the arguments, and of schemas, to check for names.
const MAX_DEPTH: usize = 8;
const MAX_SCHEMAS: usize = 256;

/// The members that a schema defines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// Listed members, if all others are ignored.
    names: Option<BTreeSet<String>>,
    /// Members and items that may contain ignored members.
    members: Vec<(String, Known)>,
    items: Option<Box<Known>>,
}

/// Returns the members that `schema` defines, if it ignores any others.
pub(crate) fn all_known(schema: &Value) -> Option<Known> {
    let mut left = MAX_SCHEMAS;
    Known::of(schema, schema, MAX_DEPTH, &mut left)
}

impl Known {
    fn of(schema: &Value, root: &Value, depth: usize, left: &mut usize) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        *left = left.checked_sub(1)?;
        if schema.get("$ref").is_some() && schema.get("properties").is_some() {
            return None;
        }
        let resolved = resolve(schema, root);
        let has_keyword = |word: &&&str| resolved.get(**word).is_some();
        let mut more = OTHER_KEYWORDS.iter().filter(has_keyword).peekable();
        let is_listed = more.peek().is_none();
        // A closed object ignores no members, but its values may.
        if !more
            .all(|word| *word == UNLISTED && resolved.get(UNLISTED) == Some(&Value::Bool(false)))
        {
            return None;
        }
        let mut known = Self::default();
        if let Some(items) = resolved.get("items") {
            known.items = Self::of(items, root, depth, left).map(Box::new);
        }
        if let Some(properties) = resolved.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                let inside = Self::of(property, root, depth, left);
                known
                    .members
                    .extend(inside.map(|inside| (name.clone(), inside)));
            }
            known.names = is_listed.then(|| properties.keys().cloned().collect());
        }
        let is_empty = known.names.is_none() && known.members.is_empty() && known.items.is_none();
        (!is_empty).then_some(known)
    }

    fn contains(&self, name: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.contains(name))
    }

    fn report<'k>(&'k self, value: JsonRef<'_>, path: &str, report: &mut Report<'k>) {
        if let Some(items) = self.items.as_deref() {
            for (at, item) in value.items().enumerate() {
                if report.lines.len() < MAX_REPORTED {
                    items.report(item, &format!("{path}[{at}]"), report);
                }
            }
        }
        let dot = if path.is_empty() { "" } else { "." };
        for (name, value) in value.members() {
            if report.lines.len() >= MAX_REPORTED {
                return;
            }
            if !self.contains(name) {
                let mut line = self.line(name, &[path, dot].concat());
                if !report.listed.iter().any(|known| std::ptr::eq(*known, self)) {
                    report.listed.push(self);
                    self.list(path, &mut line);
                }
                report.lines.push(line);
            } else if matches!(value.view(), JsonView::Array(1..) | JsonView::Object(1..))
                && let Some((_, inside)) = self.members.iter().find(|(known, _)| known == name)
            {
                inside.report(value, &[path, dot, name].concat(), report);
            }
        }
    }

    fn line(&self, name: &str, before: &str) -> String {
        let nearest = parameter_names::nearest(name, self.names());
        let name = text::short(name, 64);
        let mut line = [
            "`",
            before,
            &name,
            "` is not a known parameter and was ignored",
        ]
        .concat();
        if let Some(nearest) = nearest {
            line.extend([". Did you mean `", nearest, "`?"]);
        }
        line
    }

    /// Appends the known names to a line, if there are few.
    fn list(&self, path: &str, line: &mut String) {
        let names = parameter_names::listed(self.names());
        if !names.is_empty() {
            line.push_str(if line.ends_with('?') { " " } else { ". " });
            parameter_names::write_listed(names.iter().filter_map(Value::as_str), path, line);
            line.push('.');
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.names.iter().flatten().map(String::as_str)
    }
}

/// Lines about ignored members.
#[derive(Default)]
struct Report<'k> {
    lines: Vec<String>,
    /// Objects whose members were listed.
    listed: Vec<&'k Known>,
}

/// Returns a message for each member that is not `known`, with the known name that was most likely meant, and all of them
/// once if there are few.
pub(crate) fn ignored(arguments: JsonRef<'_>, known: &Known) -> Vec<String> {
    let mut report = Report::default();
    known.report(arguments, "", &mut report);
    report.lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Arguments;

    #[test]
    fn reports_members_ignored_by_open_schema() {
        let known = all_known(&json!({"properties": {"path": {}, "all": {}}})).unwrap();
        let arguments = Arguments::from_value(json!({"path": 1, "pth": 2}));

        assert_eq!(
            ignored(arguments.root(), &known),
            [
                "`pth` is not a known parameter and was ignored. Did you mean `path`? Known: `all`, `path`."
            ]
        );
        let has_keyword = json!({"properties": {}, "additionalProperties": {}});
        assert_eq!(all_known(&has_keyword), None);
    }

    fn reported(schema: &Value, arguments: Value) -> Vec<String> {
        let known = all_known(schema);
        let arguments = Arguments::from_value(arguments);
        known.map_or_else(Vec::new, |known| ignored(arguments.root(), &known))
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
                "`closed.in.y` is not a known parameter and was ignored. Known in `closed.in`: `content`, `status`.",
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
