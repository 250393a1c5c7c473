//! Previews for the approver.

use std::sync::Mutex;

use super::*;
use crate::approval::Preview;
use crate::{AdaptedTool, Presentation, TextLimit, Typed, TypedTool};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behavior {
    Returns,
    ReturnsTooMuch,
    Panics,
    Hangs,
}

/// A tool that must not run and returns a preview.
struct PreviewTool(Behavior, Arc<AtomicUsize>);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {
    path: String,
}

#[async_trait]
impl TypedTool for PreviewTool {
    type Input = Input;
    type Output = String;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    async fn preview(&self, cx: &ToolContext, input: Input) -> Option<Preview> {
        self.1.fetch_add(1, Ordering::SeqCst);
        cx.affected("nothing at all");
        match self.0 {
            Behavior::Returns => {
                tokio::task::yield_now().await;
                Some(Preview::diff(format!("+{}\n", input.path)))
            }
            Behavior::ReturnsTooMuch => {
                let mut preview = Preview::text("");
                preview.text = "x\n".repeat(1_000_000);
                Some(preview)
            }
            Behavior::Panics => panic!("a bug in the preview"),
            Behavior::Hangs => std::future::pending().await,
        }
    }
    async fn run(
        &self,
        _cx: &ToolContext,
        input: Input,
        _limits: &TextLimit,
    ) -> Result<String, ToolError> {
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
    assert_eq!(result.files_affected, Vec::<String>::new());
}

#[tokio::test]
async fn presentation_forwards_preview() {
    let renamed = AdaptedTool::new(
        preview_tool(Behavior::Returns).0,
        Presentation::new("g", "G.").rename("path", "file"),
    );
    let (registry, seen) = registry(Arc::new(renamed.unwrap()), Verdict::Ask);

    assert!(registry.execute("g", json!({"file": "b"})).await.success);

    assert_eq!(*seen.lock().unwrap(), [Some(Preview::diff("+b\n"))]);
}

#[tokio::test(start_paused = true)]
async fn failed_preview_is_omitted() {
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
async fn creates_preview_only_if_approval_is_required() {
    for verdict in [Verdict::Allow, Verdict::Deny] {
        let (tool, previews) = preview_tool(Behavior::Returns);
        let (registry, _) = registry(tool, verdict);

        let _ = registry.execute("f", json!({"path": "a"})).await;

        assert_eq!(previews.load(Ordering::SeqCst), 0, "{verdict:?}");
    }
}
