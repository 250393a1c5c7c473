//! Laws about results.

use std::sync::atomic::{AtomicUsize, Ordering};

use tool_core::{Arguments, CallPlan, PreparedCall, ToolContext};

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
async fn detects_broken_result_laws() {
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
            Some("the tool never panics"),
        ),
        (
            failing(|| ToolError::failed("a").reworded(ErrorCode::Failed, " ")),
            Some("every error has a message"),
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
            Some("errors use parameter names of the schema"),
        ),
        (
            failing(|| ToolError::invalid_arguments("path", "is empty")),
            None,
        ),
        (
            answering(|_| async { Ok("x".repeat(200_000).into()) }),
            Some("the output does not exceed its limit"),
        ),
        (cut("one file"), Some("truncated output is marked")),
        (cut("one file [… 3 more]"), None),
        (cut("o\nWarning: Only the first character is shown."), None),
    ] {
        let broken = broken_by(tool).await;

        assert_eq!(broken, law.into_iter().collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn output_limit_is_configurable() {
    let tool = answering(|_| async { Ok("x".repeat(2000).into()) });

    let broken = Laws::of(tool).output_limit(1000).check().await;

    assert_eq!(
        broken[0].to_string(),
        "the output does not exceed its limit: 1000 bytes over the limit"
    );
}

/// Tool whose schema becomes strict after `reads_left` reads of the definition.
struct Later {
    open: ToolDefinition,
    strict: ToolDefinition,
    reads_left: AtomicUsize,
}

impl Tool for Later {
    fn definition(&self) -> &ToolDefinition {
        let fewer = |left: usize| left.checked_sub(1);
        match self
            .reads_left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer)
        {
            Ok(_) => &self.open,
            Err(_) => &self.strict,
        }
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(RiskLevel::ReadOnly);
        Ok(PreparedCall::new(plan, async { Ok("ok".into()) }))
    }
}

#[tokio::test]
async fn detects_changing_definitions() {
    let of = |schema| ToolDefinition::new("f", "F.", schema).with_risk(RiskLevel::ReadOnly);
    let mut detected = Vec::new();
    for reads in 1..60 {
        let tool = Later {
            open: of(json!({"type": "object"})),
            strict: of(schema()),
            reads_left: AtomicUsize::new(reads),
        };
        detected.extend(broken_by(Arc::new(tool)).await);
    }

    for law in [
        "the definition never changes",
        "invalid arguments are rejected",
        "invalid arguments never reach the tool",
    ] {
        assert!(detected.contains(&law), "{law}");
    }
}

#[tokio::test]
async fn detects_invalid_examples() {
    let definition = ToolDefinition::new("f", "F.", schema()).with_example(json!({"path": 7.5}));
    let tool = DynamicTool::new(definition, |_, _| async { Ok("ok".into()) });

    assert_eq!(broken_by(Arc::new(tool)).await, ["the examples are valid"]);
}

#[tokio::test]
async fn tries_both_ends_of_every_range() {
    let number = |bounds: Value| {
        let mut schema = json!({"type": "integer", "description": "Number."});
        let bounds = bounds.as_object().unwrap().clone();
        schema.as_object_mut().unwrap().extend(bounds);
        json!({"type": "object", "properties": {
            "n": schema, "other": {"type": "integer", "description": "Number."},
        }})
    };
    for (bounds, end) in [
        (json!({}), json!(i64::MIN)),
        (json!({}), json!(i64::MAX)),
        (json!({}), json!(u64::MAX)),
        (json!({"minimum": 1, "maximum": 10}), json!(1)),
        (json!({"minimum": 1, "maximum": 10}), json!(10)),
        (json!({"type": "number", "minimum": 1}), json!(f64::MAX)),
    ] {
        let definition =
            ToolDefinition::new("f", "F.", number(bounds)).with_risk(RiskLevel::ReadOnly);
        let fails_at = end.clone();
        let tool = DynamicTool::new(definition, move |_, arguments| {
            let is_end = arguments["n"] == fails_at && arguments["other"] == 1;
            async move {
                assert!(!is_end, "a fault");
                Ok(ToolOutput::text("ok"))
            }
        });

        let broken = Laws::of(Arc::new(tool)).check().await;

        let mut laws: Vec<&str> = broken.iter().map(Broken::law).collect();
        laws.dedup();
        assert_eq!(laws, ["the tool never panics"], "{end}");
    }
}

/// Tool whose plan or error depends on the number of its preparations.
struct Unsteady {
    definition: ToolDefinition,
    prepared: AtomicUsize,
    fails: bool,
}

impl Tool for Unsteady {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let number = self.prepared.fetch_add(1, Ordering::SeqCst);
        if self.fails && number == 3 {
            return Err(ToolError::failed("Not now"));
        }
        let mut plan = CallPlan::of(RiskLevel::ReadOnly);
        if !self.fails {
            plan = plan.reads(number.to_string());
        }
        Ok(PreparedCall::new(plan, async { Ok("ok".into()) }))
    }
}

#[tokio::test]
async fn detects_differing_plans() {
    for fails in [false, true] {
        let tool = Unsteady {
            definition: ToolDefinition::new("f", "F.", schema()).with_risk(RiskLevel::ReadOnly),
            prepared: AtomicUsize::new(0),
            fails,
        };

        assert_eq!(
            broken_by(Arc::new(tool)).await,
            ["equal arguments have equal plans"]
        );
    }
}
