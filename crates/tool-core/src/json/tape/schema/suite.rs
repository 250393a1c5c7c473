//! The JSON Schema test suite: the same verdicts and the same faults from a tape as from a value.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::json::{Json, SerdeJson};
use jsonschema::{Draft, Validator};
use serde::Deserialize;
use serde_json::Value;

use super::TapeJson;
use super::tests::told;
use crate::json::parse::{ParseLimits, parse_tape};
use crate::schema::options;

/// Schemas with one meaning.
#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<Case>,
}

/// One value, and whether the schema takes it.
#[derive(Deserialize)]
struct Case {
    description: String,
    data: Value,
    valid: bool,
}

/// What came of one part of the suite.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    cases: usize,
    /// Cases whose verdict is not that of the suite.
    wrong: Vec<String>,
    /// Groups whose schema cannot be compiled without fetching another one.
    refused: Vec<String>,
}

/// The files of one part, `required`, `optional` or `optional/format`.
fn files(draft: &str, part: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/json_schema_suite")
        .join(draft)
        .join(part);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

fn compiled<F: Json>(schema: &Value, draft: Draft, formats: bool) -> Result<Validator<F>, String> {
    options()
        .with_draft(draft)
        .should_validate_formats(formats)
        .build(schema)
        .map_err(|error| error.to_string())
}

fn run(part: &str) -> Outcome {
    let mut outcome = Outcome::default();
    for (folder, draft) in [
        ("draft7", Draft::Draft7),
        ("draft2020-12", Draft::Draft202012),
    ] {
        for file in files(folder, part) {
            let groups: Vec<Group> =
                serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
            for group in groups {
                let by_value = compiled(&group.schema, draft, part.ends_with("format"));
                let by_tape = compiled(&group.schema, draft, part.ends_with("format"));
                match (by_value, by_tape) {
                    (Ok(by_value), Ok(by_tape)) => {
                        compare(&group, &by_value, &by_tape, &mut outcome);
                    }
                    (by_value, by_tape) => {
                        assert_eq!(by_value.err(), by_tape.err(), "{}", group.description);
                        let name = file.file_name().unwrap().to_string_lossy();
                        outcome
                            .refused
                            .push(format!("{folder}/{name}: {}", group.description));
                    }
                }
            }
        }
    }
    outcome
}

fn compare(
    group: &Group,
    by_value: &Validator<SerdeJson>,
    by_tape: &Validator<TapeJson>,
    outcome: &mut Outcome,
) {
    for case in &group.tests {
        let text = case.data.to_string();
        let tape = parse_tape(&text, &ParseLimits::default()).unwrap();
        let root = tape.root();
        let place = format!("{}: {}", group.description, case.description);

        assert_eq!(
            by_tape.is_valid(root),
            by_value.is_valid(&case.data),
            "{place}"
        );
        // The value that was parsed, in which `1.0` is written `1`, so that the texts are the same too.
        let value = root.to_value();
        assert_eq!(
            told(by_tape.iter_errors(root)),
            told(by_value.iter_errors(&value)),
            "{place}"
        );
        outcome.cases += 1;
        if by_tape.is_valid(root) != case.valid {
            outcome.wrong.push(place);
        }
    }
}

#[test]
fn every_required_case_has_the_verdict_of_the_suite() {
    let outcome = run("");

    let refused = [
        "strict-tree schema, guards against misspelled properties",
        "tests for implementation dynamic anchor and reference link",
        "$ref and $dynamicAnchor are independent of order - $defs first",
        "$ref and $dynamicAnchor are independent of order - $ref first",
        "$ref to $dynamicRef finds detached $dynamicAnchor",
    ];
    // Its meta-schema would have to be fetched to know that it asserts less.
    let wrong = "schema that uses custom metaschema with with no validation vocabulary: \
                 no validation: invalid number, but it still validates";
    let expected = Outcome {
        cases: 2103,
        wrong: vec![wrong.to_owned()],
        refused: refused
            .map(|name| format!("draft2020-12/dynamicRef.json: {name}"))
            .into(),
    };
    assert_eq!(outcome, expected);
}

#[test]
fn every_optional_case_has_the_same_verdict_from_tape_and_value() {
    let outcome = run("optional");

    assert_eq!((outcome.cases, outcome.refused), (273, Vec::new()));
}

#[test]
fn every_format_has_the_same_verdict_from_tape_and_value() {
    let outcome = run("optional/format");

    assert_eq!((outcome.cases, outcome.refused), (925, Vec::new()));
}

#[test]
fn the_tape_keeps_the_rules_of_a_representation() {
    let text = jsonschema::json::conformance::document().to_string();
    let tape = parse_tape(&text, &ParseLimits::default()).unwrap();

    jsonschema::json::conformance::assert_conformance::<TapeJson>(&tape.root());

    assert_eq!(
        tape.root().to_value(),
        jsonschema::json::conformance::document()
    );
}
