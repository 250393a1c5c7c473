//! What a provider needs back, and what no other one receives.

use serde_json::json;

use super::turn_order::{call, conversation, sent_back, server_call, text, thinking};
use crate::{ModelTraits, Options, Provider, StreamDecoder, Transcript, decode, encode};

#[test]
fn responses_keep_phases_and_messages_between_calls() {
    let message = |phase: &str, text: &str| {
        json!({"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "phase": phase,
            "content": [{"type": "output_text", "text": text, "annotations": []}]})
    };
    let call =
        |id: &str| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"});
    let thought =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "s"});
    let response = json!({"status": "completed", "output": [
        thought, message("commentary", "I look."), call("a"), message("commentary", "And again."), call("b"),
        message("final_answer", "Wait."),
    ]});
    let decoded = decode(Provider::OpenAiResponses, &response, None).unwrap();

    let encoded = encode(Provider::OpenAiResponses, &conversation(decoded), None);

    let said =
        |phase: &str, text: &str| json!({"role": "assistant", "content": text, "phase": phase});
    let expected = [
        thought,
        said("commentary", "I look."),
        call("a"),
        said("commentary", "And again."),
        call("b"),
        said("final_answer", "Wait."),
    ];
    let input = encoded.body["input"].as_array().unwrap();
    assert_eq!(
        (input.get(1..7).unwrap(), encoded.losses),
        (&expected[..], vec![])
    );
}

#[test]
fn gemini_keeps_order_signatures_and_unknown_parts() {
    let call = |name: &str| json!({"functionCall": {"name": name, "args": {}}, "thoughtSignature": "YQ=="});
    let parts = json!([
        {"text": "Hm.", "thought": true, "thoughtSignature": "Yg=="},
        call("f"),
        {"text": "Then.", "thoughtSignature": "Yw=="},
        {"executableCode": {"language": "PYTHON", "code": "1"}},
        call("g"),
        {"text": "End."},
    ]);
    let response = json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]});
    let decoded = decode(Provider::Gemini, &response, None).unwrap();
    let mut stream = StreamDecoder::new(Provider::Gemini);
    stream.push_event(&response.to_string(), |_| {}).unwrap();
    assert_eq!(stream.finish(None), decoded);

    let encoded = encode(Provider::Gemini, &conversation(decoded), None);

    assert_eq!(
        (&encoded.body["contents"][1]["parts"], encoded.losses),
        (&parts, vec![])
    );
}

#[test]
fn provider_without_an_order_reports_its_loss() {
    let turn = [text("A"), call("a"), text("B"), call("b")];
    let response = json!({"content": turn, "stop_reason": "tool_use"});
    let transcript = conversation(decode(Provider::Anthropic, &response, None).unwrap());
    for provider in [
        Provider::OpenAi,
        Provider::Azure,
        Provider::Copilot,
        Provider::Groq,
        Provider::DeepSeek,
        Provider::Xai,
        Provider::OpenRouter,
        Provider::Mistral,
        Provider::Cohere,
        Provider::Ollama,
    ] {
        let losses = encode(provider, &transcript, None).losses;

        let places: Vec<&str> = losses.iter().map(|loss| loss.pointer.as_str()).collect();
        assert_eq!(places, ["/1/order"], "{provider}");
    }
}

#[test]
fn arguments_that_are_no_object_are_never_sent_raw() {
    for arguments in ["{\"path\": \"a", "[1]", "ls -l"] {
        let message = json!({"role": "assistant", "calls": [{"id": "a", "name": "f", "arguments": arguments}]});
        let transcript: Transcript = serde_json::from_value(json!([
            {"role": "user", "content": "Go"}, message,
            {"role": "tool", "results": [{"call_id": "a", "name": "f", "content": "done"}]},
        ]))
        .unwrap();
        for provider in Provider::ALL {
            let encoded = encode(*provider, &transcript, None);

            assert!(!encoded.body.to_string().contains("ls -l"), "{provider}");
            let places: Vec<&str> = encoded
                .losses
                .iter()
                .map(|loss| loss.pointer.as_str())
                .collect();
            assert_eq!(places, ["/1/calls/0/arguments"], "{provider}");
        }
    }
}

#[test]
fn reasoning_content_returns_to_its_server_even_if_empty() {
    for words in ["Hm.", ""] {
        let call =
            json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let message = json!({"content": null, "reasoning_content": words, "tool_calls": [call]});
        let response = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
        for provider in [Provider::OpenAi, Provider::Xai, Provider::DeepSeek] {
            let decoded = decode(provider, &response, None).unwrap();

            let encoded = encode(provider, &conversation(decoded), None);

            assert_eq!(
                encoded.body["messages"][1]["reasoning_content"], words,
                "{provider}"
            );
        }
    }
}

#[test]
fn long_ids_of_reasoning_items_are_omitted() {
    let item = |id: Option<&str>| {
        let mut item = json!({"type": "reasoning", "summary": [], "encrypted_content": "s"});
        if let Some(id) = id {
            item["id"] = id.into();
        }
        item
    };
    let (short, long) = ("r".repeat(64), "r".repeat(65));
    for (id, sent, losses) in [(&short, Some(short.as_str()), 0), (&long, None, 1)] {
        let call = json!({"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"});
        let response = json!({"status": "completed", "output": [item(Some(id)), call]});
        let decoded = decode(Provider::OpenAiResponses, &response, None).unwrap();

        let encoded = encode(Provider::OpenAiResponses, &conversation(decoded), None);

        assert_eq!(encoded.body["input"][1], item(sent));
        assert_eq!(encoded.losses.len(), losses);
    }
}

#[test]
fn unknown_blocks_and_citations_go_back_unchanged() {
    let cited = json!({"type": "text", "text": "Red.", "citations": [{"type": "char_location"}]});
    let advice = json!({"type": "advice", "advice": {"steps": [1]}});
    let turn = [cited, advice, text("So:"), call("a")];
    let response = json!({"content": turn, "stop_reason": "tool_use"});
    let decoded = decode(Provider::Anthropic, &response, None).unwrap();

    assert_eq!(
        sent_back(Provider::Anthropic, &conversation(decoded)),
        json!(turn)
    );
}

#[test]
fn document_of_the_model_is_not_sent_back() {
    let document = json!({"type": "document", "source": {"type": "text", "data": "x"}});
    let response = json!({"content": [document, call("a")], "stop_reason": "tool_use"});
    let decoded = decode(Provider::Anthropic, &response, None).unwrap();

    let encoded = encode(Provider::Anthropic, &conversation(decoded), None);

    assert_eq!(encoded.body["messages"][1]["content"], json!([call("a")]));
    assert_eq!(encoded.losses[0].pointer, "/1/reasoning/0");
}

#[test]
fn reasoning_of_another_model_is_omitted_and_its_searches_stay() {
    let [search, found] = server_call("srvtoolu_1");
    let turn = [thinking("1"), search.clone(), found.clone(), call("a")];
    let response = json!({"content": turn, "stop_reason": "tool_use"});
    let mut decoded = decode(Provider::Anthropic, &response, None).unwrap();
    for reasoning in &mut decoded.reasoning_blocks {
        reasoning.model = Some("claude-opus-5".to_owned());
    }
    let transcript = conversation(decoded);
    for (model, expected, losses) in [
        ("claude-opus-5", json!(turn), 0),
        ("claude-opus-5-5", json!([search, found, call("a")]), 1),
    ] {
        let traits = ModelTraits::of(Provider::Anthropic, model);
        let dialect = Provider::Anthropic.with_options(Options::default().with_model(traits));

        let encoded = encode(&dialect, &transcript, None);

        assert_eq!(encoded.body["messages"][1]["content"], expected, "{model}");
        assert_eq!(encoded.losses.len(), losses, "{model}");
    }
}
