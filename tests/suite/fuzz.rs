//! Replay of the fuzz corpora. `tests/fuzz.sh` searches for new inputs.

use std::fs;
use std::path::Path;

#[path = "../../fuzz/targets.rs"]
mod targets;

fn replay(name: &str, target: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz/corpus")
        .join(name);
    let mut inputs = 0;
    for entry in fs::read_dir(corpus).unwrap() {
        let data = fs::read(entry.unwrap().path()).unwrap();
        // Truncated inputs are additional cases.
        for end in [data.len(), data.len() / 2, data.len() / 3] {
            target(&data[..end]);
        }
        inputs += 1;
    }
    assert!(inputs >= 5, "{name}: {inputs} inputs");
}

#[test]
fn tool_json_replays_corpus() {
    replay("tool_json", targets::tool_json);
}

#[test]
fn shell_verdict_replays_corpus() {
    replay("shell_verdict", targets::shell_verdict);
}

#[test]
fn html_text_replays_corpus() {
    replay("html_text", targets::html_text);
}

#[test]
fn office_text_replays_corpus() {
    replay("office_text", targets::office_text);
}

#[test]
fn stream_decoders_replay_corpus() {
    replay("stream_decoders", targets::stream_decoders);
}

#[test]
fn schema_passes_replay_corpus() {
    replay("schema_passes", targets::schema_passes);
}

#[test]
fn file_edits_replay_corpus() {
    replay("file_edits", targets::file_edits);
}
