//! The look before approval, and its preview.

use std::sync::Mutex;

use super::*;
use crate::approval::Preview;
use crate::{AdaptedTool, Typed, TypedTool};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behavior {
    Returns,
    ReturnsTooMuch,
    Fails,
    Panics,
    Hangs,
}

/// A tool that looks before approval, and counts its looks.
struct PreviewTool(Behavior, Arc<AtomicUsize>);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {
    path: String,
}

impl TypedTool for PreviewTool {
    type Input = Input;
    type Output = String;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    async fn inspect(&self, cx: &ToolContext, input: &Input) -> Result<Option<Preview>, ToolError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        cx.affected("looked");
        match self.0 {
            Behavior::Returns => {
                tokio::task::yield_now().await;
                Ok(Some(Preview::diff(format!("+{}\n", input.path))))
            }
            Behavior::ReturnsTooMuch => {
                let mut preview = Preview::text("");
                preview.text = "x\n".repeat(1_000_000);
                Ok(Some(preview))
            }
            Behavior::Fails => Err(ToolError::file_not_found("path", "does not exist")),
            Behavior::Panics => panic!("a bug in the look"),
            Behavior::Hangs => std::future::pending().await,
        }
    }
    async fn run(&self, _cx: &ToolContext, input: Input) -> Result<String, ToolError> {
        Ok(input.path)
    }
}

type RecordedPreviews = Arc<Mutex<Vec<Option<Preview>>>>;

fn registry(tool: impl Tool + 'static, verdict: Verdict) -> (Registry, RecordedPreviews) {
    let seen = RecordedPreviews::default();
    let list = Arc::clone(&seen);
    let policy = Policy::default().with_verdict(RiskLevel::SafeWrite, verdict);
    let approver = approver_fn(move |request| {
        list.lock().unwrap().push(request.preview.clone());
        Answer::Approve
    });
    let builder = Registry::builder().policy(policy).approver(approver);
    (builder.tool(tool).unwrap().build(), seen)
}

fn preview_tool(behavior: Behavior) -> (Typed<PreviewTool>, Arc<AtomicUsize>) {
    let previews = Arc::new(AtomicUsize::new(0));
    let tool = PreviewTool(behavior, Arc::clone(&previews));
    (Typed::new("f", "For a test.", tool), previews)
}

#[tokio::test]
async fn approver_receives_preview() {
    let (registry, seen) = registry(preview_tool(Behavior::Returns).0, Verdict::Ask);

    let result = registry.execute("f", json!({"path": "a"})).await;

    assert_eq!(*seen.lock().unwrap(), [Some(Preview::diff("+a\n"))]);
    assert!(result.success, "{result}");
    // A look reports like the run, because both are part of the call.
    assert_eq!(result.files_affected, ["looked"]);
}

#[tokio::test]
async fn adapted_tool_forwards_look() {
    let renamed = AdaptedTool::new(preview_tool(Behavior::Returns).0).renamed("g");
    let (registry, seen) = registry(Arc::new(renamed), Verdict::Ask);

    assert!(registry.execute("g", json!({"path": "b"})).await.success);

    assert_eq!(*seen.lock().unwrap(), [Some(Preview::diff("+b\n"))]);
}

#[tokio::test(start_paused = true)]
async fn hanging_or_panicking_look_gives_no_preview() {
    for behavior in [Behavior::Panics, Behavior::Hangs] {
        let (registry, seen) = registry(preview_tool(behavior).0, Verdict::Ask);

        let result = registry.execute("f", json!({"path": "a"})).await;

        assert!(result.success, "{behavior:?} {result}");
        assert_eq!(*seen.lock().unwrap(), [None], "{behavior:?}");
    }
}

#[tokio::test]
async fn preview_is_bounded() {
    let (registry, seen) = registry(preview_tool(Behavior::ReturnsTooMuch).0, Verdict::Ask);

    assert!(registry.execute("f", json!({"path": "a"})).await.success);

    let seen = seen.lock().unwrap();
    let length = seen[0].as_ref().unwrap().text.len();
    assert!(length < 66_000, "{length}");
}

#[tokio::test]
async fn looks_only_if_approval_is_required() {
    for verdict in [Verdict::Allow, Verdict::Deny] {
        let (tool, previews) = preview_tool(Behavior::Returns);
        let (registry, _) = registry(tool, verdict);

        let _ = registry.execute("f", json!({"path": "a"})).await;

        assert_eq!(previews.load(Ordering::SeqCst), 0, "{verdict:?}");
    }
}

#[tokio::test]
async fn failed_look_ends_call_before_request() {
    let (tool, looks) = preview_tool(Behavior::Fails);
    let (registry, seen) = registry(tool, Verdict::Ask);

    let result = registry.execute("f", json!({"path": "a"})).await;

    assert_eq!(result.to_string(), "Error: `path` does not exist.");
    assert_eq!(*code(&result), ErrorCode::FileNotFound);
    assert_eq!(*seen.lock().unwrap(), []);
    assert_eq!(looks.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn looks_once_even_without_approver() {
    for (behavior, expected) in [
        (Behavior::Returns, ErrorCode::ApprovalDenied),
        (Behavior::Fails, ErrorCode::FileNotFound),
        (Behavior::Panics, ErrorCode::ApprovalDenied),
        (Behavior::Hangs, ErrorCode::ApprovalDenied),
    ] {
        let (tool, looks) = preview_tool(behavior);
        let policy = Policy::default().with_verdict(RiskLevel::SafeWrite, Verdict::Ask);
        let registry = Registry::builder().policy(policy).tool(tool);
        let since = tokio::time::Instant::now();

        let result = registry
            .unwrap()
            .build()
            .execute("f", json!({"path": "a"}))
            .await;

        assert_eq!(*code(&result), expected, "{behavior:?}");
        assert_eq!(looks.load(Ordering::SeqCst), 1, "{behavior:?}");
        assert!(since.elapsed() <= Duration::from_secs(2), "{behavior:?}");
    }
}
