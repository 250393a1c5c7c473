//! Properties of all streams.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::streamed::{GeneratedResponse, as_stream, as_whole};
use crate::{
    Decoded, Delta, MessagePart, Provider, PushError, StreamDecoder, StreamLimits, decode,
};

/// One provider for each streaming format.
const WIRES: [Provider; 8] = [
    Provider::OpenAi,
    Provider::OpenAiResponses,
    Provider::Anthropic,
    Provider::Bedrock,
    Provider::Gemini,
    Provider::Ollama,
    Provider::Mistral,
    Provider::Cohere,
];

fn answers() -> impl Strategy<Value = GeneratedResponse> {
    let arguments = prop::collection::btree_map("[a-z]{1,3}", "\\PC{0,12}", 0..3);
    let call = ("[a-z]{1,4}", arguments);
    let calls = prop::collection::vec(call, 0..4);
    let stop = prop_oneof![Just(false), Just(true)];
    ("\\PC{0,20}", "[a-z ]{0,12}", calls, stop, 1..6_usize).prop_map(
        |(text, reasoning, calls, is_truncated, piece)| GeneratedResponse {
            text,
            reasoning,
            calls: calls
                .into_iter()
                .map(|(name, arguments)| (name, json!(arguments)))
                .collect(),
            is_truncated,
            piece,
        },
    )
}

fn finished(provider: Provider, events: &[Value]) -> Decoded {
    let mut decoder = StreamDecoder::new(provider);
    for event in events {
        assert_eq!(decoder.push_event(&event.to_string(), |_| {}), Ok(()));
    }
    decoder.finish(None)
}

/// Returns the events in the format of the response body.
fn bytes(provider: Provider, events: &[Value]) -> Vec<u8> {
    let framed = events.iter().map(|event| match provider {
        Provider::Ollama => format!("{event}\n"),
        _ => format!("data: {event}\r\n\r\n"),
    });
    framed.collect::<String>().into_bytes()
}

/// Events with common keys and values, so that decoders interpret some of them.
fn events() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "choices",
        "delta",
        "tool_calls",
        "index",
        "id",
        "function",
        "name",
        "arguments",
        "content",
        "type",
        "error",
        "message",
        "text",
        "content_block",
        "content_block_start",
        "content_block_delta",
        "partial_json",
        "input",
        "input_json_delta",
        "item",
        "output_index",
        "response.output_item.added",
        "response.output_item.done",
        "parts",
        "candidates",
        "functionCall",
        "toolUse",
        "start",
        "contentBlockIndex",
        "contentBlockStart",
        "contentBlockDelta",
        "response.function_call_arguments.delta",
        "function_call",
        "tool_use",
        "tool-call-start",
        "tool-call-delta",
        "reasoning_details",
        "reasoningContent",
        "thinking",
        "response",
        "response.completed",
        "output",
        "usage",
        "finish_reason",
        "stop_reason",
        "custom",
        "call_id",
        "null",
        "content-delta",
        "reasoning.text",
    ]);
    let leaf = prop_oneof![
        Just(json!(null)),
        (0..3_u64).prop_map(Value::from),
        word.clone().prop_map(Value::from),
        "[{}\":a1]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..5).prop_map(|members| members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #![proptest_config(super::cases(64))]

    #[test]
    fn stream_equals_complete_response(answer in answers()) {
        for provider in WIRES {
            let whole = decode(provider, &as_whole(provider, &answer), None).unwrap();

            let streamed = finished(provider, &as_stream(provider, &answer));

            prop_assert_eq!(streamed.usage, whole.usage);
            prop_assert_eq!(&streamed, &whole, "{}", provider);
        }
    }

    #[test]
    fn byte_chunks_equal_events(answer in answers(), chunk in 1..9_usize) {
        for provider in WIRES.into_iter().filter(|provider| *provider != Provider::Bedrock) {
            let events = as_stream(provider, &answer);
            let mut decoder = StreamDecoder::new(provider);

            for chunk in bytes(provider, &events).chunks(chunk) {
                prop_assert_eq!(decoder.push_bytes(chunk, |_| {}), Ok(()));
            }

            prop_assert_eq!(decoder.finish(None), finished(provider, &events));
        }
    }

    #[test]
    fn deltas_add_up_to_response(answer in answers()) {
        for provider in WIRES {
            let mut decoder = StreamDecoder::new(provider);
            let (mut text, mut arguments) = (String::new(), vec![String::new(); answer.calls.len()]);

            for event in as_stream(provider, &answer) {
                decoder.push_event(&event.to_string(), |delta| match delta {
                    Delta::Text { text: piece, .. } => text.push_str(piece),
                    Delta::Arguments { call, text, .. } => arguments[call].push_str(text),
                    _ => {}
                }).unwrap();
            }

            let decoded = decoder.finish(None);
            let raw: Vec<String> = decoded.calls.into_iter().map(|call| call.raw).collect();
            prop_assert_eq!((text, arguments), (decoded.text, raw), "{}", provider);
        }
    }

    #[test]
    fn call_of_truncated_stream_is_complete_or_error(answer in answers(), cut in any::<prop::sample::Index>()) {
        let answer = GeneratedResponse { is_truncated: false, ..answer };
        for provider in WIRES {
            let events = as_stream(provider, &answer);
            let source = finished(provider, &events).calls;

            let decoded = finished(provider, &events[..cut.index(events.len())]);

            for (position, call) in decoded.calls.iter().enumerate() {
                let is_whole = call.arguments == source[position].arguments;
                prop_assert!(is_whole || call.error.is_some(), "{}: {:?}", provider, call);
            }
        }
    }

    #[test]
    fn decodes_any_events_without_panic(events in prop::collection::vec(events(), 0..12)) {
        for provider in Provider::ALL {
            let mut decoder = StreamDecoder::new(*provider);
            for event in &events {
                prop_assert_eq!(decoder.push_event(&event.to_string(), |_| {}), Ok(()));
            }
            let _ = decoder.finish(None);
        }
    }

    #[test]
    fn decodes_any_bytes_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), chunk in 1..50_usize) {
        for provider in Provider::ALL {
            let mut decoder = StreamDecoder::new(*provider);
            for chunk in bytes.chunks(chunk) {
                let _ = decoder.push_bytes(chunk, |_| {});
            }
            prop_assert!(decoder.finish(None).stream_error.is_some());
        }
    }
}

fn piece(index: u64, name: Option<&str>, arguments: &str) -> Value {
    let call = json!({"index": index, "function": {"name": name, "arguments": arguments}});
    json!({"choices": [{"delta": {"tool_calls": [call]}}]})
}

#[test]
fn exceeded_limit_keeps_received_calls() {
    let usual = StreamLimits::default();
    for (limits, error) in [
        (
            StreamLimits { parts: 3, ..usual },
            PushError::TooManyParts { limit: 3 },
        ),
        (
            StreamLimits {
                bytes: 250,
                ..usual
            },
            PushError::StreamTooLong { limit: 250 },
        ),
    ] {
        let mut stream = StreamDecoder::new(Provider::OpenAi).with_limits(limits);
        let mut outcome = Ok(());

        for index in 0..9 {
            outcome = stream.push_event(&piece(index, Some("f"), "{}").to_string(), |_| {});
        }

        assert_eq!(outcome, Err(error));
        let decoded = stream.finish(None);
        assert_eq!(decoded.stream_error.unwrap().message, error.to_string());
        assert!(decoded.calls.iter().all(|call| call.error.is_some()));
        assert!(decoded.calls.len() >= 2, "{limits:?}");
    }
}

#[test]
fn rejects_long_streams() {
    let limits = StreamLimits {
        bytes: 30,
        ..StreamLimits::default()
    };
    let error = PushError::StreamTooLong { limit: 30 };
    for pieces in [
        ["{\"a\":\"0123456789abcdef0123456789\"}", ""],
        ["{\"a\":\"01234\"}    ", "{\"a\":\"01234\"}   "],
    ] {
        let mut decoder = StreamDecoder::new(Provider::Ollama).with_limits(limits);

        let outcome = pieces
            .iter()
            .try_for_each(|event| decoder.push_event(event, |_| {}));

        assert_eq!(outcome, Err(error));
        assert_eq!(decoder.push_bytes(b"", |_| {}), Err(error));
    }
}

#[test]
fn repeated_names_are_decoded_in_linear_time() {
    let mut decoder = StreamDecoder::new(Provider::OpenAi);
    decoder
        .push_event(&piece(0, Some("f"), "{\"t\":\"").to_string(), |_| {})
        .unwrap();
    let more = piece(0, Some("f"), &"x".repeat(32));

    for _ in 0..32_768 {
        decoder.push_event(&more.to_string(), |_| {}).unwrap();
    }

    decoder
        .push_event(&piece(0, Some("f"), "\"}").to_string(), |_| {})
        .unwrap();
    decoder.push_event("[DONE]", |_| {}).unwrap();
    let call = decoder.finish(None).calls.remove(0);
    assert_eq!((call.raw.len(), call.error), (1024 * 1024 + 8, None));
}

#[test]
fn rejects_bytes_for_binary_streams() {
    for provider in [Provider::Bedrock, Provider::Mcp] {
        let mut decoder = StreamDecoder::new(provider);

        assert_eq!(decoder.push_bytes(b"{}", |_| {}), Err(PushError::NoText));
    }
}

#[test]
fn joins_reasoning_data_from_deltas() {
    let chunk = |delta: Value| json!({"choices": [{"delta": delta}]});
    let details = |detail: Value| chunk(json!({"reasoning_details": [detail]}));
    let thought = |text: &str| json!([{"type": "text", "text": text}]);
    let thinking = |chunk_of: Value| chunk(json!({"content": [chunk_of]}));
    for (provider, events, kept) in [
        (
            Provider::OpenRouter,
            vec![
                details(json!({"type": "reasoning.text", "index": 0, "text": "H"})),
                details(
                    json!({"type": "reasoning.text", "index": 0, "text": "m.", "signature": "s"}),
                ),
                details(json!({"type": "reasoning.encrypted", "index": 1, "data": "x"})),
                details(json!({"type": "reasoning.encrypted", "index": 1, "data": "y"})),
            ],
            json!({"reasoning_details": [
                {"type": "reasoning.text", "index": 0, "text": "Hm.", "signature": "s"},
                {"type": "reasoning.encrypted", "index": 1, "data": "x"},
                {"type": "reasoning.encrypted", "index": 1, "data": "y"},
            ]}),
        ),
        (
            Provider::Copilot,
            vec![
                chunk(json!({"reasoning_text": "Hm."})),
                chunk(json!({"reasoning_opaque": "c2Vh"})),
            ],
            json!({"reasoning_opaque": "c2Vh", "reasoning_field": {"copilot": "reasoning_text"}}),
        ),
        (
            Provider::Mistral,
            vec![
                thinking(json!({"type": "thinking", "thinking": thought("H")})),
                thinking(json!({"type": "thinking", "thinking": thought("m."), "closed": true})),
            ],
            json!({"type": "thinking", "thinking": thought("Hm."), "closed": true}),
        ),
    ] {
        let decoded = finished(provider, &events);

        assert_eq!(decoded.reasoning, "Hm.", "{provider}");
        assert_eq!(
            decoded.reasoning_blocks[0].provider_data,
            Some(kept),
            "{provider}"
        );
    }
}

#[test]
fn signature_belongs_to_its_text_or_call() {
    let chunk = |part: Value| gemini(&[part]);
    let events = [
        chunk(json!({"text": "H", "thought": true})),
        chunk(json!({"text": "m.", "thought": true, "thoughtSignature": "QQ=="})),
        chunk(json!({"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "QUJD"})),
        chunk(json!({"text": "", "thoughtSignature": "Qg=="})),
    ];

    let decoded = finished(Provider::Gemini, &events);

    let signed = |signature: &str| Some(json!({"thoughtSignature": signature}));
    let kept: Vec<Option<Value>> = decoded
        .reasoning_blocks
        .into_iter()
        .map(|piece| piece.provider_data)
        .collect();
    assert_eq!(kept, [signed("QQ==")]);
    let last = MessagePart::Text {
        bytes: 0,
        provider_data: signed("Qg=="),
    };
    assert_eq!(decoded.order.last(), Some(&last));
    assert_eq!(decoded.calls[0].provider_data, signed("QUJD"));
}

fn gemini(parts: &[Value]) -> Value {
    json!({"candidates": [{"content": {"parts": parts}}]})
}
