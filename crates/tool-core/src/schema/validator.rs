//! A compiled schema. Remote references are not fetched, and the cost of a schema is bounded.

use jsonschema::{PatternOptions, ValidationOptions};
use serde_json::Value;
use tool_json::{ParseLimits, Tape};

use super::issues;
use super::passes::empty_lists_to_objects;
use super::plan::{Fit, Plan};
use super::weight::check_weight;
use crate::{JsonRef, ValidationIssue};

/// Maximum size of a schema in bytes of JSON.
const MAX_BYTES: usize = 256 * 1024;
/// Maximum nesting depth of a schema.
const MAX_DEPTH: usize = 64;
/// Maximum size of a compiled pattern in bytes.
const MAX_PATTERN_BYTES: usize = 1024 * 1024;
/// Maximum number of backtracking steps of a pattern with look-around on one string.
const MAX_PATTERN_STEPS: usize = 100_000;
/// Maximum number of issues to report per call.
pub(super) const MAX_ISSUES: usize = 50;

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Validator {
    whole: jsonschema::Validator,
    /// The fast check, if the schema supports it.
    plan: Option<Plan>,
}

impl Validator {
    /// Compiles `schema`. Returns a message if it is invalid.
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        // First, because the compiler follows references without a limit.
        check_size(schema)?;
        check_weight(schema)?;
        let whole = options().build(schema).map_err(|error| {
            format!(
                "at `{}`: {}",
                error.instance_path(),
                crate::text::short(&error.to_string(), 300)
            )
        })?;
        let plan = Plan::of(schema);
        Ok(Self { whole, plan })
    }

    /// Like [`compile`](Self::compile), but replaces the empty arrays of PHP with empty objects if the schema is invalid.
    /// Returns the changed schema too.
    pub(crate) fn compile_or_repair(schema: &Value) -> Result<(Self, Option<Value>), String> {
        let reason = match Self::compile(schema) {
            Ok(validator) => return Ok((validator, None)),
            Err(reason) => reason,
        };
        // The repair is recursive.
        check_size(schema)?;
        let repaired = empty_lists_to_objects(schema).ok_or(reason)?;
        Ok((Self::compile(&repaired)?, Some(repaired)))
    }

    /// Returns whether a value is valid.
    pub(crate) fn accepts(&self, value: &Value) -> bool {
        self.whole.is_valid(value)
    }

    #[cfg(test)]
    pub(crate) fn is_valid(&self, arguments: JsonRef<'_>) -> bool {
        self.fit(arguments) != Fit::Not
    }

    #[inline]
    pub(crate) fn fit(&self, arguments: JsonRef<'_>) -> Fit {
        match self.plan.as_ref().and_then(|plan| plan.fit(arguments)) {
            Some(fit) => fit,
            // The plan is only sure of valid arguments, so the validator has the last word.
            None if self.whole.is_valid(&arguments.to_value()) => Fit::Valid,
            None => Fit::Not,
        }
    }

    /// Parses `text` into an empty tape. Returns `true` if it is valid and has no ignored members,
    /// and `false` if this is uncertain.
    #[inline]
    pub(crate) fn read<'t>(
        &'t self,
        text: &'t str,
        limits: &ParseLimits,
        tape: &mut Tape<'t>,
    ) -> bool {
        let plan = self.plan.as_ref();
        plan.is_some_and(|plan| plan.read(text, limits, tape))
    }

    #[cfg(test)]
    pub(super) fn is_valid_by_the_whole(&self, arguments: JsonRef<'_>) -> bool {
        self.whole.is_valid(&arguments.to_value())
    }

    /// Returns the issues of `arguments`, at most 50. Empty if they are valid.
    pub(crate) fn issues(&self, arguments: JsonRef<'_>, schema: &Value) -> Vec<ValidationIssue> {
        let arguments = arguments.to_value();
        let mut issues = Vec::new();
        for error in self.whole.iter_errors(&arguments) {
            issues::add(&error, schema, &mut issues);
            // A model corrects a few mistakes at a time; thousands would only fill its context.
            if issues.len() >= MAX_ISSUES {
                issues.truncate(MAX_ISSUES);
                break;
            }
        }
        issues
    }

    /// Returns why the part of `value` at `pointer` is rejected.
    pub(crate) fn rejection(
        &self,
        value: JsonRef<'_>,
        pointer: &str,
        schema: &Value,
    ) -> Option<String> {
        let value = value.to_value();
        let mut errors = self.whole.iter_errors(&value);
        let error = errors.find(|error| {
            let place = error.instance_path().to_string();
            let inside = place.strip_prefix(pointer);
            inside.is_some_and(|inside| inside.is_empty() || inside.starts_with('/'))
        })?;
        let mut issues = Vec::new();
        issues::add(&error, schema, &mut issues);
        Some(issues.first().map(ToString::to_string).unwrap_or_default())
    }
}

/// Returns the options for schemas: remote references are disabled, and patterns are bounded.
fn options() -> ValidationOptions<'static> {
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(MAX_PATTERN_STEPS)
        .size_limit(MAX_PATTERN_BYTES);
    jsonschema::options()
        .offline()
        .with_pattern_options(patterns)
}

fn check_size(schema: &Value) -> Result<(), String> {
    if depth(schema, MAX_DEPTH + 1) > MAX_DEPTH {
        return Err(format!(
            "the schema is nested more than {MAX_DEPTH} levels deep"
        ));
    }
    let bytes = schema.to_string().len();
    if bytes > MAX_BYTES {
        return Err(format!(
            "the schema has {bytes} bytes; at most {MAX_BYTES} are allowed"
        ));
    }
    Ok(())
}

/// Returns the nesting depth of `value`, at most `most`.
fn depth(value: &Value, most: usize) -> usize {
    if most == 0 {
        return 0;
    }
    let below = match value {
        Value::Array(items) => items.iter().map(|item| depth(item, most - 1)).max(),
        Value::Object(members) => members.values().map(|member| depth(member, most - 1)).max(),
        _ => return 0,
    };
    1 + below.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Arguments;

    fn rejection(schema: &Value) -> String {
        Validator::compile(schema).unwrap_err()
    }

    #[test]
    fn rejects_invalid_schema_with_pointer() {
        let reason = rejection(&json!({"properties": {"a": {"type": "strin"}}}));

        assert!(reason.starts_with("at `/properties/a/type`"), "{reason}");
    }

    #[test]
    fn fetches_no_references() {
        for reference in [
            "http://127.0.0.1:9/schema.json",
            "file:///etc/passwd",
            "https://example.com/a",
        ] {
            assert!(
                Validator::compile(&json!({"$ref": reference})).is_err(),
                "{reference}"
            );
        }
    }

    #[test]
    fn existing_schemas_are_neither_read_nor_requested() {
        let name = format!("schema-{}.json", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, r#"{"type": "object"}"#).unwrap();
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        server.set_nonblocking(true).unwrap();

        let references = [
            format!("file://{}", path.display()),
            format!("http://{}/schema.json", server.local_addr().unwrap()),
        ];
        for reference in references {
            assert!(
                Validator::compile(&json!({"$ref": reference})).is_err(),
                "{reference}"
            );
        }

        let requested = server.accept().map(|(_, client)| client);
        assert_eq!(
            requested.unwrap_err().kind(),
            std::io::ErrorKind::WouldBlock
        );
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn rejects_schema_over_limits() {
        let deep = (0..70).fold(json!({}), |schema, _| json!({"not": schema}));
        let large = json!({"description": "x".repeat(300_000)});

        assert_eq!(
            rejection(&deep),
            "the schema is nested more than 64 levels deep"
        );
        assert!(
            rejection(&large).contains("at most 262144"),
            "{}",
            rejection(&large)
        );
    }

    #[test]
    fn bounds_backtracking() {
        let validator = Validator::compile(&json!({"pattern": "^(?=(a+)+$)b"})).unwrap();
        let arguments = Arguments::from_value(json!("a".repeat(5000) + "!"));

        assert!(!validator.is_valid(arguments.root()));
    }

    #[test]
    fn rejects_pattern_with_large_program() {
        for pattern in ["(a{1000}){1000}", "(((a{100}){100}){100}){100}"] {
            let reason = rejection(&json!({"properties": {"a": {"pattern": pattern}}}));

            assert!(reason.starts_with("at `/properties/a/pattern`"), "{reason}");
        }
    }

    #[test]
    fn heaviest_allowed_schema_compiles_quickly() {
        let level = |n: usize| {
            let next = json!({"$ref": format!("#/$defs/l{}", n + 1)});
            (format!("l{n}"), json!({"oneOf": [next, next]}))
        };
        let heavy = |levels: usize| {
            let mut definitions: serde_json::Map<String, Value> = (0..levels).map(level).collect();
            definitions.insert(format!("l{levels}"), json!({"type": "object"}));
            json!({"$ref": "#/$defs/l0", "$defs": definitions})
        };
        let schema = heavy(14);
        let validator = Validator::compile(&schema).unwrap();
        let arguments = Arguments::from_value(json!(1));

        assert!(!validator.is_valid(arguments.root()));
        assert_eq!(validator.issues(arguments.root(), &schema).len(), 1);
        assert!(rejection(&heavy(40)).contains("parts"));
    }
}
