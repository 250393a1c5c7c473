use std::sync::LazyLock;

use super::*;

static CONFIG: LazyLock<McpServerConfig> = LazyLock::new(|| McpServerConfig {
    max_result: 100,
    ..McpServerConfig::default()
});

static ORIGIN: LazyLock<Origin<'_>> = LazyLock::new(|| Origin {
    server: "s",
    config: &CONFIG,
});

fn texts(result: Value) -> Vec<String> {
    let output = ORIGIN.output(result).unwrap();
    let texts = output
        .content
        .iter()
        .map(|block| block.as_text().unwrap_or("(media)").to_owned());
    texts.collect()
}

#[test]
fn unknown_blocks_are_marked() {
    for (block, text) in [
        (json!({"type": "text", "text": "a"}), "a"),
        (
            json!({"type": "hologram", "x": 1}),
            "[block of type \"hologram\" not shown]",
        ),
        (json!({"foo": 1}), "[block of type \"\" not shown]"),
        (
            json!({"type": "text"}),
            "[block of type \"text\" not shown]",
        ),
        (json!(7), "[block of type \"\" not shown]"),
        (
            json!({"type": "image", "mimeType": "image/png", "data": "AAAA"}),
            "(media)",
        ),
        (
            json!({"type": "image", "mimeType": "image/png", "data": "A*AA"}),
            "[image with an invalid or unknown format not shown]",
        ),
        (
            json!({"type": "image", "mimeType": "text/html", "data": "AAAA"}),
            "[image with an invalid or unknown format not shown]",
        ),
        (
            json!({"type": "image", "mimeType": "image/png", "data": "A".repeat(400)}),
            "[image of 409 bytes exceeds the limit of one result]",
        ),
        (
            json!({"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}),
            "(media)",
        ),
        (
            json!({"type": "resource", "resource": {"uri": "a:b", "text": "inside"}}),
            "(media)",
        ),
        (
            json!({"type": "resource", "resource": {"uri": "a:b", "blob": "AA=="}}),
            "(media)",
        ),
        (
            json!({"type": "resource", "resource": {"uri": "a:b"}}),
            "[block of type \"resource\" not shown]",
        ),
        (
            json!({"type": "resource_link", "uri": "a:b", "name": "n"}),
            "(media)",
        ),
    ] {
        assert_eq!(
            texts(json!({"content": [block, {"type": "text", "text": "end"}]})),
            [text, "end"],
            "{block}"
        );
    }
}

#[test]
fn data_without_text_is_shown_as_json() {
    let data = json!({"b": 1, "a": [true]});
    for content in [
        json!([]),
        json!(null),
        json!([{"type": "text", "text": ""}]),
    ] {
        let output = ORIGIN
            .output(json!({"content": content, "structuredContent": data}))
            .unwrap();

        assert_eq!(
            output.content,
            [ContentBlock::text(r#"{"b":1,"a":[true]}"#)],
            "{content}"
        );
        assert_eq!(output.data, Some(data.clone()));
    }
    assert_eq!(
        texts(json!({"content": [{"type": "text", "text": "x"}], "structuredContent": data})),
        ["x"]
    );
}

#[test]
fn content_is_limited() {
    let text = json!({"type": "text", "text": "ä".repeat(40)});

    let texts = texts(json!({"content": [text, text, text]}));

    assert_eq!(
        texts[1],
        format!("{}\n{}", "ä".repeat(10), omission(60, 1, 80))
    );
    assert_eq!(texts[2], format!("\n{}", omission(80, 1, 80)));
}

#[test]
fn error_results_become_errors() {
    for (content, message) in [
        (
            json!([{"type": "text", "text": "no such file"}]),
            "no such file",
        ),
        (json!([{"type": "text", "text": "Error: denied"}]), "denied"),
        (
            json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
            "a\nb",
        ),
        (
            json!([{"type": "text", "text": "see https://example.com/docs"}]),
            "see https://example.com/docs",
        ),
        (
            json!([{"type": "text", "text": "{\"code\":5}"}]),
            "{\"code\":5}",
        ),
        (json!([]), "The server reported an error without a message."),
        (
            json!([{"type": "text", "text": "  \u{200b}"}]),
            "The server reported an error without a message.",
        ),
    ] {
        let error = ORIGIN
            .output(json!({"content": content, "isError": true}))
            .unwrap_err();

        assert_eq!(
            (error.code(), error.message()),
            (&ErrorCode::Failed, message)
        );
    }
    let error = ORIGIN
        .output(json!({"isError": true, "structuredContent": {"a": 1}}))
        .unwrap_err();
    assert_eq!(error.output().unwrap().data, Some(json!({"a": 1})));
    let image = json!({"type": "image", "mimeType": "image/png", "data": "AAAA"});
    let link = json!({"type": "resource_link", "uri": "a:b", "name": "n"});
    let error = ORIGIN
        .output(json!({"isError": true, "content": [{"type": "text", "text": "x"}, image, link]}))
        .unwrap_err();
    let kept: Vec<_> = error
        .output()
        .unwrap()
        .content
        .iter()
        .map(ContentBlock::to_text)
        .collect();
    assert_eq!(error.to_model_text(), "Error: x");
    assert_eq!(kept, ["[image/png of 3 bytes]", "n: a:b"]);
}

#[test]
fn links_keep_what_is_known() {
    let link = json!({"type": "resource_link", "uri": "a:b", "name": "n", "title": "T\u{200b}", "description": "D", "size": 7});

    let output = ORIGIN.output(json!({"content": [link]})).unwrap();

    assert_eq!(output.content[0].to_text(), "n: a:b (T; D; 7 bytes)");
    assert_eq!(output.warnings.len(), 1);
}

#[test]
fn content_for_user_is_not_for_model() {
    let block = |audience: Value| json!({"type": "text", "text": "secret", "annotations": {"audience": audience}});
    for (audience, text) in [
        (json!(["user"]), "[block for the user only]"),
        (json!(["user", "assistant"]), "secret"),
        (json!(["assistant"]), "secret"),
        (json!([]), "secret"),
        (json!(null), "secret"),
    ] {
        let block = block(audience);

        let output = ORIGIN.output(json!({"content": [block]})).unwrap();

        assert_eq!(output.content, [ContentBlock::text(text)]);
        let kept = &output.metadata["mcp"]["for_user"];
        assert_eq!(*kept == json!([block]), text != "secret");
    }
}

#[test]
fn invalid_results_become_errors() {
    for result in [
        json!(null),
        json!([]),
        json!({}),
        json!({"content": "text"}),
        json!({"resultType": "task"}),
    ] {
        assert_eq!(
            ORIGIN.output(result).unwrap_err().code(),
            &ErrorCode::Failed
        );
    }
}

#[test]
fn hidden_characters_are_removed_with_warning() {
    let output = ORIGIN
        .output(json!({"content": [{"type": "text", "text": "a\u{e0041}b"}]}))
        .unwrap();

    assert_eq!(output.content, [ContentBlock::text("ab")]);
    assert_eq!(
        output.warnings,
        ["1 hidden characters were removed from the result."]
    );
}

#[test]
fn failures_state_effect() {
    for (failure, code, text) in [
        (
            Failure::Lost,
            "outcome_unknown",
            "Error: The server \"s\" stopped while the call ran. The effect is unknown. Check before you call again.",
        ),
        (
            Failure::Invalid,
            "outcome_unknown",
            "Error: The server \"s\" returned a response that cannot be read. The effect is unknown. Check before you call again.",
        ),
        (
            Failure::Unreachable("closed".into()),
            "unavailable",
            "Error: The server \"s\" is not connected. Nothing was done. Try again later, or continue without it.",
        ),
        (
            Failure::TooLarge,
            "response_too_large",
            "Error: The server \"s\" sent more than 8 MiB in one message. Request less, or raise \"max_message\".",
        ),
        (
            Failure::Server {
                code: -32_602,
                message: "bad path".into(),
            },
            "invalid_arguments",
            "Error: bad path",
        ),
    ] {
        let error = ORIGIN.failure(failure);

        assert_eq!(
            (error.code().as_str(), error.to_model_text().as_str()),
            (code, text)
        );
    }
}
