//! Conversion of `oneOf` to the weaker `anyOf`.

use tool_core::LossKind;

use super::Losses;
use crate::Object;

/// Converts `oneOf` to `anyOf`, with a loss. If the schema already has `anyOf`, `oneOf` is dropped.
pub(crate) fn weaken_one_of(object: &mut Object, losses: &mut Losses) {
    let Some(branches) = object.shift_remove("oneOf") else {
        return;
    };
    if object.contains_key("anyOf") {
        let detail = "the provider does not support `oneOf` next to `anyOf`";
        losses.add_at(object, "oneOf", LossKind::Dropped, detail);
        return;
    }
    let detail = "converted to `anyOf`, which also allows values that match several alternatives";
    losses.add_at(object, "oneOf", LossKind::Widened, detail);
    object.insert("anyOf".to_owned(), branches);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn converts_one_of_to_any_of_with_loss() {
        let mut schema = json!({"oneOf": [{}, {}]});
        let mut losses = Losses::new("f");

        weaken_one_of(schema.as_object_mut().unwrap(), &mut losses);

        assert_eq!(schema, json!({"anyOf": [{}, {}]}));
        assert_eq!(losses.distinct()[0].action, LossKind::Widened);
    }
}
