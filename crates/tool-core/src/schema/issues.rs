//! Converts validation errors to issues for the model.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;
use tool_json::wide_numbers::is_wide;

use super::{Choice, resolve};
use crate::{ValidationIssue, text};

/// Maximum number of allowed values to list.
const MAX_ALLOWED: usize = 20;
/// Maximum depth of nested choices to expand.
const MAX_CHOICES: usize = 8;
/// Keywords that allow properties besides the listed ones.
const MORE_PROPERTIES: &str = "patternProperties allOf anyOf oneOf $ref if dependentSchemas";

/// Appends the issues of one validation error.
pub(super) fn add(error: &ValidationError<'_>, schema: &Value, issues: &mut Vec<ValidationIssue>) {
    add_opened(error, schema, MAX_CHOICES, issues);
}

fn add_opened(
    error: &ValidationError<'_>,
    schema: &Value,
    choices: usize,
    issues: &mut Vec<ValidationIssue>,
) {
    let pointer = error.instance_path().to_string();
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let known = Known::of(error, schema);
            issues.extend(unexpected.iter().map(|name| known.unlike(&pointer, name)));
        }
        // A closed object without properties: the error has the value of the member, but not its name.
        ValidationErrorKind::FalseSchema if is_of_members(error) => {
            issues.push(ValidationIssue::new(
                pointer,
                "maxProperties",
                "an empty object",
                "an object with members",
            ));
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }
            if choices > 0 =>
        {
            add_choice(error, context, schema, choices - 1, issues);
        }
        _ => issues.push(single(error, pointer)),
    }
}

fn is_of_members(error: &ValidationError<'_>) -> bool {
    error
        .schema_path()
        .to_string()
        .ends_with("/additionalProperties")
}

/// The properties of an object with an unknown one.
struct Known<'s> {
    names: Vec<&'s str>,
    /// Whether the object accepts no others.
    are_all: bool,
}

impl<'s> Known<'s> {
    /// Locates the object by the path of the failing keyword.
    fn of(error: &ValidationError<'_>, schema: &'s Value) -> Self {
        let path = error.schema_path().to_string();
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let object = schema.pointer(parent).map(|object| resolve(object, schema));
        let has = |keyword: &&str| object.is_some_and(|object| object.get(*keyword).is_some());
        let properties = object.and_then(|object| object.get("properties"));
        Self {
            names: properties
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .map(|(name, _)| name.as_str())
                .collect(),
            are_all: !MORE_PROPERTIES.split(' ').any(|keyword| has(&keyword)),
        }
    }

    fn unlike(&self, pointer: &str, name: &str) -> ValidationIssue {
        let issue = ValidationIssue::unknown_parameter(pointer, name, &self.names);
        if self.are_all {
            issue
        } else {
            issue.with_others()
        }
    }
}

/// Appends the issues of the form that an object names, or the one issue that it names none. Returns `false` if nothing
/// tells the forms apart.
fn add_form(
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
    schema: &Value,
    choices: usize,
    issues: &mut Vec<ValidationIssue>,
) -> bool {
    let path = error.schema_path().to_string();
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    let owner = schema.pointer(parent).map(|owner| resolve(owner, schema));
    let choice = owner.and_then(|owner| Choice::of(owner, schema));
    let (Some(choice), Some(object)) = (choice, error.instance().as_object()) else {
        return false;
    };
    let pointer = error.instance_path().to_string();
    let Some(form) = choice.selected(object) else {
        issues.push(choice.issue(&pointer, object));
        return true;
    };
    for inner in branches.get(form.index).into_iter().flatten() {
        let before = issues.len();
        add_opened(inner, schema, choices, issues);
        for issue in issues.iter_mut().skip(before) {
            let name = issue
                .property
                .as_deref()
                .filter(|_| issue.is_unknown_parameter());
            let foreign = name.filter(|_| issue.pointer == pointer);
            let better =
                foreign.and_then(|name| choice.foreign_issue(form, &pointer, object, name));
            if let Some(better) = better {
                *issue = better;
            }
        }
    }
    true
}

/// Appends the issues of the closest branch, or the types of all branches if no branch is close.
fn add_choice(
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
    schema: &Value,
    choices: usize,
    issues: &mut Vec<ValidationIssue>,
) {
    if add_form(error, branches, schema, choices, issues) {
        return;
    }
    let pointer = error.instance_path().to_string();
    // The model most likely meant the branch of the right kind with the fewest errors.
    let best = branches
        .iter()
        .filter(|errors| !errors.iter().any(|inner| is_other_kind(inner, &pointer)))
        .min_by_key(|errors| errors.len());
    if let Some(errors) = best {
        for inner in errors {
            add_opened(inner, schema, choices, issues);
        }
        return;
    }
    let expected = branches
        .iter()
        .flatten()
        .filter(|inner| inner.instance_path().to_string() == pointer)
        .map(expected)
        .fold(Vec::new(), |mut all: Vec<String>, one| {
            if !all.contains(&one) {
                all.push(one);
            }
            all
        });
    let expected = if expected.is_empty() {
        "one of the allowed forms".to_owned()
    } else {
        expected.join(" or ")
    };
    let keyword = error.kind().keyword();
    issues.push(ValidationIssue::new(
        pointer,
        keyword,
        expected,
        got(error.instance()),
    ));
}

/// Returns `true` if a branch fails at the choice's own value, so the branch is for another type.
fn is_other_kind(inner: &ValidationError<'_>, pointer: &str) -> bool {
    let tag = matches!(
        inner.kind(),
        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. }
    );
    let place = inner.instance_path().to_string();
    let here = place == pointer;
    let parent = place.rsplit_once('/').map(|(parent, _)| parent);
    let below = parent == Some(pointer);
    (here && matches!(inner.kind(), ValidationErrorKind::Type { .. })) || (tag && (here || below))
}

fn single(error: &ValidationError<'_>, pointer: String) -> ValidationIssue {
    let keyword = error.kind().keyword();
    if let ValidationErrorKind::Required { property } = error.kind() {
        let name = property.as_str().unwrap_or_default();
        let expected = ["a value for `", name, "`"].concat();
        return ValidationIssue::new(pointer, keyword, expected, "nothing").with_property(name);
    }
    let issue = ValidationIssue::new(pointer, keyword, expected(error), got(error.instance()));
    match error.kind() {
        ValidationErrorKind::Enum { options } => {
            let allowed = options.as_array().cloned().unwrap_or_default();
            let names: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
            let nearest = error
                .instance()
                .as_str()
                .and_then(|came| text::nearest(came, names));
            issue
                .with_nearest(nearest)
                .with_allowed(allowed.iter().take(MAX_ALLOWED).cloned().collect())
        }
        ValidationErrorKind::Constant { expected_value } => {
            issue.with_allowed(vec![expected_value.as_ref().clone()])
        }
        _ => issue,
    }
}

fn expected(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Type { kind } => {
            let kinds = match kind {
                TypeKind::Single(one) => with_article(*one).to_owned(),
                TypeKind::Multiple(set) => set
                    .into_iter()
                    .map(with_article)
                    .collect::<Vec<_>>()
                    .join(" or "),
            };
            // The parser keeps such a number as text. Without the limit, the model would send it again.
            let is_wide = error.instance().as_str().is_some_and(is_wide);
            let limit = if is_wide { " of at most 64 bits" } else { "" };
            kinds + limit
        }
        Kind::Enum { options } => one_of(options),
        Kind::Constant { expected_value } => text::short(&expected_value.to_string(), 80),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("at least {limit} characters long"),
        Kind::MaxLength { limit } => format!("at most {limit} characters long"),
        Kind::MinItems { limit } => format!("an array of at least {limit} items"),
        Kind::MaxItems { limit } => format!("an array of at most {limit} items"),
        Kind::MinProperties { limit } => format!("an object of at least {limit} members"),
        Kind::MaxProperties { limit } => format!("an object of at most {limit} members"),
        Kind::AdditionalItems { limit } => format!("an array of at most {limit} items"),
        Kind::Pattern { pattern } => format!("a string that matches {}", text::short(pattern, 120)),
        Kind::Format { format } => format!("a string in the format {format}"),
        Kind::UniqueItems => "an array without repeated items".to_owned(),
        Kind::Contains => "an array with a matching item".to_owned(),
        Kind::OneOfMultipleValid { .. } => "of exactly one of the allowed forms".to_owned(),
        Kind::FalseSchema => "left out".to_owned(),
        Kind::PropertyNames { .. } => "an object whose names are all allowed".to_owned(),
        _ => "a value that matches the schema".to_owned(),
    }
}

fn one_of(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut listed: Vec<String> = options
        .iter()
        .take(MAX_ALLOWED)
        .map(|option| text::short(&option.to_string(), 80))
        .collect();
    if options.len() > listed.len() {
        listed.push(format!("{} more", options.len() - listed.len()));
    }
    format!("one of {}", listed.join(", "))
}

fn with_article(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "an array",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

/// Describes the received value briefly. Long strings are truncated; the contents of containers are
/// omitted.
pub(crate) fn got(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.is_empty() => "the empty string".to_owned(),
        Value::String(text) => ["the string \"", &text::short(text, 40), "\""].concat(),
        Value::Array(items) if items.is_empty() => "the empty array".to_owned(),
        Value::Array(items) if items.len() == 1 => "an array of 1 item".to_owned(),
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Validator;
    use super::*;
    use crate::Arguments;

    fn issues(schema: &Value, arguments: &Value) -> Vec<String> {
        let validator = Validator::compile(schema).unwrap();
        validator
            .issues(Arguments::from_value(arguments.clone()).root(), schema)
            .iter()
            .map(ValidationIssue::to_string)
            .collect()
    }

    #[test]
    fn reports_all_issues() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1},
                "mode": {"enum": ["fast", "slow"]},
            },
            "required": ["path"],
            "additionalProperties": false,
        });

        let found = issues(&schema, &json!({"pth": "a", "limit": 0, "mode": "fats"}));

        for expected in [
            "`path` is missing",
            "`pth` is not a known parameter (did you mean `path`?)",
            "`limit` must be at least 1, not the number 0",
            "`mode` must be one of \"fast\", \"slow\", not the string \"fats\" (did you mean `fast`?)",
        ] {
            assert!(
                found.iter().any(|issue| issue == expected),
                "{expected} in {found:#?}"
            );
        }
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn choice_reports_closest_branch() {
        let branch = |kind: &str, field: &str| {
            json!({
                "type": "object",
                "properties": {"kind": {"const": kind}, field: {"type": "integer"}},
                "required": ["kind", field],
            })
        };
        let schema = json!({"properties": {"shape": {"anyOf": [branch("circle", "radius"), branch("square", "side")]}}});

        assert_eq!(
            issues(&schema, &json!({"shape": {"kind": "square"}})),
            ["`shape.side` is missing"]
        );
        assert_eq!(
            issues(&schema, &json!({"shape": {"kind": "square", "side": "x"}})),
            ["`shape.side` must be an integer, not the string \"x\""]
        );
    }

    #[test]
    fn choice_between_types_lists_all_types() {
        let schema = json!({"properties": {"arguments": {"anyOf": [
            {"type": "string"}, {"type": "array", "items": {"type": "string"}}]}}});

        assert_eq!(
            issues(&schema, &json!({"arguments": 7})),
            ["`arguments` must be a string or an array, not the number 7"]
        );
        assert_eq!(
            issues(&schema, &json!({"arguments": ["a", 7]})),
            ["`arguments[1]` must be a string, not the number 7"]
        );
    }

    #[test]
    fn lists_known_parameters_once_for_each_object() {
        let point = json!({"properties": {"x": {}, "y": {}}, "additionalProperties": false});
        let schema = json!({
            "properties": {
                "command": {},
                "timeout_seconds": {},
                "points": {"items": {"$ref": "#/$defs/point"}},
                "open": {"patternProperties": {"^x-": {}}, "additionalProperties": false},
                "none": {"additionalProperties": false},
            },
            "additionalProperties": false,
            "$defs": {"point": point},
        });
        let arguments = json!({
            "timeout": 1, "cmd": 1, "points": [{"z": 1}, {"w": 1}], "open": {"a": 1}, "none": {"b": 1},
        });
        let validator = Validator::compile(&schema).unwrap();

        let mut issues = validator.issues(Arguments::from_value(arguments).root(), &schema);
        issues.sort_by_key(ValidationIssue::path);

        assert_eq!(
            issues[0].allowed,
            ["command", "timeout_seconds", "points", "open", "none"]
        );
        let error = crate::ToolError::from_issues(issues);
        assert_eq!(
            error.message(),
            "The arguments do not fit: `cmd` is not a known parameter (did you mean `command`?); \
             `none` must be an empty object, not an object with members; `open.a` is not a known parameter; \
             `points[0].z` is not a known parameter; `points[1].w` is not a known parameter; \
             `timeout` is not a known parameter (did you mean `timeout_seconds`?). \
             Known: `command`, `timeout_seconds`, `points`, `open`, `none`. \
             Known in `points[0]`: `x`, `y`."
        );
    }

    #[test]
    fn truncates_long_value() {
        let found = issues(&json!({"type": "object"}), &json!("secret ".repeat(100)));

        assert!(found[0].len() < 120, "{}", found[0]);
    }
}
