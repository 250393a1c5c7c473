//! Merging of streamed items with those in the last event.

use std::collections::HashMap;

use serde_json::Value;

use super::item::Item;
use crate::Object;
use crate::decoded::read;

/// Adds items to `streamed` that only the last event contains. A streamed item takes precedence,
/// unless none of its content was streamed.
pub(super) fn merge_items(streamed: Vec<Item>, listed: Option<&Value>) -> Vec<Item> {
    let listed: Vec<&Object> = listed
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    let pairs = ItemPairs::new(&streamed, &listed);
    // Items before the first streamed item and after each one.
    let mut gaps: Vec<Vec<Item>> = Vec::new();
    gaps.resize_with(streamed.len() + 1, Vec::new);
    let mut whole: HashMap<usize, &Object> = HashMap::new();
    let mut gap = 0;
    for (item, place) in listed.iter().zip(pairs.places) {
        if let Some(place) = place {
            whole.insert(place, item);
            gap = place + 1;
        } else if let Some(gap) = gaps.get_mut(gap) {
            gap.push(Item::complete_from((*item).clone()));
        }
    }
    let mut gaps = gaps.into_iter();
    let mut items = gaps.next().unwrap_or_default();
    for ((place, item), after) in streamed.into_iter().enumerate().zip(gaps) {
        items.push(match whole.get(&place) {
            Some(listed) if item.has_no_streamed_content() && has_content(listed) => {
                Item::complete_from((*listed).clone())
            }
            _ => item,
        });
        items.extend(after);
    }
    items
}

/// Index of the streamed item for each item of the last event.
struct ItemPairs {
    places: Vec<Option<usize>>,
    used: Vec<bool>,
}

impl ItemPairs {
    fn new(streamed: &[Item], listed: &[&Object]) -> Self {
        let mut pairs = Self {
            places: vec![None; listed.len()],
            used: vec![false; streamed.len()],
        };
        let listed = || listed.iter().copied().enumerate();
        for key in ["call_id", "id"] {
            let streamed = streamed.iter().map(|item| named(&item.value, key));
            pairs.pair(streamed, listed().map(|(_, item)| named(item, key)));
        }
        let numbered = streamed.iter().map(|item| {
            let index = item.index?.to_string();
            Some((kind(&item.value).to_owned(), index))
        });
        pairs.pair(
            numbered,
            listed().map(|(at, item)| Some((kind(item).to_owned(), at.to_string()))),
        );
        // Gateways omit items from the last event, so positions may differ. Calls are identified by
        // their ids only.
        let streamed_text = |item: &Object| {
            Some((kind(item).to_owned(), String::new())).filter(|(kind, _)| !kind.contains("call"))
        };
        pairs.pair(
            streamed.iter().map(|item| streamed_text(&item.value)),
            listed().map(|(_, item)| streamed_text(item)),
        );
        pairs
    }

    /// Pairs items with equal keys, in order.
    fn pair(
        &mut self,
        streamed: impl Iterator<Item = Option<(String, String)>>,
        listed: impl Iterator<Item = Option<(String, String)>>,
    ) {
        let mut free: HashMap<(String, String), Vec<usize>> = HashMap::new();
        for (place, key) in streamed.enumerate() {
            if let (Some(key), Some(false)) = (key, self.used.get(place)) {
                free.entry(key).or_default().push(place);
            }
        }
        for places in free.values_mut() {
            places.reverse();
        }
        for (slot, key) in self.places.iter_mut().zip(listed) {
            let found = key
                .filter(|_| slot.is_none())
                .and_then(|key| free.get_mut(&key)?.pop());
            if let Some(used) = found.and_then(|place| self.used.get_mut(place)) {
                *used = true;
                *slot = found;
            }
        }
    }
}

fn kind(item: &Object) -> &str {
    read::text(item, "type")
}

/// Returns the kind of an item and its id under `key`.
fn named(item: &Object, key: &str) -> Option<(String, String)> {
    let name = read::text(item, key);
    (!name.is_empty()).then(|| (kind(item).to_owned(), name.to_owned()))
}

fn has_content(item: &Object) -> bool {
    let is_filled = |value: &Value| match value {
        Value::Array(parts) => !parts.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => false,
    };
    ["content", "summary", "arguments", "input"]
        .iter()
        .any(|key| item.get(*key).is_some_and(is_filled))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Decoded, Finish, Provider, StreamDecoder};

    use super::*;

    fn streamed(events: &[Value]) -> Decoded {
        let mut decoder = StreamDecoder::new(Provider::OpenAiResponses);
        for event in events {
            decoder.push_value(event, |_| {}).unwrap();
        }
        decoder.finish(None)
    }

    fn text(delta: &str) -> Value {
        json!({"type": "response.output_text.delta", "output_index": 0, "delta": delta})
    }

    fn end(output: &Value) -> Value {
        json!({"type": "response.completed", "response": {"status": "completed", "output": output}})
    }

    fn message(streamed_text: &str) -> Value {
        json!({"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": streamed_text}]})
    }

    fn call(id: &str) -> Value {
        json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"})
    }

    #[test]
    fn keeps_text_without_item_unless_final_item_has_it() {
        let without_output =
            json!({"type": "response.completed", "response": {"status": "completed"}});
        for (last, expected) in [
            (end(&json!([])), "hey"),
            (without_output, "hey"),
            (end(&json!([message("hey you")])), "hey you"),
            (end(&json!([{"type": "message", "content": []}])), "hey"),
        ] {
            let decoded = streamed(&[text("h"), text("ey"), last]);

            assert_eq!(
                (decoded.text.as_str(), decoded.finish),
                (expected, Finish::Stop)
            );
        }
    }

    #[test]
    fn matches_item_that_follows_its_text() {
        let without_number = json!({"type": "response.output_text.delta", "delta": "hey"});
        let event =
            |kind: &str, item: &Value| json!({"type": kind, "output_index": 0, "item": item});
        let empty = json!({"type": "message", "content": []});
        let done = event("response.output_item.done", &message("hey"));
        for first in [text("hey"), without_number] {
            for then in [
                vec![done.clone()],
                vec![event("response.output_item.added", &empty), done.clone()],
            ] {
                let events = [
                    vec![first.clone()],
                    then,
                    vec![end(&json!([message("hey")]))],
                ]
                .concat();

                assert_eq!(streamed(&events).text, "hey", "{events:?}");
            }
        }
    }

    #[test]
    fn keeps_refusal_without_item() {
        let refused = json!({"type": "response.refusal.delta", "output_index": 0, "delta": "No."});

        let decoded = streamed(&[refused, end(&json!([]))]);

        assert_eq!(
            (decoded.text.as_str(), decoded.finish),
            ("No.", Finish::Filtered)
        );
    }

    #[test]
    fn adds_items_of_last_event_once_and_in_order() {
        let added =
            json!({"type": "response.output_item.added", "output_index": 0, "item": call("c1")});
        let done =
            json!({"type": "response.output_item.done", "output_index": 0, "item": call("c1")});
        for (output, streamed_text, ids) in [
            (json!([call("c1"), message("hey")]), "hey", vec!["c1"]),
            (
                json!([message("hey"), call("c1"), call("c2")]),
                "hey",
                vec!["c1", "c2"],
            ),
            (json!([call("c0"), call("c1")]), "", vec!["c0", "c1"]),
            (json!([call("renamed")]), "", vec!["c1"]),
        ] {
            let decoded = streamed(&[added.clone(), done.clone(), end(&output)]);

            let reported: Vec<&str> = decoded.calls.iter().map(|call| call.id.as_str()).collect();
            assert_eq!(
                (decoded.text.as_str(), reported),
                (streamed_text, ids),
                "{output}"
            );
        }
    }

    #[test]
    fn separates_text_from_call_with_same_index() {
        let added =
            json!({"type": "response.output_item.added", "output_index": 0, "item": call("c1")});

        let decoded = streamed(&[added, text("hey"), end(&json!([call("c1")]))]);

        assert_eq!((decoded.text.as_str(), decoded.calls.len()), ("hey", 1));
    }
}
