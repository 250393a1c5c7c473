//! Extensions and sinks of the registry and of single calls.

use std::sync::Mutex;

use super::*;
use crate::{CallOptions, ContentBlock, Extensions, Progress, ProgressSink, ToolCall};

#[derive(Default)]
struct RecordedProgress(Mutex<Vec<String>>);

impl RecordedProgress {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl ProgressSink for RecordedProgress {
    fn progress(&self, _: &str, _: &str, progress: &Progress) {
        self.0.lock().unwrap().push(progress.message.clone());
    }
    fn partial(&self, _: &str, _: &str, _: &ContentBlock) {}
}

#[tokio::test]
async fn call_options_override_registry_extensions() {
    let [of_all, of_one] = [(); 2].map(|()| Arc::new(RecordedProgress::default()));
    let tool = DynamicTool::new(definition("f", RiskLevel::ReadOnly), |cx, _| async move {
        cx.progress(&Progress::new("on it"));
        Ok(ToolOutput::json(json!(cx.extension::<u32>())))
    });
    let registry = Registry::builder()
        .progress(of_all.clone())
        .extensions(Extensions::default().with(1_u32))
        .tool(tool)
        .unwrap()
        .build();
    let own = CallOptions::default()
        .with_progress(of_one.clone())
        .with_extensions(Extensions::default().with(2_u32));
    let call = ToolCall::new("f", "{}");

    // Repeat the first case: no state of the second one remains.
    for (options, extension, recorded) in [
        (&CallOptions::default(), 1, [1, 0]),
        (&own, 2, [0, 1]),
        (&CallOptions::default(), 1, [1, 0]),
    ] {
        let result = registry.execute_call(&call, options).await;

        assert_eq!(result.data, Some(json!(extension)));
        assert_eq!([of_all.take().len(), of_one.take().len()], recorded);
    }
    let plain = registry.execute("f", "{}").await;
    assert_eq!(plain.data, Some(json!(1)));
    assert_eq!(of_all.take(), ["on it"]);
}
