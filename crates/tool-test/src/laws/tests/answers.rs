//! Laws about answers, each with a tool that breaks it.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use tool_core::{Arguments, ToolContext};

use super::*;

fn answering<F, Fut>(run: F) -> Arc<dyn Tool>
where
    F: Fn(Value) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    let definition = ToolDefinition::new("f", "F.", schema()).with_risk(RiskLevel::ReadOnly);
    Arc::new(DynamicTool::new(definition, move |_, arguments| {
        run(arguments)
    }))
}

#[tokio::test]
async fn each_law_of_answers_is_noticed() {
    let failing = |error: fn() -> ToolError| answering(move |_| async move { Err(error()) });
    let cut = |text: &'static str| {
        answering(move |_| async move {
            Ok(ToolOutput::text(text).with_data(json!({"truncated": true})))
        })
    };
    for (tool, law) in [
        (
            answering(|arguments| async move {
                assert!(arguments["path"] != "..", "a fault");
                Ok("ok".into())
            }),
            Some("no arguments make the tool panic"),
        ),
        (
            failing(|| ToolError::failed("a").reworded(ErrorCode::Failed, " ")),
            Some("every error says what is wrong"),
        ),
        (
            failing(|| ToolError::new("".into(), "It failed")),
            Some("every error has a code"),
        ),
        (
            failing(|| ToolError::new("It failed!".into(), "It failed")),
            Some("every error has a code"),
        ),
        (
            failing(|| ToolError::invalid_arguments("file_path", "is empty")),
            Some("an error names the parameter as the model sees it"),
        ),
        (
            failing(|| ToolError::invalid_arguments("path", "is empty")),
            None,
        ),
        (
            answering(|_| async { Ok("x".repeat(200_000).into()) }),
            Some("the output keeps within its limit"),
        ),
        (cut("one file"), Some("an output that was cut says so")),
        (cut("one file [… 3 more]"), None),
    ] {
        let broken = broken_by(tool).await;

        assert_eq!(broken, law.into_iter().collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn the_limit_of_the_output_is_the_one_that_was_set() {
    let tool = answering(|_| async { Ok("x".repeat(2000).into()) });

    let broken = Laws::of(tool).output_limit(1000).check().await;

    assert_eq!(
        broken[0].to_string(),
        "the output keeps within its limit: 1000 bytes too many"
    );
}

/// A tool that takes anything at first, and later says that it does not.
struct Later {
    open: ToolDefinition,
    strict: ToolDefinition,
    looks_left: AtomicUsize,
}

#[async_trait]
impl Tool for Later {
    fn definition(&self) -> &ToolDefinition {
        let fewer = |left: usize| left.checked_sub(1);
        match self
            .looks_left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer)
        {
            Ok(_) => &self.open,
            Err(_) => &self.strict,
        }
    }
    async fn execute(&self, _: &ToolContext, _: &Arguments<'_>) -> Result<ToolOutput, ToolError> {
        Ok("ok".into())
    }
}

#[tokio::test]
async fn a_definition_that_changes_lets_invalid_arguments_in_and_that_is_noticed() {
    let of = |schema| ToolDefinition::new("f", "F.", schema).with_risk(RiskLevel::ReadOnly);
    let mut noticed = Vec::new();
    for looks in 1..60 {
        let tool = Later {
            open: of(json!({"type": "object"})),
            strict: of(schema()),
            looks_left: AtomicUsize::new(looks),
        };
        noticed.extend(broken_by(Arc::new(tool)).await);
    }

    for law in [
        "the definition is always the same",
        "invalid arguments are refused",
        "invalid arguments never reach the tool",
    ] {
        assert!(noticed.contains(&law), "{law}");
    }
}

#[tokio::test]
async fn an_example_that_does_not_fit_is_noticed() {
    let definition = ToolDefinition::new("f", "F.", schema()).with_example(json!({"path": 7.5}));
    let tool = DynamicTool::new(definition, |_, _| async { Ok("ok".into()) });

    assert_eq!(broken_by(Arc::new(tool)).await, ["the examples are valid"]);
}
