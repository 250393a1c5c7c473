use std::fs;

use serde_json::json;

use super::*;
use crate::client::risk::ToolClaims;

fn listed(name: &str, description: &str) -> Listed {
    Listed {
        name: name.into(),
        title: None,
        description: description.into(),
        input_schema: json!({"type": "object"}),
        output_schema: None,
        claims: ToolClaims::default(),
        hidden: 0,
    }
}

fn hidden(pins: &Pins, identity: &str, tools: &[Listed]) -> Vec<Vec<String>> {
    let reviews = pins.review("s", identity, tools);
    let changes = reviews
        .into_iter()
        .map(|hidden| hidden.map_or_else(Vec::new, |hidden| hidden.changes));
    changes.collect()
}

#[tokio::test]
async fn definitions_survive_restart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pins.json");
    let pins = Pins::open(&path).unwrap();
    assert_eq!(hidden(&pins, "i", &[listed("a", "Reads.")]), [[""; 0]]);
    pins.approve("s", "d");
    pins.save().await;

    let again = Pins::open(&path).unwrap();

    let changed = hidden(&again, "i", &[listed("a", "Reads all.")]);
    assert_eq!(changed, [["description"]]);
    assert_eq!(hidden(&again, "i", &[listed("a", "Reads.")]), [[""; 0]]);
    assert!(again.is_approved("s", "d") && !again.is_approved("s", "e"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let files = fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(files, 1);
}

#[test]
fn other_command_requires_review() {
    let pins = Pins::memory();
    let tools = [listed("a", "A."), listed("b", "B.")];
    assert_eq!(hidden(&pins, "i", &tools), [[""; 0], [""; 0]]);

    let more = [tools[0].clone(), listed("c", "C.")];
    let changed = hidden(&pins, "other", &more);
    let reason = "the command or the address of the server changed";
    assert_eq!(changed, [[reason], [reason]]);

    pins.accept("s", "other", &tools[0]);
    assert_eq!(hidden(&pins, "other", &more), [[""; 0], [""; 0]]);
}

#[test]
fn strict_pins_hide_new_tools() {
    let pins = Pins::memory().strict();
    let tool = listed("a", "A.");
    assert_eq!(
        hidden(&pins, "i", std::slice::from_ref(&tool)),
        [["the tool is new"]]
    );

    pins.accept("s", "i", &tool);

    assert_eq!(hidden(&pins, "i", std::slice::from_ref(&tool)), [[""; 0]]);
}

#[test]
fn any_change_hides_tool_and_shows_both_definitions() {
    let reviewed = listed("a", "Reads.");
    let claims = |idempotent| ToolClaims {
        idempotent: Some(idempotent),
        ..ToolClaims::default()
    };
    for (changed, names) in [
        (listed("a", "Reads"), &["description"][..]),
        (
            Listed {
                title: Some("A".into()),
                ..reviewed.clone()
            },
            &["title"],
        ),
        (
            Listed {
                input_schema: json!({"type": "object", "properties": {"optional": {}}}),
                output_schema: Some(json!({})),
                ..reviewed.clone()
            },
            &["input schema", "output schema"],
        ),
        (
            Listed {
                claims: claims(true),
                hidden: 1,
                ..reviewed.clone()
            },
            &["claims", "hidden"],
        ),
    ] {
        let pins = Pins::memory();
        hidden(&pins, "i", std::slice::from_ref(&reviewed));

        let mut reviews = pins.review("s", "i", std::slice::from_ref(&changed));

        let tool = reviews.remove(0).unwrap();
        assert_eq!(tool.changes, names);
        assert_eq!(tool.reviewed, Some(reviewed.to_value()));
        assert_eq!(tool.current, changed.to_value());
        assert_eq!(tool.digest, changed.digest());
        assert_ne!(tool.digest, reviewed.digest());
    }
}

#[test]
fn order_of_members_is_no_change() {
    let schema = |text: &str| Listed {
        input_schema: serde_json::from_str(text).unwrap(),
        ..listed("a", "A.")
    };
    let first = schema(r#"{"type": "object", "properties": {"a": {}, "b": {}}}"#);
    let second = schema(r#"{"properties": {"b": {}, "a": {}}, "type": "object"}"#);
    let pins = Pins::memory();

    hidden(&pins, "i", std::slice::from_ref(&first));

    assert_eq!(hidden(&pins, "i", std::slice::from_ref(&second)), [[""; 0]]);
    assert_eq!(first.digest(), second.digest());
}

#[test]
fn rejects_damaged_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pins.json");
    for (text, message) in [
        (
            "{\"version\": 1,",
            "the pins are invalid: EOF while parsing a value at line 1 column 14; restore the file or remove it",
        ),
        (
            "[]",
            "the pins are invalid: invalid length 0, expected struct File with 2 elements at line 1 column 2; restore the file or remove it",
        ),
        (
            "{\"version\": 2, \"servers\": {}}",
            "the pins have version 2; this version of tool-mcp supports version 1",
        ),
    ] {
        fs::write(&path, text).unwrap();

        let error = Pins::open(&path).unwrap_err();

        assert_eq!(error.to_string(), message);
    }
    assert!(matches!(
        Pins::open(directory.path()),
        Err(PinsError::Unreadable(_))
    ));
}
