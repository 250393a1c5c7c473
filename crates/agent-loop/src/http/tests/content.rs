//! Content other than text: images of users, and calls that the provider runs itself.

use provider_adapters::{Block, Content, Reasoning};

use super::*;
use crate::model::repeating;

fn search() -> Value {
    json!({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "tulips"}})
}

fn found() -> Value {
    json!({"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{"type": "web_search_result",
        "title": "Tulips", "url": "https://example.org", "encrypted_content": "abc"}]})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Returns a complete reply, or its events.
fn reply(blocks: &[Value], stop: &str, streams: bool) -> ResponseTemplate {
    if !streams {
        let body = json!({"content": blocks, "stop_reason": stop});
        return ResponseTemplate::new(200).set_body_json(body);
    }
    let mut events = vec![json!({"type": "message_start", "message": {"usage": {}}})];
    for (index, block) in blocks.iter().enumerate() {
        let mut start = block.clone();
        let input = start.get_mut("input").map(Value::take);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        if let Some(input) = input {
            let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop}}));
    events.push(json!({"type": "message_stop"}));
    let lines: Vec<String> = events
        .iter()
        .map(|event| format!("data: {event}"))
        .collect();
    let body = lines.join(
        "

",
    ) + "

";
    ResponseTemplate::new(200).set_body_raw(body, "text/event-stream")
}

#[tokio::test]
async fn paused_reply_is_sent_back_with_calls_of_the_provider() {
    for streams in [false, true] {
        let server = MockServer::start().await;
        for response in [
            reply(&[text("I search. "), search()], "pause_turn", streams),
            reply(&[found(), text("They are red.")], "end_turn", streams),
        ] {
            let answer = Mock::given(method("POST")).respond_with(response);
            answer.up_to_n_times(1).mount(&server).await;
        }
        let agent = AgentLoop::new(
            registry(),
            model(Provider::Anthropic, &server).with_stream(streams),
        );

        let outcome = agent.run("What color are tulips?").await;

        assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
        assert_eq!(outcome.reply.as_deref(), Some("I search. They are red."));
        let requests = server.received_requests().await.unwrap();
        let body: Value = requests[1].body_json().unwrap();
        assert_eq!(
            body["messages"][1],
            json!({"role": "assistant", "content": [text("I search. "), search()]})
        );
        let stored = serde_json::to_string(&outcome.transcript).unwrap();
        assert!(stored.contains("encrypted_content"), "{stored}");
    }
}

#[tokio::test]
async fn thinking_between_calls_is_sent_back_in_order() {
    let thinking = |text: &str| json!({"type": "thinking", "thinking": text, "signature": "s"});
    let add =
        |id: &str| json!({"type": "tool_use", "id": id, "name": "add", "input": {"a": 2, "b": 40}});
    let turn = [thinking("1"), add("a"), thinking("2"), add("b")];
    for streams in [false, true] {
        let server = MockServer::start().await;
        for response in [
            reply(&turn, "tool_use", streams),
            reply(&[text("It is 42.")], "end_turn", streams),
        ] {
            let answer = Mock::given(method("POST")).respond_with(response);
            answer.up_to_n_times(1).mount(&server).await;
        }
        let http = model(Provider::Anthropic, &server).with_stream(streams);

        let outcome = AgentLoop::new(registry(), http).run("Add twice.").await;

        let requests = server.received_requests().await.unwrap();
        let body: Value = requests[1].body_json().unwrap();
        assert_eq!(body["messages"][1]["content"], json!(turn));
        let replay = repeating(&outcome.transcript);
        let replayed = AgentLoop::new(registry(), replay).run("Add twice.").await;
        assert_eq!(replayed.transcript, outcome.transcript);
    }
}

/// Returns the bodies of two requests with the model `name` after a turn of the model `m` with reasoning. The server
/// rejects the first one if it contains the reasoning.
async fn after_reasoning(name: &str) -> Vec<Value> {
    let server = MockServer::start().await;
    let message = "messages.1.content.0: The block is bound to a different conversation.";
    let error =
        json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
    let has_reasoning = |request: &Request| String::from_utf8_lossy(&request.body).contains("sig-");
    Mock::given(method("POST"))
        .respond_with(move |request: &Request| {
            if has_reasoning(request) {
                ResponseTemplate::new(400).set_body_json(&error)
            } else {
                reply(&[text("It is 42.")], "end_turn", false)
            }
        })
        .mount(&server)
        .await;
    let thought = json!({"type": "thinking", "thinking": "1", "signature": "sig-1"});
    let mut reasoning = Reasoning::new("1").with_provider_data(Some(thought));
    reasoning.model = Some("m".to_owned());
    let mut answered = Message::assistant("Yes?");
    if let Message::Assistant { reasoning: all, .. } = &mut answered {
        all.push(reasoning);
    }
    let messages = vec![Message::user("Hi"), answered, Message::user("Add.")];
    let model = HttpModel::new(Provider::Anthropic, name, &server.uri()).unwrap();

    let outcome = AgentLoop::new(registry(), model)
        .resume(Transcript::from(messages))
        .await;

    assert_eq!(outcome.reply.as_deref(), Some("It is 42."));
    let requests = server.received_requests().await.unwrap();
    let bodies = requests.iter().map(|request| request.body_json().unwrap());
    bodies.collect()
}

#[tokio::test]
async fn rejected_reasoning_is_left_out_of_another_request() {
    let bodies = after_reasoning("m").await;

    let sent: Vec<&Value> = bodies
        .iter()
        .map(|body| &body["messages"][1]["content"])
        .collect();
    let thought = json!({"type": "thinking", "thinking": "1", "signature": "sig-1"});
    assert_eq!(sent, [&json!([thought, text("Yes?")]), &json!("Yes?")]);
}

#[tokio::test]
async fn reasoning_of_another_model_is_not_sent() {
    let bodies = after_reasoning("other").await;

    assert_eq!(bodies.len(), 1);
    assert_eq!(bodies[0]["messages"][1]["content"], "Yes?");
}

#[tokio::test]
async fn images_of_users_are_sent_in_every_dialect() {
    let task = || {
        Content::from(vec![
            Block::text("What is this?"),
            Block::Image {
                media_type: "image/png".to_owned(),
                data: "iVBORw0KGgo=".to_owned(),
            },
        ])
    };
    for wire in &wires() {
        let server = MockServer::start().await;
        let response = ResponseTemplate::new(200).set_body_json(&wire.answer);
        Mock::given(method("POST"))
            .respond_with(response)
            .mount(&server)
            .await;
        let agent = AgentLoop::new(registry(), model(wire.provider, &server));

        let outcome = agent.run(task()).await;

        assert_eq!(outcome.status, Status::Completed, "{}", wire.provider);
        let requests = server.received_requests().await.unwrap();
        let body = String::from_utf8_lossy(&requests[0].body);
        assert!(body.contains("iVBORw0KGgo="), "{}: {body}", wire.provider);
        assert!(body.contains("What is this?"), "{}: {body}", wire.provider);
    }
}

#[tokio::test]
async fn documents_of_users_are_sent_or_named() {
    let task = || {
        let document = Block::pdf("plans/garden plan.pdf", "JVBERi0xLjcK");
        Content::from(vec![Block::text("Summarize this."), document])
    };
    for wire in &wires() {
        let server = MockServer::start().await;
        let response = ResponseTemplate::new(200).set_body_json(&wire.answer);
        Mock::given(method("POST"))
            .respond_with(response)
            .mount(&server)
            .await;
        let agent = AgentLoop::new(registry(), model(wire.provider, &server));

        let outcome = agent.run(task()).await;

        assert_eq!(outcome.status, Status::Completed, "{}", wire.provider);
        let requests = server.received_requests().await.unwrap();
        let body = String::from_utf8_lossy(&requests[0].body);
        let sends = matches!(
            wire.provider,
            Provider::OpenAi
                | Provider::OpenAiResponses
                | Provider::Azure
                | Provider::Anthropic
                | Provider::Bedrock
                | Provider::Gemini
                | Provider::GeminiOpenApi
        );
        assert_eq!(
            body.contains("JVBERi0xLjcK"),
            sends,
            "{}: {body}",
            wire.provider
        );
        assert!(
            sends || body.contains("plan.pdf"),
            "{}: {body}",
            wire.provider
        );
    }
}
