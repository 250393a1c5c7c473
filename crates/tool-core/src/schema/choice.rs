//! Choices between forms of an object that a member tells apart, such as the enums of serde.

use serde_json::{Map, Value};

use super::query::{resolve, types_of};
use crate::{ValidationIssue, text};

/// A choice between forms of an object: each has another constant under the same name (`{"action": "add", …}`), or another
/// single member (`{"add": {…}}`).
#[derive(Debug)]
pub(crate) struct Choice<'s> {
    tag: Tag<'s>,
    forms: Vec<Form<'s>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag<'s> {
    /// Name of the member with the constant.
    Member(&'s str),
    /// The only member of the object.
    Key,
}

/// A form of the object.
#[derive(Debug)]
pub(crate) struct Form<'s> {
    /// The constant, or the name of the single member.
    name: &'s str,
    pub(crate) schema: &'s Value,
    /// Index in the list of the choice.
    pub(crate) index: usize,
}

impl<'s> Choice<'s> {
    /// Returns the choice of a schema, if it has one. Alternatives that are no objects, such as null, don't count.
    pub(crate) fn of(schema: &'s Value, root: &'s Value) -> Option<Self> {
        let lists = (schema.get("anyOf"), schema.get("oneOf"));
        let ((Some(Value::Array(list)), None) | (None, Some(Value::Array(list)))) = lists else {
            return None;
        };
        let branches = list.iter().map(|branch| resolve(branch, root));
        let is_object = |branch: &&Value| {
            let types = types_of(branch);
            types.is_empty() || types.contains(&"object")
        };
        let objects = branches
            .enumerate()
            .filter(|(_, branch)| is_object(branch))
            .collect::<Vec<_>>();
        let candidates = properties(objects.first()?.1)?.keys();
        let mut tags = candidates.map(|name| Tag::Member(name)).chain([Tag::Key]);
        tags.find_map(|tag| {
            let form = |(index, schema): &(usize, &'s Value)| {
                let (index, schema) = (*index, *schema);
                let name = tag.name_in(schema)?;
                Some(Form {
                    name,
                    schema,
                    index,
                })
            };
            let forms = objects.iter().map(form).collect::<Option<Vec<_>>>()?;
            let has_distinct_names = (1..forms.len()).all(|end| {
                let mut earlier = forms.iter().take(end);
                earlier.all(|form| Some(form.name) != forms.get(end).map(|form| form.name))
            });
            has_distinct_names.then_some(Self { tag, forms })
        })
    }

    /// Returns the form that an object names.
    pub(crate) fn selected(&self, object: &Map<String, Value>) -> Option<&Form<'s>> {
        let mut forms = self.forms.iter();
        match self.tag {
            Tag::Member(name) => {
                let value = object.get(name)?.as_str()?;
                forms.find(|form| form.name == value)
            }
            Tag::Key => forms.find(|form| object.contains_key(form.name)),
        }
    }

    /// Returns whether another form has a member, but not this one.
    pub(crate) fn is_foreign(&self, form: &Form<'_>, name: &str) -> bool {
        let has =
            |form: &Form<'_>| properties(form.schema).is_some_and(|all| all.contains_key(name));
        !has(form) && self.forms.iter().any(has)
    }

    /// Returns the issue of an object that names no form.
    pub(crate) fn issue(&self, pointer: &str, object: &Map<String, Value>) -> ValidationIssue {
        let names = || self.forms.iter().map(|form| form.name);
        let allowed: Vec<Value> = names().map(Value::from).collect();
        let one_of = || {
            let quoted: Vec<String> = names().map(|name| format!("\"{name}\"")).collect();
            format!("one of {}", quoted.join(", "))
        };
        let issue = match self.tag {
            Tag::Member(tag) => match object.get(tag) {
                None => ValidationIssue::new(pointer, "required", one_of(), "nothing")
                    .with_property(tag),
                Some(value) => {
                    let nearest = value.as_str().and_then(|came| text::nearest(came, names()));
                    let shown = text::short(&value.to_string(), 100);
                    let place = format!("{pointer}/{}", tag.replace('~', "~0").replace('/', "~1"));
                    ValidationIssue::new(place, "enum", one_of(), shown).with_nearest(nearest)
                }
            },
            Tag::Key => {
                let came = object.keys().next().map(String::as_str);
                let nearest = came.and_then(|came| text::nearest(came, names()));
                let came = came.map_or("an empty object".to_owned(), |came| {
                    format!("an object with `{}`", text::short(came, 64))
                });
                let keys: Vec<String> = names().map(|name| format!("`{name}`")).collect();
                let expected = format!("an object with one member: {}", keys.join(" or "));
                ValidationIssue::new(pointer, "oneOf", expected, came).with_nearest(nearest)
            }
        };
        issue.with_allowed(allowed)
    }

    /// Returns the issue of a member that belongs to other forms.
    pub(crate) fn foreign_issue(&self, pointer: &str, name: &str) -> Option<ValidationIssue> {
        let Tag::Member(tag) = self.tag else {
            return None;
        };
        let has =
            |form: &&Form<'_>| properties(form.schema).is_some_and(|all| all.contains_key(name));
        let owners: Vec<String> = self
            .forms
            .iter()
            .filter(has)
            .map(|form| format!("\"{}\"", form.name))
            .collect();
        if owners.is_empty() {
            return None;
        }
        let expected = format!("`{tag}` {}", owners.join(" or "));
        let issue = ValidationIssue::new(pointer, "variant", expected, format!("`{name}`"));
        Some(issue.with_property(name))
    }
}

impl<'s> Tag<'s> {
    /// Returns the name of a form, if the tag has one in it.
    fn name_in(self, schema: &'s Value) -> Option<&'s str> {
        let mut required = schema
            .get("required")?
            .as_array()?
            .iter()
            .filter_map(Value::as_str);
        match self {
            Self::Member(name) => {
                let property = properties(schema)?.get(name)?;
                let constant = property.get("const").or_else(|| {
                    let values = property.get("enum")?.as_array()?;
                    values.first().filter(|_| values.len() == 1)
                });
                required
                    .any(|other| other == name)
                    .then_some(constant?.as_str()?)
            }
            Self::Key => {
                let (name, more) = (required.next()?, required.next());
                let properties = properties(schema)?;
                let is_single = more.is_none() && properties.len() == 1;
                (is_single && properties.contains_key(name)).then_some(name)
            }
        }
    }
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tag_or_single_member_tells_forms_apart() {
        let tagged = |name: &str, value: &str| json!({"type": "object", "properties": {"x": {}, name: {"const": value}}, "required": [name]});
        let keyed =
            |name: &str| json!({"type": "object", "properties": {name: {}}, "required": [name]});
        for (list, object, form) in [
            (
                json!([tagged("t", "a"), tagged("t", "b")]),
                json!({"t": "b"}),
                Some(Some("b")),
            ),
            (
                json!([tagged("t", "a"), {"type": "null"}]),
                json!({"t": "a"}),
                Some(Some("a")),
            ),
            (
                json!([tagged("t", "a"), tagged("t", "b")]),
                json!({"t": "c"}),
                Some(None),
            ),
            (
                json!([tagged("t", "a"), tagged("t", "a")]),
                json!({"t": "a"}),
                None,
            ),
            (
                json!([tagged("t", "a"), tagged("u", "b")]),
                json!({"t": "a"}),
                None,
            ),
            (
                json!([keyed("a"), keyed("b"), {"enum": ["c"]}]),
                json!({"b": 1}),
                Some(Some("b")),
            ),
            (
                json!([{"type": "string"}, {"type": "integer"}]),
                json!({}),
                None,
            ),
        ] {
            let schema = json!({"oneOf": list});

            let choice = Choice::of(&schema, &schema);

            let object = object.as_object().unwrap();
            let found = choice
                .as_ref()
                .map(|choice| choice.selected(object).map(|form| form.name));
            assert_eq!(found, form, "{schema} {object:?}");
        }
    }
}
