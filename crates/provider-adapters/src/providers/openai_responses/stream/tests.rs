use serde_json::json;

use super::*;
use crate::{Decoded, Finish, Provider, StreamDecoder};

fn streamed(events: &[Value]) -> Decoded {
    let mut decoder = StreamDecoder::new(Provider::OpenAiResponses);
    for event in events {
        decoder.push_event(&event.to_string(), |_| {}).unwrap();
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
    let without_output = json!({"type": "response.completed", "response": {"status": "completed"}});
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
    let event = |kind: &str, item: &Value| json!({"type": kind, "output_index": 0, "item": item});
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
    let done = json!({"type": "response.output_item.done", "output_index": 0, "item": call("c1")});
    for (output, streamed_text, ids) in [
        (json!([call("c1"), message("hey")]), "hey", vec!["c1"]),
        (
            json!([message("hey"), call("c1"), call("c2")]),
            "hey",
            vec!["c1", "c2"],
        ),
        (json!([call("c0"), call("c1")]), "", vec!["c0", "c1"]),
        (json!([call("renamed")]), "", vec!["renamed"]),
        (json!([]), "", vec!["c1"]),
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
