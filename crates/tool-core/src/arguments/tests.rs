use std::thread;

use serde_json::json;

use super::coerce::coerce;
use crate::{DynamicTool, Registry, ToolDefinition, ToolError, ToolOutput};

/// Default stack size of threads in most runtimes.
const STACK: usize = 2 * 1024 * 1024;

fn with_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap().join().unwrap()
}

#[test]
fn parse_errors_have_matching_code() {
    for (text, code, message) in [
        (
            "{\"a\": ",
            "truncated_arguments",
            "The arguments are truncated: the text ends inside a value (line 1, column 7).",
        ),
        (
            "{\"a\": b}",
            "invalid_arguments",
            "The arguments are invalid: expected a value (line 1, column 7).",
        ),
        (
            "{\"a\":1,\"a\":2}",
            "invalid_arguments",
            "The arguments are invalid: duplicate key `a` (line 1, column 8).",
        ),
    ] {
        let error = ToolError::from(tool_json::repair(text).unwrap_err());

        assert_eq!((error.code().as_str(), error.message()), (code, message));
    }
}

#[test]
fn coerces_long_list_on_small_stack() {
    let schema = json!({"properties": {"list": {"items": {"anyOf": [
        {"type": "integer"}, {"type": "object", "properties": {"list": {"$ref": "#/properties/list"}}}]}}}});
    let inner = (0..50).fold(json!("5"), |inner, _| json!({"list": [inner]}));
    let mut value = json!({"list": vec![json!("5"); 100_000], "deep": inner.clone()});
    value["list"].as_array_mut().unwrap().insert(0, inner);

    let changes = with_small_stack(move || coerce(&mut value, &schema).len());

    assert_eq!(changes, 1000);
}

#[test]
fn executes_call_with_deep_value_on_small_stack() {
    let result = with_small_stack(|| {
        let schema = json!({"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": false});
        let definition = ToolDefinition::new("f", "Measures.", schema);
        let tool = DynamicTool::new(definition, |_, arguments| async move {
            Ok(ToolOutput::text(arguments.to_string()))
        });
        let registry = Registry::of(tool).unwrap();
        let text = format!("{}{{}}{}", "{\"a\":".repeat(126), "}".repeat(126));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(registry.execute("f", &text)).success
    });

    assert!(result);
}

mod alias {
    use serde_json::json;

    use super::super::*;

    #[test]
    fn renames_alias_and_records_change() {
        let aliases = [("file_path".into(), "path".into())];
        let mut tape = Tape::from(&json!({"file_path": "a"})).into_owned();
        let mut changes = Vec::new();

        apply_aliases(&mut tape, &aliases, &mut changes).unwrap();

        assert_eq!(tape.root().to_value(), json!({"path": "a"}));
        assert_eq!(
            changes,
            [ArgumentChange::new(
                "/path",
                ChangeKind::Alias,
                json!("file_path"),
                json!("path")
            )]
        );
    }

    #[test]
    fn renames_aliases_in_objects_of_list() {
        let aliases = [
            ("edits/*/old_string".into(), "old".into()),
            ("old_string".into(), "old".into()),
        ];
        let value = json!({"edits": [{"old_string": "a"}, 1, {"old": "b", "x": {"old_string": 1}}, {"old_string": "c"}]});
        let mut tape = Tape::from(&value).into_owned();
        let mut changes = Vec::new();

        apply_aliases(&mut tape, &aliases, &mut changes).unwrap();

        let renamed =
            json!({"edits": [{"old": "a"}, 1, {"old": "b", "x": {"old_string": 1}}, {"old": "c"}]});
        assert_eq!(tape.root().to_value(), renamed);
        let pointers: Vec<&str> = changes
            .iter()
            .map(|change| change.pointer.as_str())
            .collect();
        assert_eq!(pointers, ["/edits/0/old", "/edits/3/old"]);
        let both = json!({"edits": [{"old_string": "a", "old": "b"}]});
        let error =
            apply_aliases(&mut Tape::from(&both).into_owned(), &aliases, &mut changes).unwrap_err();
        assert!(error.message().contains("given as `old` only"), "{error}");
    }

    #[test]
    fn rejects_parameter_with_its_alias() {
        let aliases = [("file_path".into(), "path".into())];
        let mut tape = Tape::from(&json!({"file_path": "a", "path": "b"})).into_owned();

        let error = apply_aliases(&mut tape, &aliases, &mut Vec::new()).unwrap_err();

        assert_eq!(
            error.message(),
            "The arguments do not fit: `file_path` must be given as `path` only, not both names."
        );
    }
}
