//! Fuzz targets. Each function panics if an invariant fails.

use std::io::Cursor;
use std::sync::LazyLock;

use office_text::{DocumentLimits, document_to_text};
use provider_adapters::{Provider, StreamDecoder, batch_convert_to_provider};
use serde_json::{Value, json};
use shell_verdict::CommandFilter;
use tokio::runtime::Runtime;
use tool_core::approval::Policy;
use tool_core::{Registry, ToolDefinition};
use tool_test::Scratch;
use tools_builtin::toolsets::{ToolGroup, standard};
use tools_builtin::{Kit, Workspace};

/// Conversion returns no more than a fixed factor of the input, and is deterministic.
pub fn html_text(data: &[u8]) {
    let page = html_text::decode(data, None).text;
    let text = html_text::to_text(&page).text;
    let markdown = html_text::to_markdown(&page).text;

    assert!(
        text.len() <= 64 * page.len() + 4096,
        "text is out of proportion"
    );
    assert!(
        markdown.len() <= 64 * page.len() + 4096,
        "Markdown is out of proportion"
    );
    assert_eq!(text, html_text::to_text(&page).text);
}

/// Extraction respects its limit for any bytes.
pub fn office_text(data: &[u8]) {
    let limits = DocumentLimits::default();
    if let Ok(document) = document_to_text(Cursor::new(data), &limits) {
        assert!(
            document.text.len() <= limits.max_text_bytes,
            "text exceeds the limit"
        );
    }
}

/// A verdict is the worst of its findings, and every finding is part of the command.
pub fn shell_verdict(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let filter = CommandFilter::standard(["/srv/app"]).with_home("/home/dev");
    let judgement = filter.judge(&text);

    for finding in judgement.findings() {
        assert!(finding.verdict() <= judgement.verdict(), "{finding}");
    }
    assert_eq!(judgement.verdict(), filter.judge(&text).verdict());
}

/// Strictly valid JSON needs no repair, and a repaired document is valid JSON.
pub fn tool_json(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let strict = tool_json::parse(&text)
        .ok()
        .map(|tape| tape.root().to_value());
    if let Ok((tape, repairs)) = tool_json::repair(&text) {
        let value = tape.root().to_value();
        if repairs.is_empty() {
            assert_eq!(strict.as_ref(), Some(&value));
        }
        let again = value.to_string();
        assert!(tool_json::parse(&again).is_ok(), "{again}");
    }
    if let Some(value) = strict {
        let parsed: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
        assert_eq!(parsed.is_object(), value.is_object());
    }
    let _ = tool_json::trim::trim_to_json(&text);
}

/// Every provider decodes a stream to the same calls, however it is split.
pub fn stream_decoders(data: &[u8]) {
    let Some((selector, body)) = data.split_first() else {
        return;
    };
    let provider = Provider::ALL[usize::from(*selector) % Provider::ALL.len()];
    let whole = decode(provider, &[body]);
    let (head, tail) = body.split_at(body.len() / 2);
    assert_eq!(whole, decode(provider, &[head, tail]));
}

fn decode(provider: Provider, chunks: &[&[u8]]) -> String {
    let mut decoder = StreamDecoder::new(provider);
    for chunk in chunks {
        if decoder.push_bytes(chunk, |_| {}).is_err() {
            break;
        }
    }
    format!("{:?}", decoder.finish(None).calls)
}

/// Every provider converts any schema or rejects it, with the same result each time.
pub fn schema_passes(data: &[u8]) {
    let Ok(schema) = serde_json::from_slice::<Value>(data) else {
        return;
    };
    let definitions = [ToolDefinition::new("f", "F.", schema)];
    for provider in Provider::ALL {
        let converted = batch_convert_to_provider(*provider, &definitions);
        let again = batch_convert_to_provider(*provider, &definitions);
        assert_eq!(converted, again, "{provider}");
    }
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

/// An edit or a patch that fails changes nothing, and undo takes back one that succeeds. The parts of the input are separated
/// by NUL: a content and a patch, or a content and both strings of an edit.
pub fn file_edits(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let parts: Vec<&str> = text.split('\0').collect();
    let (content, tool, arguments) = match parts[..] {
        [content, patch] => (content, "apply_patch", json!({"patch": patch})),
        [content, old, new] => (
            content,
            "edit",
            json!({"path": "a", "old": old, "new": new}),
        ),
        _ => return,
    };
    let scratch = Scratch::new().file("a", content).file("b", content);
    let workspace = Workspace::builder()
        .root(scratch.path())
        .without_checkpoints();
    let workspace = workspace.build().expect("a workspace");
    let kit = Kit::new(workspace.clone());
    let toolset = standard(&kit).and_then(|toolset| ToolGroup::ApplyPatch.add_to(toolset, &kit));
    let registry = Registry::builder().policy(Policy::allow_all());
    let registry = registry
        .toolset(&toolset.expect("a toolset"))
        .expect("a registry")
        .build();

    let result = RUNTIME.block_on(registry.execute(tool, arguments));
    if result.success {
        workspace.undo(&result.id).expect("every change is kept");
    }

    let left = std::fs::read_dir(scratch.path())
        .expect("a directory")
        .count();
    assert_eq!(
        (left, scratch.read("a"), scratch.read("b")),
        (2, content.to_owned(), content.to_owned()),
        "{result}"
    );
}
