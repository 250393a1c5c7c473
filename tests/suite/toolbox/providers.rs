//! `convert`, `decode` and `encode`.

use provider_adapters::Provider;
use serde_json::{Value, json};
use tool_test::Scratch;

use super::{run, run_in};

fn providers() -> impl Iterator<Item = &'static str> {
    Provider::ALL.iter().map(|provider| provider.as_str())
}

fn tools() -> Scratch {
    let schema =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let tools = json!([{"name": "get.weather", "description": "Weather.", "schema": schema}]);
    Scratch::new().file("tools.json", tools.to_string())
}

fn convert(options: &[&str]) -> Value {
    let arguments = [&["convert", "--tools", "tools.json"], options].concat();
    let run = run_in(&tools(), &arguments, "");
    assert_eq!(run.status, Some(0), "{}", run.errors);
    run.document()
}

#[test]
fn conversion_has_five_parts_for_every_provider() {
    for provider in providers() {
        let converted = convert(&["--provider", provider]);

        let mut keys: Vec<&String> = converted.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(
            keys,
            ["losses", "names", "refused", "request", "tools"],
            "{provider}"
        );
        let holder = match provider {
            "bedrock" => &converted["request"]["toolConfig"],
            _ => &converted["request"],
        };
        assert_eq!(holder["tools"], converted["tools"], "{provider}");
    }
}

#[test]
fn wire_name_is_at_provider_specific_pointer() {
    for (provider, pointer) in [
        ("openai", "/0/function/name"),
        ("anthropic", "/0/name"),
        ("gemini", "/0/functionDeclarations/0/name"),
        ("gemini_openapi", "/0/functionDeclarations/0/name"),
        ("ollama", "/0/function/name"),
        ("openai_responses", "/0/name"),
        ("openai_flat", "/0/name"),
        ("azure", "/0/function/name"),
        ("copilot", "/0/function/name"),
        ("groq", "/0/function/name"),
        ("deepseek", "/0/function/name"),
        ("xai", "/0/function/name"),
        ("openrouter", "/0/function/name"),
        ("mistral", "/0/function/name"),
        ("cohere", "/0/function/name"),
        ("bedrock", "/0/toolSpec/name"),
        ("mcp", "/0/name"),
    ] {
        let converted = convert(&["--provider", provider]);

        let wire = converted["tools"]
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap();
        assert_eq!(converted["names"][wire], "get.weather", "{provider}");
    }
}

#[test]
fn converts_standard_toolset_by_default() {
    for provider in providers() {
        let run = run(&["convert", "--provider", provider], "");

        let converted = run.document();
        assert_eq!(run.status, Some(0), "{provider}");
        assert_eq!(converted["refused"], json!([]), "{provider}");
        assert_eq!(converted["names"]["read"], "read", "{provider}");
    }
}

#[test]
fn gemini_model_option_limits_enums_to_strings() {
    let schema = json!({"type": "object", "properties": {"n": {"enum": [1, 2]}}});
    let tools = json!([{"name": "f", "description": "F.", "schema": schema}]);
    let scratch = Scratch::new().file("tools.json", tools.to_string());
    for (switch, expected) in [(&[][..], json!([1, 2])), (&["--gemini-model"], Value::Null)] {
        let arguments = [
            "convert",
            "--tools",
            "tools.json",
            "--provider",
            "openrouter",
        ];

        let run = run_in(&scratch, &[&arguments, switch].concat(), "");

        let parameters = &run.document()["tools"][0]["function"]["parameters"];
        assert_eq!(
            parameters["properties"]["n"]["enum"], expected,
            "{switch:?}"
        );
    }
}

#[test]
fn converts_tool_choice() {
    for (provider, choice, pointer, expected) in [
        ("openai", "none", "/tool_choice", json!("none")),
        ("openai", "required", "/tool_choice", json!("required")),
        ("anthropic", "required", "/tool_choice/type", json!("any")),
        (
            "anthropic",
            "get.weather",
            "/tool_choice/name",
            json!("get_weather"),
        ),
        (
            "gemini",
            "required",
            "/toolConfig/functionCallingConfig/mode",
            json!("ANY"),
        ),
        (
            "gemini",
            "none",
            "/toolConfig/functionCallingConfig/mode",
            json!("NONE"),
        ),
        ("mistral", "required", "/tool_choice", json!("any")),
        ("cohere", "none", "/tool_choice", json!("NONE")),
        ("mcp", "required", "/toolChoice/mode", json!("required")),
        (
            "bedrock",
            "get.weather",
            "/toolConfig/toolChoice/tool/name",
            json!("get_weather"),
        ),
        (
            "openai_responses",
            "get.weather",
            "/tool_choice",
            json!({"type": "function", "name": "get_weather"}),
        ),
    ] {
        let converted = convert(&["--provider", provider, "--choice", choice]);

        let value = converted["request"].pointer(pointer);
        assert_eq!(value, Some(&expected), "{provider} {choice}");
    }
}

#[test]
fn disables_parallel_calls() {
    let openai = convert(&["--provider", "openai", "--parallel", "off"]);
    let anthropic = convert(&["--provider", "anthropic", "--parallel", "off"]);

    assert_eq!(openai["request"]["parallel_tool_calls"], false);
    assert_eq!(
        anthropic["request"]["tool_choice"]["disable_parallel_tool_use"],
        true
    );
}

#[test]
fn sets_strictness() {
    let strict = |mode: &str| {
        let converted = convert(&["--provider", "openai", "--strict", mode]);
        converted["tools"][0]["function"]["strict"] == true
    };

    assert_eq!((strict("on"), strict("off")), (true, false));
}

#[test]
fn empty_tools_are_empty_list() {
    let scratch = Scratch::new().file("none.json", "[]");
    for provider in providers() {
        let arguments = ["convert", "--provider", provider, "--tools", "none.json"];

        let converted = run_in(&scratch, &arguments, "").document();

        assert_eq!(converted["tools"], json!([]), "{provider}");
    }
}

#[test]
fn decodes_calls_of_response() {
    let openai = json!({"choices": [{"finish_reason": "tool_calls", "message": {"content": null, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\":\"Oslo\"}"}},
    ]}}]});
    let anthropic = json!({"stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "c1", "name": "get_weather", "input": {"city": "Oslo"}},
    ]});
    let responses = json!({"status": "completed", "output": [
        {"type": "function_call", "call_id": "c1", "name": "get_weather", "arguments": "{\"city\":\"Oslo\"}"},
    ]});
    let call = json!({"toolUseId": "c1", "name": "get_weather", "input": {"city": "Oslo"}});
    let bedrock =
        json!({"stopReason": "tool_use", "output": {"message": {"content": [{"toolUse": call}]}}});
    let cohere = json!({"finish_reason": "TOOL_CALL", "message": openai["choices"][0]["message"]});
    let params = json!({"name": "get_weather", "arguments": {"city": "Oslo"}});
    let mcp = json!({"jsonrpc": "2.0", "id": "c1", "method": "tools/call", "params": params});
    for (provider, response) in [
        ("openai_responses", responses),
        ("bedrock", bedrock),
        ("cohere", cohere),
        ("mcp", mcp),
        ("mistral", openai.clone()),
        ("azure", openai.clone()),
        ("openai", openai),
        ("anthropic", anthropic),
    ] {
        let run = run(&["decode", "--provider", provider], &response.to_string());

        let decoded = run.document();
        let call = json!({"id": "c1", "name": "get_weather", "arguments": {"city": "Oslo"},
            "raw": r#"{"city":"Oslo"}"#, "error": null});
        assert_eq!(run.status, Some(0), "{provider}");
        assert_eq!(decoded["calls"], json!([call]), "{provider}");
        assert_eq!(decoded["finish"], "calls", "{provider}");
        assert_eq!(
            (&decoded["text"], &decoded["reasoning"]),
            (&json!(""), &json!(""))
        );
        assert_eq!(decoded["stream_error"], json!(null), "{provider}");
    }
}

#[test]
fn restores_names_with_given_tools() {
    let response = json!({"message": {"tool_calls": [
        {"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}},
    ]}, "choices": [{"message": {"tool_calls": [
        {"id": "c", "function": {"name": "get_weather", "arguments": "{}"}},
    ]}}]});
    let name = |options: &[&str]| {
        let arguments = [&["decode", "--provider", "openai"], options].concat();
        let run = run_in(&tools(), &arguments, &response.to_string());
        run.document()["calls"][0]["name"].clone()
    };

    assert_eq!(name(&["--tools", "tools.json"]), "get.weather");
    assert_eq!(name(&["--contract", "standard"]), "get_weather");
    assert_eq!(name(&[]), "get_weather");
}

#[test]
fn does_not_repair_arguments_of_response() {
    for (finish, arguments, error) in [
        ("tool_calls", "{'city': 'Oslo'}", "invalid_arguments"),
        ("tool_calls", r#"{"city": "Os"#, "invalid_arguments"),
        ("length", r#"{"city": "Os"#, "truncated_arguments"),
    ] {
        let call = json!({"id": "c", "function": {"name": "f", "arguments": arguments}});
        let response =
            json!({"choices": [{"finish_reason": finish, "message": {"tool_calls": [call]}}]});

        let run = run(&["decode", "--provider", "openai"], &response.to_string());

        let call = &run.document()["calls"][0];
        assert_eq!(call["arguments"], json!(null), "{arguments}");
        assert_eq!(call["error"], error, "{arguments}");
        assert_eq!(call["raw"], arguments);
    }
}

/// Returns the payloads of a stream with one call.
fn payloads() -> [&'static str; 4] {
    [
        r#"{"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "get_weather"}}]}}]}"#,
        r#"{"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{\"city\":\"Oslo\"}"}}]}}]}"#,
        r#"{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}"#,
        "[DONE]",
    ]
}

#[test]
fn decodes_streams_as_lines_and_as_sse() {
    let sse = payloads().map(|payload| format!("data: {payload}\r\n\r\n"));
    for (form, input) in [("events", payloads().join("\n")), ("sse", sse.concat())] {
        let arguments = [
            "decode",
            "--provider",
            "openai",
            "--stream",
            form,
            "--tools",
            "tools.json",
        ];

        let run = run_in(&tools(), &arguments, &input);

        assert_eq!(run.status, Some(0), "{form}: {}", run.errors);
        let call = json!({"id": "c1", "name": "get.weather", "arguments": {"city": "Oslo"},
            "raw": r#"{"city":"Oslo"}"#, "error": null});
        assert_eq!(
            run.document(),
            json!({"text": "", "reasoning": "", "calls": [call], "finish": "calls", "finish_raw": "tool_calls",
                "stream_error": null}),
            "{form}"
        );
    }
}

#[test]
fn reports_incomplete_and_invalid_streams() {
    for (input, code) in [
        (payloads()[..2].join("\n"), "ended_early"),
        ("<html>".to_owned(), "not_json"),
        (String::new(), "ended_early"),
    ] {
        let run = run(
            &["decode", "--provider", "openai", "--stream", "events"],
            &input,
        );

        assert_eq!(run.status, Some(0), "{code}");
        assert_eq!(run.document()["stream_error"]["code"], code);
        assert_eq!(run.document()["finish"], "error", "{code}");
    }
}

#[test]
fn rejects_sse_for_providers_without_text_streams() {
    for (provider, event) in [
        ("bedrock", r#"{"messageStop": {"stopReason": "end_turn"}}"#),
        (
            "mcp",
            r#"{"result": {"content": [], "stopReason": "endTurn"}}"#,
        ),
    ] {
        let decode = |form| run(&["decode", "--provider", provider, "--stream", form], event);

        let (bytes, events) = (decode("sse"), decode("events"));

        assert_eq!(
            (bytes.status, bytes.output.as_str()),
            (Some(2), ""),
            "{provider}"
        );
        assert_eq!(
            bytes.errors.lines().count(),
            1,
            "{provider}: {}",
            bytes.errors
        );
        assert_eq!(events.document()["finish"], "stop", "{provider}");
    }
}

#[test]
fn rejects_invalid_responses() {
    for input in ["", "not json", "[]", "{}", "{\"choices\": []} trailing"] {
        let run = run(&["decode", "--provider", "openai"], input);

        assert_eq!((run.status, run.output.as_str()), (Some(2), ""), "{input}");
        assert_eq!(run.errors.lines().count(), 1, "{input}: {}", run.errors);
    }
}

fn transcript() -> String {
    json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "List the files."},
        {"role": "assistant", "content": "",
            "calls": [{"id": "c1", "name": "list_files", "arguments": {"path": "."}}]},
        {"role": "tool", "results": [{"call_id": "c1", "name": "list_files", "is_error": false,
            "content": [{"type": "text", "text": "a.txt"}]}]},
        {"role": "assistant", "content": "One file: a.txt"},
    ])
    .to_string()
}

#[test]
fn encodes_conversation_with_provider_keys() {
    for (provider, keys) in [
        ("openai", &["messages"][..]),
        ("anthropic", &["messages", "system"]),
        ("gemini", &["contents", "systemInstruction"]),
        ("gemini_openapi", &["contents", "systemInstruction"]),
        ("ollama", &["messages"]),
        ("openai_responses", &["input", "instructions"]),
        ("openai_flat", &["messages"]),
        ("azure", &["messages"]),
        ("copilot", &["messages"]),
        ("groq", &["messages"]),
        ("deepseek", &["messages"]),
        ("xai", &["messages"]),
        ("openrouter", &["messages"]),
        ("mistral", &["messages"]),
        ("cohere", &["messages"]),
        ("bedrock", &["messages", "system"]),
        ("mcp", &["messages", "systemPrompt"]),
    ] {
        let run = run(&["encode", "--provider", provider], &transcript());

        let body = run.document();
        let mut found: Vec<&String> = body.as_object().unwrap().keys().collect();
        found.sort();
        assert_eq!(
            (run.status, run.errors.as_str()),
            (Some(0), ""),
            "{provider}"
        );
        assert_eq!(found, keys, "{provider}");
    }
}

#[test]
fn reports_conversation_changes_on_stderr() {
    let orphan =
        json!([{"role": "tool", "results": [{"call_id": "x", "name": "f", "content": "y"}]}]);

    let run = run(&["encode", "--provider", "anthropic"], &orphan.to_string());

    let value: Value = serde_json::from_str(&run.errors).unwrap();
    assert_eq!(run.status, Some(0));
    assert_eq!(run.errors.lines().count(), 1);
    assert_eq!(value["losses"][0]["pointer"], "/0/results/0");
    assert_eq!(run.document()["messages"][0]["role"], "user");
}

#[test]
fn rejects_invalid_transcripts() {
    for input in ["", "{}", r#"[{"role": "robot", "content": "hi"}]"#] {
        let run = run(&["encode", "--provider", "gemini"], input);

        assert_eq!((run.status, run.output.as_str()), (Some(2), ""), "{input}");
        assert_eq!(run.errors.lines().count(), 1, "{input}: {}", run.errors);
    }
}
