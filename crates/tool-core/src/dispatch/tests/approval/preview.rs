//! Previews for the approver.

use std::sync::Mutex;

use super::*;
use crate::approval::Preview;
use crate::{AdaptedTool, Presentation, TextLimit, Typed, TypedTool};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Shows,
    ShowsTooMuch,
    Panics,
    Hangs,
}

/// A tool that must not run and returns a preview.
struct Shown(Manner, Arc<AtomicUsize>);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {
    path: String,
}

#[async_trait]
impl TypedTool for Shown {
    type Input = Input;
    type Output = String;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    async fn preview(&self, cx: &ToolContext, input: Input) -> Option<Preview> {
        self.1.fetch_add(1, Ordering::SeqCst);
        cx.affected("nothing at all");
        match self.0 {
            Manner::Shows => {
                tokio::task::yield_now().await;
                Some(Preview::diff(format!("+{}\n", input.path)))
            }
            Manner::ShowsTooMuch => {
                let mut preview = Preview::text("");
                preview.text = "x\n".repeat(1_000_000);
                Some(preview)
            }
            Manner::Panics => panic!("a fault in the preview"),
            Manner::Hangs => std::future::pending().await,
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

type Seen = Arc<Mutex<Vec<Option<Preview>>>>;

fn registry(tool: impl Tool + 'static, verdict: Verdict) -> (Registry, Seen) {
    let seen = Seen::default();
    let list = Arc::clone(&seen);
    let policy = Policy::default().with_verdict(RiskLevel::SafeWrite, verdict);
    let approver = approver_fn(move |request| {
        list.lock().unwrap().push(request.preview.clone());
        Answer::Approve
    });
    let builder = Registry::builder().policy(policy).approver(approver);
    (builder.tool(tool).unwrap().build(), seen)
}

fn shown(manner: Manner) -> (Typed<Shown>, Arc<AtomicUsize>) {
    let looks = Arc::new(AtomicUsize::new(0));
    let tool = Shown(manner, Arc::clone(&looks));
    (Typed::new("f", "For a test.", tool), looks)
}

#[tokio::test]
async fn approver_receives_preview() {
    let (registry, seen) = registry(shown(Manner::Shows).0, Verdict::Ask);

    let result = registry.execute("f", json!({"path": "a"})).await;

    assert_eq!(*seen.lock().unwrap(), [Some(Preview::diff("+a\n"))]);
    assert!(result.success, "{result}");
    assert_eq!(result.files_affected, Vec::<String>::new());
}

#[tokio::test]
async fn presentation_forwards_preview() {
    let renamed = AdaptedTool::new(
        shown(Manner::Shows).0,
        Presentation::new("g", "G.").rename("path", "file"),
    );
    let (registry, seen) = registry(Arc::new(renamed.unwrap()), Verdict::Ask);

    assert!(registry.execute("g", json!({"file": "b"})).await.success);

    assert_eq!(*seen.lock().unwrap(), [Some(Preview::diff("+b\n"))]);
}

#[tokio::test(start_paused = true)]
async fn failed_preview_is_omitted() {
    for manner in [Manner::Panics, Manner::Hangs] {
        let (registry, seen) = registry(shown(manner).0, Verdict::Ask);

        let result = registry.execute("f", json!({"path": "a"})).await;

        assert!(result.success, "{manner:?} {result}");
        assert_eq!(*seen.lock().unwrap(), [None], "{manner:?}");
    }
}

#[tokio::test]
async fn preview_is_bounded() {
    let (registry, seen) = registry(shown(Manner::ShowsTooMuch).0, Verdict::Ask);

    assert!(registry.execute("f", json!({"path": "a"})).await.success);

    let seen = seen.lock().unwrap();
    let length = seen[0].as_ref().unwrap().text.len();
    assert!(length < 66_000, "{length}");
}

#[tokio::test]
async fn creates_preview_only_if_approval_is_required() {
    for verdict in [Verdict::Allow, Verdict::Deny] {
        let (tool, looks) = shown(Manner::Shows);
        let (registry, _) = registry(tool, verdict);

        let _ = registry.execute("f", json!({"path": "a"})).await;

        assert_eq!(looks.load(Ordering::SeqCst), 0, "{verdict:?}");
    }
}
