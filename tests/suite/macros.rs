//! Tools from functions and methods.

#![allow(clippy::unused_async, reason = "the macro must accept async functions")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde_json::json;
use toolwright::prelude::*;

/// Id of an event.
#[data]
#[derive(Debug, PartialEq)]
struct EventId {
    id: String,
}

/// Adds an event to the calendar and returns its id.
///
/// Sends no invitations.
#[tool(risk = safe_write, title = "Add event", timeout = Duration::from_secs(5))]
async fn add_event(
    cx: &ToolContext,
    /// Title, at most 10 characters.
    #[tool(max_length = 10, alias = "name")]
    title: String,
    /// Start, as RFC 3339.
    #[tool(pattern = "^[0-9]{4}-", rename = "from")]
    start: String,
    /// Minutes. Defaults to 30.
    #[tool(default = 30, range = 1..=600)]
    minutes: u32,
    /// Guests.
    #[tool(length = 1..=2)]
    guests: Option<Vec<String>>,
) -> Result<EventId, ToolError> {
    if title.is_empty() {
        return Err(ToolError::invalid_arguments("title", "is empty"));
    }
    let guests = guests.unwrap_or_default().len();
    let id = format!(
        "{title} {start} {minutes} {guests} {}",
        cx.call_id().is_empty()
    );
    Ok(EventId { id })
}

/// Adds two numbers.
#[tool(risk = read_only, name = "plus", type = Plus)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Copies a file.
#[tool(exclusive)]
fn copy(#[tool(reads)] from: String, #[tool(writes)] to: Vec<String>) -> ToolOutput {
    ToolOutput::text(format!("{from} to {}", to.join(", ")))
}

/// Sends an invoice.
#[tool(risk = dangerous, preview = invoice)]
async fn send_invoice(to: String, cents: u32) -> String {
    format!("Sent {cents} to {to}.")
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "a preview borrows")]
fn invoice(to: &str, cents: &u32) -> String {
    format!("{to} pays {cents} cents")
}

/// Says nothing.
#[tool]
fn nothing() {}

struct Bank {
    balance: AtomicI64,
}

#[tools]
impl Bank {
    fn new() -> Self {
        Self {
            balance: AtomicI64::new(0),
        }
    }

    /// Pays in an amount, and returns the balance.
    #[tool(risk = dangerous)]
    async fn pay_in(
        &self,
        /// Cents.
        #[tool(range = 1..)]
        cents: i64,
    ) -> Result<i64, ToolError> {
        Ok(self.balance.fetch_add(cents, Ordering::SeqCst) + cents)
    }

    /// Returns the balance.
    #[tool(risk = read_only)]
    fn balance(&self, _cx: ToolContext) -> i64 {
        self.balance.load(Ordering::SeqCst)
    }
}

fn definition(tool: &dyn Tool) -> serde_json::Value {
    tool.definition().to_value()
}

#[test]
fn comments_and_options_become_the_definition() {
    let definition = AddEvent.definition();

    assert_eq!(definition.name(), "add_event");
    assert_eq!(definition.title(), Some("Add event"));
    assert_eq!(
        definition.description(),
        "Adds an event to the calendar and returns its id.\n\nSends no invitations."
    );
    assert_eq!(definition.risk(), RiskLevel::SafeWrite);
    assert_eq!(definition.timeout(), Some(Duration::from_secs(5)));
    assert_eq!(
        definition.input_schema(),
        &json!({
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "Title, at most 10 characters.", "maxLength": 10},
                "from": {"type": "string", "description": "Start, as RFC 3339.", "pattern": "^[0-9]{4}-"},
                "minutes": {
                    "type": "integer", "description": "Minutes. Defaults to 30.", "default": 30, "minimum": 1, "maximum": 600
                },
                "guests": {
                    "type": "array", "items": {"type": "string"}, "description": "Guests.", "minItems": 1, "maxItems": 2
                },
            },
            "required": ["title", "from"],
        })
    );
    assert!(definition.output_schema().is_some());
}

#[tokio::test]
async fn calls_run_the_function() {
    let registry = Registry::of(AddEvent).unwrap();

    let result = registry
        .execute(
            "add_event",
            r#"{"name": "Lunch", "from": "2026-11-30", "guests": ["Ada"]}"#,
        )
        .await;

    assert_eq!(
        result.data,
        Some(json!({"id": "Lunch 2026-11-30 30 1 false"})),
        "{result}"
    );
    let result = registry
        .execute("add_event", json!({"title": "", "from": "2026-"}))
        .await;
    assert_eq!(result.to_string(), "Error: `title` is empty.");
}

#[tokio::test]
async fn constraints_hold_before_the_function_runs() {
    let registry = Registry::of(AddEvent).unwrap();
    for (arguments, parameter) in [
        (
            json!({"title": "A very long title", "from": "2026-"}),
            "title",
        ),
        (json!({"title": "Lunch", "from": "tomorrow"}), "from"),
        (
            json!({"title": "Lunch", "from": "2026-", "minutes": 0}),
            "minutes",
        ),
        (
            json!({"title": "Lunch", "from": "2026-", "guests": []}),
            "guests",
        ),
    ] {
        let result = registry.execute("add_event", arguments).await;

        let error = result.error.unwrap();
        assert_eq!(error.code.as_str(), "invalid_arguments", "{parameter}");
        assert!(error.message.contains(parameter), "{}", error.message);
    }
}

#[tokio::test]
async fn functions_stay_callable() {
    assert_eq!(add(2, 40), 42);
    let registry = Registry::of(Plus).unwrap();
    assert_eq!(
        registry
            .execute("plus", json!({"a": 2, "b": "40"}))
            .await
            .to_string(),
        "42"
    );
}

#[tokio::test]
async fn outputs_need_no_data() {
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .tool(Copy)
        .unwrap()
        .tool(Nothing)
        .unwrap()
        .build();

    let copied = registry
        .execute("copy", json!({"from": "a", "to": ["b", "c"]}))
        .await;
    assert_eq!(copied.to_string(), "a to b, c");
    assert_eq!(definition(&Copy).get("output_schema"), None);
    assert_eq!(registry.execute("nothing", "{}").await.to_string(), "done");
}

#[tokio::test]
async fn preview_is_shown_to_approver() {
    let registry = Registry::builder()
        .approver(approver_fn(|request| {
            let shown = request.preview.map(|preview| preview.text);
            assert_eq!(shown.as_deref(), Some("ada pays 5 cents"));
            Answer::Approve
        }))
        .tool(SendInvoice)
        .unwrap()
        .build();

    let result = registry
        .execute("send_invoice", json!({"to": "ada", "cents": 5}))
        .await;

    assert_eq!(result.to_string(), "Sent 5 to ada.");
}

#[tokio::test]
async fn methods_share_their_value() {
    let bank = Arc::new(Bank::new());
    let tools = Bank::shared_tools(Arc::clone(&bank));
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .toolset(&tools)
        .unwrap()
        .build();

    let paid = registry.execute("pay_in", json!({"cents": 5})).await;
    let rejected = registry.execute("pay_in", json!({"cents": 0})).await;

    assert_eq!(paid.to_string(), "5");
    assert!(!rejected.success);
    assert_eq!(registry.execute("balance", "{}").await.to_string(), "5");
    assert_eq!(bank.balance.load(Ordering::SeqCst), 5);
    assert_eq!(Bank::new().tools().name(), "Bank");
}

/// Joins strings whose names the generated code uses too:
///   it must not confuse them.
#[tool(risk = read_only)]
fn join(
    context: &ToolContext,
    cx: String,
    #[tool(default = "b")] plan: String,
    input: Option<String>,
    #[tool(alias = "kind")] r#type: String,
) -> String {
    let input = input.unwrap_or_default();
    format!(
        "{} {cx}{plan}{input}{}",
        context.call_id().is_empty(),
        r#type
    )
}

#[tokio::test]
async fn parameters_may_have_any_name() {
    let registry = Registry::of(Join).unwrap();

    let result = registry
        .execute("join", json!({"cx": "a", "input": "c", "kind": "d"}))
        .await;

    assert_eq!(result.to_string(), "false abcd");
    assert!(
        Join.definition()
            .description()
            .ends_with("\n  it must not confuse them.")
    );
}

/// Returns the balance of an account.
#[tool(risk = read_only)]
fn find_balance(name: String) -> Result<Option<i64>, ToolError> {
    match name.as_str() {
        "ada" => Ok(Some(42)),
        "bob" => Ok(None),
        _ => Err("There is no such account".into()),
    }
}

#[tokio::test]
async fn nothing_found_is_not_done() {
    let tool: Box<dyn Tool> = Box::new(FindBalance);
    let registry = Registry::of(tool).unwrap();

    for (name, text) in [
        ("ada", "42"),
        ("bob", "no result"),
        ("eve", "Error: There is no such account."),
    ] {
        let result = registry
            .execute("find_balance", json!({"name": name}))
            .await;

        assert_eq!(result.to_string(), text);
    }
}

/// The same macros for libraries that depend on `tool-core` alone.
mod core_only {
    use tool_core::{Registry, tool, tools};

    /// Doubles a number.
    #[tool(risk = read_only)]
    fn double(number: i64) -> i64 {
        2 * number
    }

    struct Dice(u8);

    #[tools]
    impl Dice {
        /// Rolls the dice.
        #[tool(risk = read_only)]
        fn roll(&self) -> u8 {
            self.0
        }
    }

    #[tokio::test]
    async fn macros_work_with_tool_core_alone() {
        let registry = Registry::builder()
            .tool(Double)
            .unwrap()
            .toolset(&Dice(6).tools())
            .unwrap()
            .build();

        assert_eq!(
            registry
                .execute("double", r#"{"number": 21}"#)
                .await
                .to_string(),
            "42"
        );
        assert_eq!(registry.execute("roll", "{}").await.to_string(), "6");
    }
}
