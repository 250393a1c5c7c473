//! Proves that the cases have the values of all old files `<provider>/<case>/<file>`, and no others.

use std::fs;
use std::path::Path;

use provider_adapters::Provider;
use serde_json::Value;

use super::cases::cases;

/// Returns the old name of a part without its extension, and its text without white space between
/// tokens. Streams are not changed.
fn old(file: &str, text: String) -> (&str, String) {
    if ["stream.sse", "stream.ndjson", "events.jsonl"].contains(&file) {
        return ("stream", text);
    }
    let value: Value = serde_json::from_str(&text).unwrap();
    (file.strip_suffix(".json").unwrap(), value.to_string())
}

#[test]
fn new_cases_equal_the_old_files() {
    let parts = "options tools converted response stream decoded transcript request losses";
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let (mut equal, mut new) = (0, 0);
    for case in cases() {
        new += parts
            .split(' ')
            .filter(|part| case.part(part).is_some())
            .count();
        let folder = fixtures.join(case.provider.as_str()).join(&case.name);
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let (part, text) = old(name, fs::read_to_string(&path).unwrap());

            let stored = match part {
                "stream" => case.stream().unwrap(),
                _ => case.part(part).unwrap().to_string(),
            };

            assert_eq!(stored, text, "{case}: {name}");
            equal += 1;
        }
    }
    let folders = Provider::ALL
        .iter()
        .map(|provider| fixtures.join(provider.as_str()));
    let cases = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = cases.map(|case| fs::read_dir(case.unwrap().path()).unwrap().count());
    assert_eq!((equal, new), (files.sum(), equal));
    println!("{equal} files are equal");
}
