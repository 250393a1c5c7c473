//! The parts of an assistant turn keep their order on the way back to the provider.

use serde_json::{Value, json};

use crate::{Decoded, Message, Provider, StreamDecoder, ToolMessage, Transcript, decode, encode};

pub(super) fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text, "signature": format!("signature of {text}")})
}

pub(super) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub(super) fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "f", "input": {"path": id}})
}

/// Returns a call that Anthropic runs itself, and its result.
pub(super) fn server_call(id: &str) -> [Value; 2] {
    [
        json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": id}}),
        json!({"type": "web_search_tool_result", "tool_use_id": id, "content": []}),
    ]
}

fn anthropic_turns() -> Vec<Vec<Value>> {
    let redacted = json!({"type": "redacted_thinking", "data": "c2VhbGVk"});
    let [search, found] = server_call("srvtoolu_1");
    vec![
        vec![thinking("1"), call("a"), thinking("2"), call("b")],
        vec![thinking("1"), call("a"), redacted, call("b")],
        vec![text("First."), call("a"), text("Then, é."), call("b")],
        vec![thinking("1"), call("a"), thinking("2")],
        vec![
            thinking("1"),
            text("A"),
            thinking("2"),
            text("B"),
            call("a"),
        ],
        vec![thinking("1"), search.clone(), text("A"), call("a")],
        vec![
            text("A"),
            thinking("1"),
            search,
            found,
            text("B"),
            call("a"),
        ],
        vec![call("a"), call("b"), text("Both.")],
    ]
}

fn bedrock_turns() -> Vec<Vec<Value>> {
    let thinking = |text: &str| json!({"reasoningContent": {"reasoningText": {"text": text, "signature": "s"}}});
    let text = |text: &str| json!({"text": text});
    let call = |id: &str| json!({"toolUse": {"toolUseId": id, "name": "f", "input": {"path": id}}});
    let redacted = json!({"reasoningContent": {"redactedContent": "c2VhbGVk"}});
    vec![
        vec![thinking("1"), call("a"), thinking("2"), call("b")],
        vec![thinking("1"), call("a"), redacted, call("b")],
        vec![text("First."), call("a"), text("Then, é."), call("b")],
        vec![thinking("1"), call("a"), thinking("2")],
        vec![
            thinking("1"),
            text("A"),
            thinking("2"),
            text("B"),
            call("a"),
        ],
        vec![call("a"), call("b"), text("Both.")],
    ]
}

/// Returns every turn with its provider, and the complete response that contains it.
fn turns() -> Vec<(Provider, Vec<Value>, Value)> {
    let anthropic = anthropic_turns().into_iter().map(|turn| {
        let response = json!({"content": turn, "stop_reason": "tool_use"});
        (Provider::Anthropic, turn, response)
    });
    let bedrock = bedrock_turns().into_iter().map(|turn| {
        let message = json!({"role": "assistant", "content": turn});
        let response = json!({"output": {"message": message}, "stopReason": "tool_use"});
        (Provider::Bedrock, turn, response)
    });
    let sampled = vec![text("A"), call("a"), text("B"), call("b")];
    let response = json!({"role": "assistant", "content": sampled, "stopReason": "toolUse"});
    let mcp = (Provider::Mcp, sampled, json!({"result": response}));
    anthropic.chain(bedrock).chain([mcp]).collect()
}

/// Returns a conversation with a response and the results of its calls.
pub(super) fn conversation(decoded: Decoded) -> Transcript {
    let answers: Vec<ToolMessage> = decoded
        .calls
        .iter()
        .map(|call| ToolMessage::new(&call.id, &call.name, "done"))
        .collect();
    let mut transcript = Transcript::from(vec![Message::user("Go")]);
    transcript.push(decoded);
    transcript.push(Message::tool(answers));
    transcript
}

/// Returns the content of the assistant message in the request. Nothing may be lost.
pub(super) fn sent_back(provider: Provider, transcript: &Transcript) -> Value {
    let encoded = encode(provider, transcript, None);
    assert_eq!(encoded.losses, []);
    encoded.body["messages"][1]["content"].clone()
}

#[test]
fn turn_is_sent_back_in_order() {
    for (provider, turn, response) in turns() {
        let decoded = decode(provider, &response, None).unwrap();

        let sent = sent_back(provider, &conversation(decoded));

        assert_eq!(sent, json!(turn), "{provider}");
    }
}

#[test]
fn saved_transcript_keeps_order() {
    for (provider, turn, response) in turns() {
        let decoded = decode(provider, &response, None).unwrap();
        let saved = serde_json::to_string(&conversation(decoded)).unwrap();

        let loaded: Transcript = serde_json::from_str(&saved).unwrap();

        assert_eq!(sent_back(provider, &loaded), json!(turn), "{provider}");
    }
}

/// Returns the halves of a string.
fn halves(text: &str) -> [&str; 2] {
    let (first, second) = text.split_at(text.len() / 2);
    [first, second]
}

/// Returns the start of a streamed block, and its deltas.
fn anthropic_events(block: &Value) -> (Value, Vec<Value>) {
    let mut start = block.clone();
    let input = block["input"].to_string();
    let (kind, key, whole) = match block["type"].as_str() {
        Some("text") => ("text_delta", "text", block["text"].as_str().unwrap()),
        Some("thinking") => (
            "thinking_delta",
            "thinking",
            block["thinking"].as_str().unwrap(),
        ),
        Some("tool_use" | "server_tool_use") => {
            start["input"] = json!({});
            ("input_json_delta", "partial_json", input.as_str())
        }
        _ => return (start, Vec::new()),
    };
    if kind != "input_json_delta" {
        start[key] = "".into();
    }
    let deltas = halves(whole).map(|half| json!({"type": kind, (key): half}));
    let mut deltas = deltas.to_vec();
    if let Some(signature) = block.get("signature") {
        start["signature"] = "".into();
        deltas.push(json!({"type": "signature_delta", "signature": signature}));
    }
    (start, deltas)
}

fn anthropic_stream(turn: &[Value]) -> Vec<Value> {
    let mut events = vec![json!({"type": "message_start", "message": {"content": []}})];
    for (index, block) in turn.iter().enumerate() {
        let (start, deltas) = anthropic_events(block);
        let start = json!({"type": "content_block_start", "index": index, "content_block": start});
        events.push(start);
        events.extend(
            deltas.into_iter().map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
    events.push(json!({"type": "message_stop"}));
    events
}

fn bedrock_deltas(block: &Value) -> Vec<Value> {
    if let Some(text) = block["text"].as_str() {
        return halves(text).map(|half| json!({"text": half})).to_vec();
    }
    if block.get("toolUse").is_some() {
        let input = block["toolUse"]["input"].to_string();
        return halves(&input)
            .map(|half| json!({"toolUse": {"input": half}}))
            .to_vec();
    }
    let content = &block["reasoningContent"];
    match content.get("reasoningText") {
        Some(words) => ["text", "signature"]
            .map(|key| json!({"reasoningContent": {(key): words[key]}}))
            .to_vec(),
        None => vec![json!({"reasoningContent": content})],
    }
}

fn bedrock_stream(turn: &[Value]) -> Vec<Value> {
    let mut events = vec![json!({"messageStart": {"role": "assistant"}})];
    for (index, block) in turn.iter().enumerate() {
        if let Some(call) = block.get("toolUse") {
            let start = json!({"toolUse": {"toolUseId": call["toolUseId"], "name": call["name"]}});
            events.push(json!({"contentBlockStart": {"contentBlockIndex": index, "start": start}}));
        }
        events.extend(bedrock_deltas(block).into_iter().map(
            |delta| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}}),
        ));
        events.push(json!({"contentBlockStop": {"contentBlockIndex": index}}));
    }
    events.push(json!({"messageStop": {"stopReason": "tool_use"}}));
    events
}

#[test]
fn streamed_turn_is_sent_back_in_order() {
    for (provider, turn, response) in turns() {
        let events = match provider {
            Provider::Anthropic => anthropic_stream(&turn),
            Provider::Bedrock => bedrock_stream(&turn),
            _ => vec![response.clone()],
        };
        let mut decoder = StreamDecoder::new(provider);
        for event in &events {
            decoder.push_event(&event.to_string(), |_| {}).unwrap();
        }

        let streamed = decoder.finish(None);

        assert_eq!(streamed, decode(provider, &response, None).unwrap());
        let sent = sent_back(provider, &conversation(streamed));
        assert_eq!(sent, json!(turn), "{provider}");
    }
}

/// Returns the content of the assistant message for a conversation that starts with these messages.
fn encoded(provider: Provider, messages: Value) -> (Value, Vec<String>) {
    let transcript: Transcript = serde_json::from_value(messages).unwrap();
    let encoded = encode(provider, &transcript, None);
    let losses = encoded.losses.into_iter().map(|loss| loss.pointer);
    (
        encoded.body["messages"][1]["content"].clone(),
        losses.collect(),
    )
}

/// Returns an assistant message as it was saved before messages had an order, with the blocks of
/// Anthropic that it contains.
fn saved_without_order() -> (Value, [Value; 4]) {
    let blocks = [thinking("1"), text("I read."), call("a"), call("b")];
    let thought = json!({"text": "1", "provider_data": blocks[0]});
    let calls = ["a", "b"].map(|id| json!({"id": id, "name": "f", "arguments": {"path": id}}));
    let message = json!({
        "role": "assistant", "content": "I read.", "calls": calls, "reasoning": [thought],
    });
    (message, blocks)
}

fn answered(message: &Value) -> Value {
    let results = ["a", "b"].map(|id| json!({"call_id": id, "name": "f", "content": "done"}));
    json!([
        {"role": "user", "content": "Go"}, message, {"role": "tool", "results": results},
    ])
}

#[test]
fn transcript_without_order_loads_and_is_saved_unchanged() {
    let (message, blocks) = saved_without_order();

    let loaded: Message = serde_json::from_value(message.clone()).unwrap();

    assert_eq!(serde_json::to_value(&loaded).unwrap(), message);
    let (content, losses) = encoded(Provider::Anthropic, answered(&message));
    assert_eq!((content, losses), (json!(blocks), vec![]));
}

#[test]
fn paused_message_without_order_ends_with_its_call() {
    let [search, _] = server_call("srvtoolu_1");
    let reasoning = [&thinking("1"), &search].map(|block| json!({"provider_data": block}));
    let message = json!({"role": "assistant", "content": "I search.", "reasoning": reasoning});

    let (content, _) = encoded(
        Provider::Anthropic,
        json!([{"role": "user", "content": "Go"}, message]),
    );

    assert_eq!(content, json!([thinking("1"), text("I search."), search]));
}

#[test]
fn turn_in_usual_order_stores_no_order() {
    let (_, blocks) = saved_without_order();
    let response = json!({"content": blocks, "stop_reason": "tool_use"});

    let decoded = decode(Provider::Anthropic, &response, None).unwrap();

    assert_eq!(decoded.order, []);
}

#[test]
fn order_that_does_not_fit_loses_nothing() {
    let (message, [thought, words, first, second]) = saved_without_order();
    for (order, expected) in [
        // Lists only one of the calls.
        (
            json!(["call", "reasoning"]),
            [&first, &thought, &words, &second],
        ),
        // Lists more calls and blocks than there are.
        (
            json!(["call", "reasoning", "call", "reasoning", "call", {"text": {"bytes": 7}}]),
            [&first, &thought, &second, &words],
        ),
        // The text was edited, and is shorter or longer than before.
        (
            json!([{"text": {"bytes": 90}}, "call", {"text": {"bytes": 2}}, "reasoning", "call"]),
            [&first, &words, &thought, &second],
        ),
        (
            json!([{"text": {"bytes": 1}}, "call", {"text": {"bytes": 2}}, "reasoning", "call"]),
            [&first, &words, &thought, &second],
        ),
    ] {
        let mut message = message.clone();
        message["order"] = order.clone();

        let (content, losses) = encoded(Provider::Anthropic, answered(&message));

        assert_eq!((content, losses), (json!(expected), vec![]), "{order}");
    }
}

#[test]
fn lengths_inside_a_character_do_not_split_text() {
    let message = json!({"role": "assistant", "content": "éé", "calls": [
        {"id": "a", "name": "f", "arguments": {"path": "a"}},
        {"id": "b", "name": "f", "arguments": {"path": "b"}},
    ], "order": [{"text": {"bytes": 1}}, "call", {"text": {"bytes": 3}}, "call"]});

    let (content, _) = encoded(Provider::Anthropic, answered(&message));

    assert_eq!(content, json!([call("a"), text("éé"), call("b")]));
}

#[test]
fn call_without_result_keeps_its_place() {
    let turn = [thinking("1"), call("a"), thinking("2"), call("b")];
    let response = json!({"content": turn, "stop_reason": "tool_use"});
    let mut transcript = Transcript::from(vec![Message::user("Go")]);
    transcript.push(decode(Provider::Anthropic, &response, None).unwrap());
    transcript.push(Message::tool([ToolMessage::new("b", "f", "done")]));

    let encoded = encode(Provider::Anthropic, &transcript, None);

    assert_eq!(encoded.body["messages"][1]["content"], json!(turn));
    let results = &encoded.body["messages"][2]["content"];
    let ids = [&results[0]["tool_use_id"], &results[1]["tool_use_id"]];
    assert_eq!(
        (ids, results[0]["is_error"].clone()),
        ([&json!("a"), &json!("b")], json!(true))
    );
    assert_eq!(encoded.losses[0].pointer, "/1/calls/0");
}

#[test]
fn reasoning_of_another_provider_leaves_the_rest_in_order() {
    let turn = [text("A"), call("a"), thinking("1"), text("B"), call("b")];
    let response = json!({"content": turn, "stop_reason": "tool_use"});
    let decoded = decode(Provider::Anthropic, &response, None).unwrap();
    let transcript = conversation(decoded);

    let encoded = encode(Provider::Bedrock, &transcript, None);

    let call = |id: &str| json!({"toolUse": {"toolUseId": id, "name": "f", "input": {"path": id}}});
    assert_eq!(
        encoded.body["messages"][1]["content"],
        json!([{"text": "A"}, call("a"), {"text": "B"}, call("b")])
    );
    assert_eq!(encoded.losses[0].pointer, "/1/reasoning/0");
}

#[test]
fn provider_without_an_order_receives_all_texts_and_calls() {
    let turn = [text("A"), call("a"), thinking("1"), text("B"), call("b")];
    let response = json!({"content": turn, "stop_reason": "tool_use"});
    let decoded = decode(Provider::Anthropic, &response, None).unwrap();

    let encoded = encode(Provider::OpenAi, &conversation(decoded), None);

    let message = &encoded.body["messages"][1];
    let ids: Vec<&Value> = ["/0/id", "/1/id"]
        .iter()
        .filter_map(|id| message["tool_calls"].pointer(id))
        .collect();
    assert_eq!(
        (&message["content"], ids),
        (&json!("A\nB"), vec![&json!("a"), &json!("b")])
    );
}

#[test]
fn calls_of_a_serialized_response_carry_the_order() {
    for (provider, turn, response) in turns() {
        let has_reasoning = turn.iter().any(|block| {
            block.get("reasoningContent").is_some() || block.get("thinking").is_some()
        });
        if !has_reasoning {
            continue;
        }
        let decoded = decode(provider, &response, None).unwrap();
        let written = serde_json::to_value(&decoded).unwrap();
        let calls = written["calls"].as_array().unwrap().iter().map(|call| {
            json!({"id": call["id"], "name": call["name"], "arguments": call["arguments"],
                "provider_data": call["provider_data"]})
        });
        let calls: Vec<Value> = calls.collect();
        let message = json!({"role": "assistant", "content": written["text"], "calls": calls});
        let mut messages = answered(&message);
        if calls.len() == 1 {
            messages[2]["results"].as_array_mut().unwrap().pop();
        }

        let (content, losses) = encoded(provider, messages);

        assert_eq!((content, losses), (json!(turn), vec![]), "{provider}");
    }
}
