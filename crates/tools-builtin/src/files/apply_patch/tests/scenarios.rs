//! Scenarios of the format that others publish: a directory for each, with `input`, `patch.txt` and `expected`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;
use tool_test::Scratch;

use super::Session;

/// Scenarios whose result we don't want: a file that exists is never replaced by accident, and no half of a patch stays.
const REFUSED: [&str; 3] = [
    "010_move_overwrites_existing_destination",
    "011_add_overwrites_existing_file",
    "015_failure_after_partial_success_leaves_changes",
];

fn add(directory: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            add(&path, &format!("{name}/"), found);
        } else {
            found.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

fn files(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    add(directory, "", &mut found);
    found
}

/// `PATCH_SCENARIOS=codex-rs/apply-patch/tests/fixtures/scenarios cargo test -p tools-builtin --lib published_scenarios -- --ignored`
#[tokio::test]
#[ignore = "reads the scenarios in PATCH_SCENARIOS"]
async fn published_scenarios_have_their_results() {
    let directory = std::env::var_os("PATCH_SCENARIOS").expect("a directory of scenarios");
    let mut scenarios = 0;
    for scenario in std::fs::read_dir(directory).unwrap() {
        let scenario = scenario.unwrap();
        let (name, directory) = (scenario.file_name(), scenario.path());
        let Ok(patch) = std::fs::read_to_string(directory.join("patch.txt")) else {
            continue;
        };
        let input = files(&directory.join("input"));
        let scratch = input.iter().fold(Scratch::new(), |scratch, (name, text)| {
            scratch.file(name, text)
        });

        let result = Session::new(&scratch).call(json!({"patch": patch})).await;

        let is_refused = REFUSED.iter().any(|refused| name == *refused);
        let expected = if is_refused {
            input.clone()
        } else {
            files(&directory.join("expected"))
        };
        assert_eq!(files(scratch.path()), expected, "{name:?}: {result}");
        assert_eq!(result.success, expected != input, "{name:?}: {result}");
        scenarios += 1;
    }
    assert!(scenarios > 20, "{scenarios}");
}
