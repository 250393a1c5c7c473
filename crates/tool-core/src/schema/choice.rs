//! Choices between forms of an object that a tag or the members tell apart, such as the enums of serde.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::query::{resolve, types_of};
use crate::{ValidationIssue, parameter_names, text};

/// A choice between forms of an object: each has another constant under the same name (`{"action": "add", …}`), or other
/// members (`{"add": {…}}`, or the fields of an untagged enum).
#[derive(Debug)]
pub(crate) struct Choice<'s> {
    /// Name of the member with the constant. Without one, the members tell the forms apart.
    tag: Option<&'s str>,
    forms: Vec<Form<'s>>,
}

/// A form of the object.
#[derive(Debug)]
pub(crate) struct Form<'s> {
    /// The constant, if the forms have one.
    constant: Option<&'s str>,
    pub(crate) schema: &'s Value,
    /// Index in the list of the choice.
    pub(crate) index: usize,
}

impl<'s> Choice<'s> {
    /// Returns the choice of a schema, if it has one. Alternatives that are no objects, such as null, don't count.
    pub(crate) fn of(schema: &'s Value, root: &'s Value) -> Option<Self> {
        let branches = branches(schema)?.iter().map(|branch| resolve(branch, root));
        let is_object = |branch: &&Value| {
            let types = types_of(branch);
            types.is_empty() || types.contains(&"object")
        };
        let objects = branches
            .enumerate()
            .filter(|(_, branch)| is_object(branch))
            .collect::<Vec<_>>();
        let mut tags = properties(objects.first()?.1)?.keys();
        let tagged = tags.find_map(|tag| {
            let forms = forms(&objects, |schema| constant_of(schema, tag).map(Some))?;
            are_distinct(forms.iter().map(|form| form.constant))
                .then_some((Some(tag.as_str()), forms))
        });
        let (tag, forms) = tagged.or_else(|| {
            let forms = forms(&objects, |schema| properties(schema).map(|_| None))?;
            let is_choice = forms.len() > 1 || forms.iter().all(Form::is_single);
            let names = forms
                .iter()
                .map(|form| form.names().collect::<BTreeSet<_>>());
            (is_choice && are_distinct(names)).then_some((None, forms))
        })?;
        Some(Self { tag, forms })
    }

    /// Returns the form that an object names by its tag, or else the first of those with most of its members.
    pub(crate) fn selected(&self, object: &Map<String, Value>) -> Option<&Form<'s>> {
        if let Some(tag) = self.tag {
            let value = object.get(tag)?.as_str();
            return self.forms.iter().find(|form| form.constant == value);
        }
        let has = |name: &&str| object.contains_key(*name);
        let fills = |name: &&str| object.get(*name).is_some_and(|value| !is_empty(value));
        let rank = |form: &&Form<'s>| {
            let (filled, common) = (form.names().filter(fills), form.names().filter(has));
            let missing = form.required().filter(|name| !fills(name));
            (
                Reverse(filled.count()),
                Reverse(common.count()),
                missing.count(),
            )
        };
        let best = self.forms.iter().min_by_key(rank);
        best.filter(|form| form.names().any(|name| has(&name)))
    }

    /// Returns whether another form has a member, but not this one.
    pub(crate) fn is_foreign(&self, form: &Form<'_>, name: &str) -> bool {
        !form.has(name) && self.forms.iter().any(|form| form.has(name))
    }

    /// Returns the issue of an object that names no form.
    pub(crate) fn issue(&self, pointer: &str, object: &Map<String, Value>) -> ValidationIssue {
        match self.tag {
            Some(tag) => self.tag_issue(tag, pointer, object),
            None => self.members_issue(pointer, object),
        }
    }

    fn tag_issue(&self, tag: &str, pointer: &str, object: &Map<String, Value>) -> ValidationIssue {
        let names = || self.forms.iter().filter_map(|form| form.constant);
        let quoted: Vec<String> = names().map(|name| format!("\"{name}\"")).collect();
        let one_of = format!("one of {}", quoted.join(", "));
        let issue = match object.get(tag) {
            None => ValidationIssue::new(pointer, "required", one_of, "nothing").with_property(tag),
            Some(value) => {
                let nearest = value.as_str().and_then(|came| text::nearest(came, names()));
                let shown = text::short(&value.to_string(), 100);
                let place = format!("{pointer}/{}", text::escaped(tag));
                ValidationIssue::new(place, "enum", one_of, shown).with_nearest(nearest)
            }
        };
        issue.with_allowed(names().map(Value::from).collect())
    }

    fn members_issue(&self, pointer: &str, object: &Map<String, Value>) -> ValidationIssue {
        let names = || self.forms.iter().flat_map(Form::names);
        let came = object.keys().next().map(String::as_str);
        let nearest = came.and_then(|came| text::nearest(came, names()));
        let came = came.map_or("an empty object".to_owned(), |came| {
            format!("an object with `{}`", text::short(came, 64))
        });
        let labels: Vec<String> = self.forms.iter().map(Form::label).collect();
        let expected = if self.forms.iter().all(Form::is_single) {
            format!("an object with one member: {}", labels.join(" or "))
        } else {
            format!("an object with {}", labels.join(", or with "))
        };
        ValidationIssue::new(pointer, "oneOf", expected, came)
            .with_nearest(nearest)
            .with_allowed(parameter_names::listed(names()))
    }

    /// Returns the issue of a member that other forms have, but not this one.
    pub(crate) fn foreign_issue(
        &self,
        form: &Form<'_>,
        pointer: &str,
        object: &Map<String, Value>,
        name: &str,
    ) -> Option<ValidationIssue> {
        let owners: Vec<&Form<'_>> = self.forms.iter().filter(|form| form.has(name)).collect();
        let owner = owners.first()?;
        let expected = if let Some(tag) = self.tag {
            let owners = owners.iter().filter_map(|form| form.constant);
            let owners: Vec<String> = owners.map(|owner| format!("\"{owner}\"")).collect();
            format!("`{tag}` {}", owners.join(" or "))
        } else {
            let is_between = |own: &&str| object.contains_key(*own) && !owner.has(own);
            format!("a form without `{}`", form.names().find(is_between)?)
        };
        let issue = ValidationIssue::new(pointer, "variant", expected, format!("`{name}`"));
        Some(issue.with_property(name))
    }
}

impl<'s> Form<'s> {
    fn names(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        let names = properties(self.schema).into_iter().flat_map(Map::keys);
        names.map(String::as_str)
    }

    fn required(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        required(self.schema)
    }

    fn has(&self, name: &str) -> bool {
        properties(self.schema).is_some_and(|all| all.contains_key(name))
    }

    /// Returns `true` if the form has one member and requires it.
    fn is_single(&self) -> bool {
        self.names().eq(self.required()) && self.names().count() == 1
    }

    /// Lists the members that the form requires, or those that it may have.
    fn label(&self) -> String {
        let quoted = |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect();
        let required: Vec<String> = quoted(self.required().collect());
        let optional: Vec<String> = quoted(self.names().collect());
        match (required.is_empty(), optional.is_empty()) {
            (false, _) => required.join(" and "),
            (true, false) => optional.join(" or "),
            (true, true) => "no members".to_owned(),
        }
    }
}

/// Returns whether a member only fills a place: providers show one object with the members of all forms, so models fill them.
pub(crate) fn is_empty(value: &Value) -> bool {
    value.is_null() || value == ""
}

/// Returns the alternatives of a schema.
pub(crate) fn branches(schema: &Value) -> Option<&Vec<Value>> {
    match (schema.get("anyOf"), schema.get("oneOf")) {
        (Some(Value::Array(list)), None) | (None, Some(Value::Array(list))) => Some(list),
        _ => None,
    }
}

fn forms<'s>(
    objects: &[(usize, &'s Value)],
    constant: impl Fn(&'s Value) -> Option<Option<&'s str>>,
) -> Option<Vec<Form<'s>>> {
    let form = |&(index, schema): &(usize, &'s Value)| {
        Some(Form {
            constant: constant(schema)?,
            schema,
            index,
        })
    };
    objects.iter().map(form).collect()
}

fn are_distinct<T: Ord>(names: impl Iterator<Item = T> + Clone) -> bool {
    names.clone().collect::<BTreeSet<_>>().len() == names.count()
}

/// Returns the constant that a schema requires under a name.
fn constant_of<'s>(schema: &'s Value, name: &str) -> Option<&'s str> {
    let property = properties(schema)?.get(name)?;
    let constant = property.get("const").or_else(|| {
        let values = property.get("enum")?.as_array()?;
        values.first().filter(|_| values.len() == 1)
    });
    let is_required = required(schema).any(|other| other == name);
    constant?.as_str().filter(|_| is_required)
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tag_or_members_tell_forms_apart() {
        let tagged = |name: &str, value: &str| json!({"type": "object", "properties": {"x": {}, name: {"const": value}}, "required": [name]});
        let with = |required: &[&str], optional: &[&str]| {
            let names = required.iter().chain(optional);
            let all: Map<String, Value> =
                names.map(|name| ((*name).to_owned(), json!({}))).collect();
            json!({"type": "object", "properties": all, "required": required})
        };
        let paths = || {
            json!([
                with(&["path"], &["x"]),
                with(&["path", "line"], &[]),
                with(&["id"], &[])
            ])
        };
        for (list, object, index) in [
            (
                json!([tagged("t", "a"), tagged("t", "b")]),
                json!({"t": "b"}),
                Some(Some(1)),
            ),
            (
                json!([{"type": "null"}, tagged("t", "a")]),
                json!({"t": "a"}),
                Some(Some(1)),
            ),
            (
                json!([tagged("t", "a"), tagged("t", "b")]),
                json!({"t": "c", "x": 1}),
                Some(None),
            ),
            (
                json!([tagged("t", "a"), tagged("t", "a")]),
                json!({"t": "a"}),
                None,
            ),
            (
                json!([tagged("t", "a"), tagged("u", "b")]),
                json!({"u": "a", "x": 1}),
                Some(Some(1)),
            ),
            (
                json!([with(&["a"], &[]), with(&["b"], &[]), {"enum": ["c"]}]),
                json!({"b": 1}),
                Some(Some(1)),
            ),
            (
                json!([with(&["a"], &[]), {"type": "string"}]),
                json!({"a": 1}),
                Some(Some(0)),
            ),
            (
                json!([with(&["a"], &["b"]), {"type": "string"}]),
                json!({"a": 1}),
                None,
            ),
            (paths(), json!({"path": 1}), Some(Some(0))),
            (paths(), json!({"line": 1}), Some(Some(1))),
            (
                paths(),
                json!({"path": 1, "line": 1, "x": ""}),
                Some(Some(1)),
            ),
            (
                paths(),
                json!({"path": "", "line": null, "id": 5}),
                Some(Some(2)),
            ),
            (paths(), json!({"id": ""}), Some(Some(2))),
            (paths(), json!({"y": 1}), Some(None)),
            (
                json!([with(&["a"], &[]), with(&[], &["a"])]),
                json!({"a": 1}),
                None,
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
                .map(|choice| choice.selected(object).map(|form| form.index));
            assert_eq!(found, index, "{schema} {object:?}");
        }
    }
}
