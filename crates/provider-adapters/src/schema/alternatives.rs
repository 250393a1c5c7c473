//! What a merged object says about the alternatives that it replaces: which properties belong together, and what each
//! alternative means.

use std::collections::BTreeSet;

use serde_json::Value;

use super::walk::items;
use crate::Object;

/// Says of each property to which alternatives it belongs, because their merged object doesn't. Returns the tag and what its
/// values mean; without a tag, the properties that tell the alternatives apart say that.
pub(super) fn name_alternatives(branches: &mut [Object]) -> Option<(String, String)> {
    let tag = tag_of(branches);
    let names = match &tag {
        Some(tag) => tag_names(branches, tag),
        None => own_names(branches)?,
    };
    let before = branches.to_vec();
    for (branch, own) in branches.iter_mut().zip(&names) {
        let properties: Vec<String> = properties(branch).map(|(name, _)| name.clone()).collect();
        for property in properties {
            let has = |(branch, _): &(&Object, &Name)| has(branch, &property);
            let owners = before.iter().zip(&names).filter(has).map(|(_, name)| name);
            let owners: Vec<&Name> = owners.collect();
            let is_own = owners
                .iter()
                .any(|owner| owner.properties.contains(&property));
            if owners.len() < before.len() && !is_own {
                let owners: Vec<&str> = owners.iter().map(|owner| owner.text.as_str()).collect();
                let tag = tag.as_ref().map(|tag| format!("`{tag}` "));
                let tag = tag.unwrap_or_default();
                let note = format!("Only with {tag}{}.", owners.join(" or "));
                add_description(branch, &property, &note);
            }
        }
        if let Some(first) = own.properties.first() {
            let others = names.iter().filter(|name| name.text != own.text);
            let others: Vec<&str> = others.map(|name| name.text.as_str()).collect();
            let meaning = description(branch).map(|text| format!("{text} "));
            let note = format!(
                "{}Not with {}.",
                meaning.unwrap_or_default(),
                others.join(" or ")
            );
            add_description(branch, first, &note);
        }
    }
    let meanings = before.iter().zip(&names).filter_map(|(branch, name)| {
        let text = description(branch)?;
        Some(format!("{}: {text}", name.text))
    });
    let meanings: Vec<String> = meanings.collect();
    Some((tag?, meanings.join("\n")))
}

/// What the description of a property calls an alternative.
struct Name {
    text: String,
    /// The properties in the text.
    properties: Vec<String>,
}

fn tag_names(branches: &[Object], tag: &str) -> Vec<Name> {
    let values = branches.iter().filter_map(|branch| tag_value(branch, tag));
    let name = |value| Name {
        text: format!("\"{value}\""),
        properties: Vec::new(),
    };
    values.map(name).collect()
}

/// Names alternatives by the properties that they require and others don't have. Returns nothing if some have none.
fn own_names(branches: &[Object]) -> Option<Vec<Name>> {
    let own = |branch: &Object| {
        let required = items(branch, "required").filter_map(Value::as_str);
        let is_own = |name: &&str| branches.iter().filter(|branch| has(branch, name)).count() == 1;
        let properties: Vec<String> = required.filter(is_own).map(str::to_owned).collect();
        let quoted: Vec<String> = properties.iter().map(|name| format!("`{name}`")).collect();
        let text = quoted.join(" and ");
        (!properties.is_empty()).then_some(Name { text, properties })
    };
    let names = branches.iter().map(own).collect::<Option<Vec<_>>>();
    names.filter(|_| branches.len() > 1)
}

/// Returns the property with another constant in each alternative.
fn tag_of(branches: &[Object]) -> Option<String> {
    let is_tag = |name: &&String| {
        let values = branches.iter().map(|branch| tag_value(branch, name));
        let values: Option<BTreeSet<&str>> = values.collect();
        branches.len() > 1 && values.is_some_and(|values| values.len() == branches.len())
    };
    let mut names = properties(branches.first()?).map(|(name, _)| name);
    names.find(is_tag).cloned()
}

/// Returns the constant of a property, if it has one.
fn tag_value<'b>(branch: &'b Object, name: &str) -> Option<&'b str> {
    let property = branch.get("properties")?.get(name)?;
    match values(property)?.as_slice() {
        [_] => property
            .get("const")
            .or_else(|| property.get("enum")?.get(0))?
            .as_str(),
        _ => None,
    }
}

/// Returns the values that a schema allows, if it lists them.
pub(super) fn values(schema: &Value) -> Option<Vec<Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some(vec![value.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    }
}

fn properties(branch: &Object) -> impl Iterator<Item = (&String, &Value)> {
    let properties = branch.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

fn has(branch: &Object, name: &str) -> bool {
    properties(branch).any(|(own, _)| own == name)
}

fn description(object: &Object) -> Option<&str> {
    object.get("description")?.as_str()
}

/// Adds a sentence to the description of a property.
pub(super) fn add_description(object: &mut Object, name: &str, text: &str) {
    let properties = object.get_mut("properties").and_then(Value::as_object_mut);
    let property = properties.and_then(|properties| properties.get_mut(name));
    if let Some(Value::Object(property)) = property
        && !text.is_empty()
    {
        let own = description(property);
        let text = own.map_or_else(|| text.to_owned(), |own| format!("{own} {text}"));
        property.insert("description".to_owned(), text.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn says_which_properties_of_untagged_alternatives_belong_together() {
        let add = json!({
            "description": "Adds an event.",
            "properties": {"shared": {}, "title": {"description": "Title."}, "minutes": {}},
            "required": ["title"],
        });
        let remove = json!({"properties": {"shared": {}, "id": {}}, "required": ["id"]});
        let mut branches = [add, remove].map(|branch| branch.as_object().unwrap().clone());

        assert_eq!(name_alternatives(&mut branches), None);

        let [add, remove] = branches.map(|mut branch| branch.remove("properties").unwrap());
        assert_eq!(
            add,
            json!({
                "shared": {},
                "title": {"description": "Title. Adds an event. Not with `id`."},
                "minutes": {"description": "Only with `title`."},
            })
        );
        assert_eq!(
            remove,
            json!({"shared": {}, "id": {"description": "Not with `title`."}})
        );
    }
}
