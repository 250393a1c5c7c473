//! Secrets in text and values, and secrets learned at run time.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn redactor(values: &[&str]) -> Redactor {
    let add = |redactor: Redactor, value: &&str| {
        redactor
            .with_value(&Secret::new((*value).to_owned()))
            .unwrap()
    };
    values.iter().fold(Redactor::new(), add)
}

#[test]
fn removes_every_known_secret() {
    let redactor = redactor(&["secret-one", "one-and-two", "with \"quotes\""]);
    for (text, scrubbed) in [
        ("nothing here", "nothing here"),
        ("secret-one", "[redacted]"),
        ("a secret-one, b secret-one.", "a [redacted], b [redacted]."),
        ("secret-one-and-two!", "[redacted]!"),
        (r#"{"k":"with \"quotes\""}"#, r#"{"k":"[redacted]"}"#),
        ("x with \"quotes\" y", "x [redacted] y"),
    ] {
        assert_eq!(redactor.scrub(text), scrubbed);
    }
}

#[test]
fn scrubs_value_at_any_depth() {
    let mut value = json!({"a": ["x secret-one"], "secret-one": {"b": "secret-one"}, "n": 5});

    redactor(&["secret-one"]).scrub_value(&mut value);

    assert_eq!(
        value,
        json!({"a": ["x [redacted]"], "[redacted]": {"b": "[redacted]"}, "n": 5})
    );
}

#[test]
fn debug_output_hides_secrets() {
    assert_eq!(
        format!("{:?}", redactor(&["secret-one"])),
        "Redactor { values: 1, .. }"
    );
}

fn learn(redactor: &Redactor, value: &str) -> Result<(), LearnError> {
    redactor.learn(&Secret::new(value.to_owned()))
}

#[test]
fn clones_share_learned_secrets() {
    let known = redactor(&["secret-one"]);
    let clone = known.clone();

    learn(&clone, "token \"two\"").unwrap();

    for (text, scrubbed) in [
        ("secret-one, token \"two\"", "[redacted], [redacted]"),
        (r#"{"k":"token \"two\""}"#, r#"{"k":"[redacted]"}"#),
        ("Token \"two\"", "Token \"two\""),
    ] {
        assert_eq!(known.scrub(text), scrubbed);
    }
    assert_eq!(format!("{known:?}"), "Redactor { values: 2, .. }");
}

#[test]
fn forgets_oldest_learned_secret_first() {
    let redactor = redactor(&["permanent"]);
    for number in 0..256 {
        learn(&redactor, &format!("token-{number:03}")).unwrap();
    }
    // Learned again, so it is the newest.
    learn(&redactor, "token-000").unwrap();

    learn(&redactor, "token-256").unwrap();

    assert_eq!(
        redactor.scrub("permanent token-000 token-001 token-002 token-256"),
        "[redacted] [redacted] token-001 [redacted] [redacted]"
    );
    assert_eq!(format!("{redactor:?}"), "Redactor { values: 257, .. }");
}

#[test]
fn rejects_secrets_of_unsuitable_length() {
    let redactor = Redactor::new();

    for (length, error) in [
        (5, Some(LearnError::TooShort)),
        (6, None),
        (64 * 1024, None),
        (64 * 1024 + 1, Some(LearnError::TooLong)),
    ] {
        assert_eq!(
            learn(&redactor, &"x".repeat(length)).err(),
            error,
            "{length}"
        );
    }
}

proptest! {
    #[test]
    fn no_known_secret_remains(
        values in prop::collection::vec("[ab]{6,8}", 1..4),
        text in "[abc]{0,60}",
    ) {
        let known: Vec<&str> = values.iter().map(String::as_str).collect();

        let scrubbed = redactor(&known).scrub(&text).into_owned();

        for piece in scrubbed.split(REDACTED) {
            prop_assert!(known.iter().all(|value| !piece.contains(value)), "{scrubbed}");
        }
    }
}
