//! JSON Schema test suite: equal results and errors for tapes and values.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::json::{Json, SerdeJson};
use jsonschema::{Draft, Validator};
use serde::Deserialize;
use serde_json::Value;

use super::TapeJson;
use super::tests::listed;
use crate::parse::parse;

/// A schema with its test cases.
#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<Case>,
}

/// A value and whether it matches the schema.
#[derive(Deserialize)]
struct Case {
    description: String,
    data: Value,
    valid: bool,
}

/// Results of one part of the suite.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    cases: usize,
    /// Cases with another result than the suite states.
    wrong: Vec<String>,
    /// Groups whose schema refers to a remote schema.
    rejected: Vec<String>,
}

/// Returns the files of one part: `required`, `optional` or `optional/format`.
fn files(draft: &str, part: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/json_schema_suite")
        .join(draft)
        .join(part);
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

fn compiled<F: Json>(schema: &Value, draft: Draft, formats: bool) -> Result<Validator<F>, String> {
    jsonschema::options_for()
        .offline()
        .with_draft(draft)
        .should_validate_formats(formats)
        .build(schema)
        .map_err(|error| error.to_string())
}

fn run(part: &str) -> Outcome {
    let mut outcome = Outcome::default();
    for (directory, draft) in [
        ("draft7", Draft::Draft7),
        ("draft2020-12", Draft::Draft202012),
    ] {
        for file in files(directory, part) {
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
                            .rejected
                            .push(format!("{directory}/{name}: {}", group.description));
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
        let tape = parse(&text).unwrap();
        let root = tape.root();
        let place = format!("{}: {}", group.description, case.description);

        assert_eq!(
            by_tape.is_valid(root),
            by_value.is_valid(&case.data),
            "{place}"
        );
        // Use the parsed value, in which `1.0` is `1`, so that the messages are equal.
        let value = root.to_value();
        assert_eq!(
            listed(by_tape.iter_errors(root)),
            listed(by_value.iter_errors(&value)),
            "{place}"
        );
        outcome.cases += 1;
        if by_tape.is_valid(root) != case.valid {
            outcome.wrong.push(place);
        }
    }
}

#[test]
fn required_cases_have_expected_results() {
    let outcome = run("");

    let rejected = [
        "strict-tree schema, guards against misspelled properties",
        "tests for implementation dynamic anchor and reference link",
        "$ref and $dynamicAnchor are independent of order - $defs first",
        "$ref and $dynamicAnchor are independent of order - $ref first",
        "$ref to $dynamicRef finds detached $dynamicAnchor",
    ];
    // The meta-schema that disables validation is remote.
    let wrong = "schema that uses custom metaschema with with no validation vocabulary: \
                 no validation: invalid number, but it still validates";
    let expected = Outcome {
        cases: 2103,
        wrong: vec![wrong.to_owned()],
        rejected: rejected
            .map(|name| format!("draft2020-12/dynamicRef.json: {name}"))
            .into(),
    };
    assert_eq!(outcome, expected);
}

#[test]
fn optional_cases_have_equal_results_for_tape_and_value() {
    let outcome = run("optional");

    assert_eq!((outcome.cases, outcome.rejected), (273, Vec::new()));
}

#[test]
fn formats_have_equal_results_for_tape_and_value() {
    let outcome = run("optional/format");

    assert_eq!((outcome.cases, outcome.rejected), (925, Vec::new()));
}

#[test]
fn tape_conforms_to_representation() {
    let text = jsonschema::json::conformance::document().to_string();
    let tape = parse(&text).unwrap();

    jsonschema::json::conformance::assert_conformance::<TapeJson>(&tape.root());

    assert_eq!(
        tape.root().to_value(),
        jsonschema::json::conformance::document()
    );
}
