//! Comparison and update of golden files.

use std::borrow::Cow;

use tool_core::{ConversionLoss, LossKind, ToolDefinition};

use super::*;
use crate::{Scratch, ScriptedTool};

/// Dialect that converts only names.
struct Names(&'static str);

impl Dialect for Names {
    fn id(&self) -> Cow<'static, str> {
        self.0.into()
    }
    fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools {
        let tools = definitions
            .iter()
            .map(|tool| json!({"z": 1, "name": tool.name()}));
        let mut converted = ProviderTools::new(tools.collect());
        converted.losses = vec![ConversionLoss::new(
            "f",
            "/a",
            "pattern",
            LossKind::Dropped,
            "not known",
        )];
        converted
    }
}

fn registry(names: &[&str]) -> Registry {
    let registry = Registry::new();
    for name in names {
        registry.register(ScriptedTool::new(name, [])).unwrap();
    }
    registry
}

#[test]
fn written_files_match() {
    let scratch = Scratch::new();
    let dialects: [&dyn Dialect; 2] = [&Names("names"), &Names("names:strict/2")];
    let folder = scratch.path().join("golden");

    let missing = failure(&registry(&["a", "b"]), &dialects, &folder, false);
    let written = failure(&registry(&["a", "b"]), &dialects, &folder, true);
    let same = failure(&registry(&["a", "b"]), &dialects, &folder, false);

    assert!(missing.unwrap().contains("+      \"name\": \"a\","));
    assert_eq!((written, same), (None, None));
    assert!(scratch.has("golden/names_strict_2.json"));
    let text = scratch.read("golden/names.json");
    assert!(
        text.ends_with("}\n") && text.contains("\"dropped\""),
        "{text}"
    );
}

#[test]
fn diff_contains_changed_lines() {
    let scratch = Scratch::new();
    let dialects: [&dyn Dialect; 1] = [&Names("names")];
    Golden::of(&registry(&["a"]))
        .write(&dialects, scratch.path())
        .unwrap();

    let differences = Golden::of(&registry(&["b"]))
        .compare(&dialects, scratch.path())
        .unwrap();

    assert_eq!(differences.len(), 1);
    assert_eq!(differences[0].file(), scratch.path().join("names.json"));
    let changed: Vec<&str> = differences[0]
        .diff()
        .lines()
        .filter(|line| line.starts_with(['-', '+']))
        .collect();
    assert_eq!(
        changed,
        ["-      \"name\": \"a\",", "+      \"name\": \"b\","]
    );
}

#[test]
fn ignores_crlf_line_endings() {
    let scratch = Scratch::new();
    let dialects: [&dyn Dialect; 1] = [&Names("names")];
    let golden = Golden::of(&registry(&["a"]));
    golden.write(&dialects, scratch.path()).unwrap();
    let text = scratch.read("names.json").replace('\n', "\r\n");
    let scratch = scratch.file("names.json", text);

    assert_eq!(golden.compare(&dialects, scratch.path()).unwrap(), []);
}

#[test]
fn truncates_large_diff() {
    let lines = "é line\n".repeat(100_000);

    let diff = diff("", &lines);

    assert!(diff.len() < MAX_SHOWN + 10);
    assert!(diff.ends_with("…\n"));
}

#[test]
#[should_panic(expected = "run again with UPDATE_GOLDEN=1")]
fn panics_on_difference() {
    let scratch = Scratch::new();

    panic_with(failure(
        &registry(&["a"]),
        &[&Names("names")],
        scratch.path(),
        false,
    ));
}

#[test]
fn reports_unreadable_file() {
    let scratch = Scratch::new().file("names.json", [0xFF, 0xFE]);

    let message = failure(&registry(&["a"]), &[&Names("names")], scratch.path(), false);

    assert!(
        message
            .unwrap()
            .starts_with("cannot read or write the golden files: ")
    );
}
