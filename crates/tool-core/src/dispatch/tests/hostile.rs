//! Host code and tools that violate their contracts, and interactions between steps.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use async_trait::async_trait;

use super::*;
use crate::approval::{Answer, ApprovalRequest, Approver, Decision, Preview, Rule, Verdict};
use crate::{
    Arguments, CallOptions, CallPlan, Clock, ContentBlock, PreparedCall, Progress, ProgressSink,
    Redactor, Secret, Timestamp, Tool, ToolCall, ToolContext, ToolError,
};

const SECRET: &str = "sk-very-secret";

fn redactor() -> Redactor {
    let secret = Secret::new(SECRET.to_owned());
    Redactor::new().with_value(&secret).unwrap()
}

/// A tool whose definition panics once the flag is set.
struct FaultyDefinition(ToolDefinition, Arc<AtomicBool>);

impl Tool for FaultyDefinition {
    fn definition(&self) -> &ToolDefinition {
        assert!(!self.1.load(Ordering::SeqCst), "a bug in the definition");
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.definition().risk());
        Ok(PreparedCall::new(plan, async {
            Ok(ToolOutput::text("done"))
        }))
    }
}

#[tokio::test]
async fn panicking_definition_fails_only_its_call() {
    let breaks = Arc::new(AtomicBool::new(false));
    let tool = FaultyDefinition(definition("f", RiskLevel::ReadOnly), Arc::clone(&breaks));
    let registry = Registry::of(tool).unwrap();
    breaks.store(true, Ordering::SeqCst);

    let result = registry.execute("f", json!({})).await;

    assert_eq!(code(&result), &ErrorCode::Panic);
    breaks.store(false, Ordering::SeqCst);
    assert!(registry.execute("f", json!({})).await.success);
}

struct BrokenClock;

impl Clock for BrokenClock {
    fn now(&self) -> Timestamp {
        panic!("a bug in the clock")
    }
}

#[tokio::test]
async fn panicking_clock_is_replaced_by_system_clock() {
    let (tool, _) = echo("f", limit_schema());
    let registry = Registry::builder()
        .clock(BrokenClock)
        .tool(tool)
        .unwrap()
        .build();
    let before = Timestamp::now();

    let result = registry.execute("f", json!({"path": "a"})).await;

    assert!(result.success, "{result}");
    assert!(result.metadata.start_time >= before);
}

/// An error whose `Display` panics.
#[derive(Debug)]
struct PanickingSource;

impl fmt::Display for PanickingSource {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("a bug in the cause")
    }
}

impl std::error::Error for PanickingSource {}

#[tokio::test]
async fn panicking_source_is_omitted() {
    let tool = DynamicTool::new(definition("f", RiskLevel::ReadOnly), |_, _| async {
        Err(ToolError::failed("No luck").caused_by(PanickingSource))
    });
    let registry = Registry::builder()
        .redactor(redactor())
        .tool(tool)
        .unwrap()
        .build();

    let result = registry.execute("f", json!({})).await;

    assert_eq!(result.to_string(), "Error: No luck.");
}

#[tokio::test]
async fn zero_timeout_is_deadline() {
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), |cx, _| async move {
        Ok(ToolOutput::json(json!(cx.deadline().is_some())))
    });
    let options = CallOptions::default().with_timeout(Duration::ZERO);

    let result = registry
        .execute_call(&ToolCall::new("f", "{}"), &options)
        .await;

    assert_eq!(result.data, Some(json!(true)));
}

/// Edits the policy during the request, and approves.
struct Distracted(Arc<Mutex<Option<Registry>>>, Answer);

#[async_trait]
impl Approver for Distracted {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let registry = self.0.lock().unwrap().clone().unwrap();
        let rule = Rule::new("meanwhile", "f", Verdict::Deny);
        registry.edit_policy(|policy| policy.rules.push(rule));
        Decision::new(request, self.1.clone())
    }
}

#[tokio::test]
async fn policy_change_during_approval_denies() {
    let edit = Answer::Edit {
        arguments: json!({"path": "b"}),
    };
    for answer in [Answer::Approve, Answer::Always, edit] {
        let (tool, runs) = echo("f", limit_schema());
        let asked = Arc::new(Mutex::new(None));
        let registry = Registry::builder()
            .policy(Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask))
            .approver(Distracted(Arc::clone(&asked), answer))
            .tool(tool)
            .unwrap()
            .build();
        *asked.lock().unwrap() = Some(registry.clone());

        let result = registry.execute("f", json!({"path": "a"})).await;

        *asked.lock().unwrap() = None;
        assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
        let approval = result.metadata.approval.unwrap();
        assert_eq!(approval.rule.as_deref(), Some("meanwhile"));
        assert_eq!(runs.load(Ordering::SeqCst), 0);
        assert_eq!(registry.policy().rules.len(), 1);
    }
}

#[derive(Default)]
struct RecordedProgress(Mutex<Vec<String>>);

impl ProgressSink for RecordedProgress {
    fn progress(&self, _: &str, _: &str, progress: &Progress) {
        self.0.lock().unwrap().push(progress.message.clone());
    }
    fn partial(&self, _: &str, _: &str, piece: &ContentBlock) {
        let text = piece.as_text().unwrap_or_default();
        self.0.lock().unwrap().push(text.to_owned());
    }
}

fn talking() -> DynamicTool {
    DynamicTool::new(definition("f", RiskLevel::ReadOnly), |cx, _| async move {
        cx.progress(&Progress::new(format!("with {SECRET}")));
        cx.partial(format!("found {SECRET}"));
        cx.note(SECRET, 1);
        Err(ToolError::invalid_arguments(
            "key",
            format!("is not {SECRET}"),
        ))
    })
}

#[tokio::test]
async fn redacts_secrets_in_progress() {
    for of_the_call in [true, false] {
        let heard = Arc::new(RecordedProgress::default());
        let mut builder = Registry::builder().redactor(redactor());
        let mut options = CallOptions::default();
        if of_the_call {
            options = options.with_progress(heard.clone());
        } else {
            builder = builder.progress(heard.clone());
        }
        let registry = builder.tool(talking()).unwrap().build();

        let call = ToolCall::new("f", "{}");
        let result = registry.spawn(call, options).await;

        let said = heard.0.lock().unwrap().clone();
        assert_eq!(said, ["with [redacted]", "found [redacted]"]);
        let written = serde_json::to_string(&result).unwrap();
        assert!(!written.contains(SECRET), "{written}");
    }
}

/// A tool that returns a preview with secrets of the file.
struct Showing(ToolDefinition);

impl Tool for Showing {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.0.risk()).writes(format!("{SECRET}.env"));
        let run = async { Ok(ToolOutput::json(arguments.to_value())) };
        let preview = Preview::diff(format!("-KEY={SECRET}\n"));
        Ok(PreparedCall::new(plan, run).inspect(async { Ok(Some(preview)) }))
    }
}

#[tokio::test]
async fn request_redacts_all_but_arguments() {
    let seen = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&seen);
    let approver = crate::approval::approver_fn(move |request| {
        *keep.lock().unwrap() = Some(request.clone());
        Answer::Approve
    });
    let registry = Registry::builder()
        .redactor(redactor())
        .approver(approver)
        .tool(Showing(definition("f", RiskLevel::Dangerous)))
        .unwrap()
        .build();

    let result = registry.execute("f", json!({"key": SECRET})).await;

    assert!(result.success, "{result}");
    let request = seen.lock().unwrap().take().unwrap();
    assert_eq!(request.files_affected, ["[redacted].env"]);
    assert_eq!(request.preview, Some(Preview::diff("-KEY=[redacted]\n")));
    assert_eq!(request.arguments, json!({"key": SECRET}));
}

/// A tool that reports while it looks, and then fails.
struct Chatty(ToolDefinition);

impl Tool for Chatty {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        _arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.0.risk());
        let run = async { Err(ToolError::failed("No luck")) };
        let look = async {
            cx.progress(&Progress::new("looking"));
            cx.warn("The file is large.");
            Ok(None)
        };
        Ok(PreparedCall::new(plan, run).inspect(look))
    }
}

#[tokio::test]
async fn reports_of_look_reach_host_and_result() {
    let heard = Arc::new(RecordedProgress::default());
    let registry = Registry::builder()
        .progress(heard.clone())
        .approver(crate::approval::approver_fn(|_| Answer::Approve))
        .tool(Chatty(definition("f", RiskLevel::Dangerous)))
        .unwrap()
        .build();

    let result = registry.execute("f", json!({})).await;

    assert_eq!(
        result.to_string(),
        "Error: No luck.\nWarning: The file is large."
    );
    assert_eq!(*heard.0.lock().unwrap(), ["looking"]);
}
