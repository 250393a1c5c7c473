//! `oneOf` in the weaker words of `anyOf`.

use serde_json::{Map, Value};
use tool_core::LossKind;

use super::Losses;
use super::place::place_of;

/// Says `oneOf` as `anyOf`, with a loss. Beside an `anyOf` it is dropped.
pub(crate) fn weaken_one_of(object: &mut Map<String, Value>, losses: &mut Losses) {
    let Some(branches) = object.shift_remove("oneOf") else {
        return;
    };
    let pointer = place_of(object, "oneOf");
    if object.contains_key("anyOf") {
        let detail = "beside `anyOf` the provider has no form for it";
        losses.add(pointer, "oneOf", LossKind::Dropped, detail);
        return;
    }
    let detail = "said as `anyOf`: a value that fits several alternatives is allowed too";
    losses.add(pointer, "oneOf", LossKind::Widened, detail);
    object.insert("anyOf".to_owned(), branches);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_of_becomes_any_of_with_a_loss() {
        let mut schema = json!({"oneOf": [{}, {}]});
        let mut losses = Losses::new("f");

        weaken_one_of(schema.as_object_mut().unwrap(), &mut losses);

        assert_eq!(schema, json!({"anyOf": [{}, {}]}));
        assert_eq!(losses.distinct()[0].action, LossKind::Widened);
    }
}
