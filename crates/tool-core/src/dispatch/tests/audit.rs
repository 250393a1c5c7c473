//! Events of the audit log, and redaction.

use std::sync::Mutex;

use super::*;
use crate::approval::{Answer, Outcome, Rule, Verdict, approver_fn};
use crate::audit::{AuditEvent, AuditLog, AuditWrite, AuditedResult};
use crate::output_store::{MemoryStore, OutputHandle, OutputStore, STORED_OUTPUT};
use crate::{
    CallOptions, ContentBlock, Progress, ProgressSink, Redactor, ResourceContents, Secret,
    SideEffects, ToolCall, ToolError,
};

/// A log in memory that can be set to fail.
#[derive(Default)]
struct MemoryLog {
    events: Mutex<Vec<AuditEvent>>,
    broken: bool,
}

impl AuditLog for MemoryLog {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        if self.broken {
            let error = std::io::Error::other("no space on /var/log/secret-place");
            return Box::pin(async { Err(error) });
        }
        self.events.lock().unwrap().push(event);
        Box::pin(async { Ok(()) })
    }
}

impl MemoryLog {
    fn broken() -> Arc<Self> {
        Arc::new(Self {
            broken: true,
            ..Self::default()
        })
    }

    /// Returns the first event of the only call, and the result in the second one.
    fn pair(&self) -> (AuditEvent, AuditedResult) {
        let events = self.events.lock().unwrap();
        let [before, after] = events.as_slice() else {
            panic!("there should be two events: {events:?}");
        };
        assert_eq!(before.result, None);
        assert_eq!(before.call_id, after.call_id);
        (before.clone(), after.result.clone().unwrap())
    }
}

fn noting(risk: RiskLevel) -> DynamicTool {
    DynamicTool::new(definition("note", risk), |cx, arguments| async move {
        cx.affected("a.txt");
        cx.note("exit_code", 3);
        cx.note("sandbox", "network off");
        cx.note(
            "file_digests",
            json!({"a.txt": {"before": "00", "after": "11"}}),
        );
        let text = arguments["say"].as_str().unwrap_or("done").to_owned();
        Ok(ToolOutput::text(text))
    })
}

#[tokio::test]
async fn records_call_before_and_after_run() {
    let log = Arc::new(MemoryLog::default());
    let tool = noting(RiskLevel::SafeWrite);
    let described = crate::approval::canonical_json(&crate::Tool::definition(&tool).to_value());
    let registry = Registry::builder()
        .audit(log.clone())
        .tool(tool)
        .unwrap()
        .build();
    let call = ToolCall::new("note", r#"{"say": "hello", "api_key": "k"}"#).with_id("call_7");
    let options = CallOptions::default().with_parent_id("agent_1");

    registry.execute_call(&call, &options).await;

    let (before, after) = log.pair();
    assert_eq!(
        (before.call_id.as_str(), before.tool.as_str()),
        ("call_7", "note")
    );
    assert_eq!(before.parent_id.as_deref(), Some("agent_1"));
    assert_eq!(
        before.definition_digest,
        Some(crate::approval::sha256(described.as_bytes()))
    );
    assert_eq!(
        before.arguments.text.as_deref(),
        Some(r#"{"api_key":"[redacted]","say":"hello"}"#)
    );
    assert_eq!(
        (before.risk, before.decision),
        (Some(RiskLevel::SafeWrite), Some(Outcome::Allowed))
    );
    assert_eq!(before.rule.as_deref(), Some("safe_write"));
    let after = AuditedResult {
        duration_ms: 0,
        ..after
    };
    assert_eq!(
        serde_json::to_value(after).unwrap(),
        json!({
            "side_effects": "done", "attempts": 1, "duration_ms": 0, "output": {"bytes": 5, "text": "hello"},
            "files": ["a.txt"],
            "metadata": {
                "exit_code": 3, "sandbox": "network off", "file_digests": {"a.txt": {"before": "00", "after": "11"}},
            },
        })
    );
}

#[tokio::test]
async fn records_approver_and_rule() {
    let log = Arc::new(MemoryLog::default());
    let ask = Rule::new("ask-notes", "note", Verdict::Ask);
    let registry = Registry::builder()
        .audit(log.clone())
        .policy(Policy::default().with_rule(ask))
        .approver(approver_fn(|_| Answer::Approve))
        .tool(noting(RiskLevel::ReadOnly))
        .unwrap()
        .build();

    registry.execute("note", json!({})).await;

    let (before, _) = log.pair();
    assert_eq!(before.decision, Some(Outcome::Approved));
    assert_eq!(before.rule.as_deref(), Some("ask-notes"));
}

#[tokio::test]
async fn rejected_call_is_recorded() {
    for (name, arguments, code, decision) in [
        ("nobody", "{}", "tool_not_found", None),
        ("note", "{\"cut", "truncated_arguments", None),
        ("note", "{}", "approval_denied", Some(Outcome::Denied)),
    ] {
        let log = Arc::new(MemoryLog::default());
        let tool = noting(RiskLevel::Dangerous);
        let registry = Registry::builder()
            .audit(log.clone())
            .tool(tool)
            .unwrap()
            .build();

        registry.execute(name, arguments).await;

        let (before, after) = log.pair();
        assert_eq!((before.tool.as_str(), before.decision), (name, decision));
        assert_eq!(after.code.unwrap().as_str(), code);
        assert_eq!(after.side_effects, SideEffects::None);
    }
}

#[tokio::test]
async fn unrecorded_dangerous_call_does_not_run() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let tool = DynamicTool::new(definition("f", RiskLevel::Dangerous), move |_, _| {
        counter.fetch_add(1, Ordering::SeqCst);
        async { Ok("ran".into()) }
    });
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .audit(MemoryLog::broken())
        .tool(tool)
        .unwrap()
        .build();

    let result = registry.execute("f", json!({})).await;

    assert_eq!(code(&result), &ErrorCode::AuditFailed);
    assert_eq!(
        result.text(),
        "Error: This call was not run, because it could not be recorded in the audit log. Tell the user that the audit log cannot be written; tools that are not dangerous still work."
    );
    assert!(
        !serde_json::to_string(&result)
            .unwrap()
            .contains("secret-place")
    );
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn unrecorded_safe_call_runs_with_warning() {
    let tool = noting(RiskLevel::SafeWrite);
    let registry = Registry::builder()
        .audit(MemoryLog::broken())
        .tool(tool)
        .unwrap()
        .build();

    let result = registry.execute("note", json!({})).await;

    assert!(result.success);
    assert_eq!(
        result.warnings,
        ["This call could not be recorded in the audit log."]
    );
}

#[tokio::test]
async fn panicking_log_counts_as_failed() {
    struct Panics;
    impl AuditLog for Panics {
        fn record(&self, _event: AuditEvent) -> AuditWrite {
            panic!("a bug in the log")
        }
    }
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .audit(Panics)
        .tool(noting(RiskLevel::Dangerous))
        .unwrap()
        .build();

    let result = registry.execute("note", json!({})).await;

    assert_eq!(code(&result), &ErrorCode::AuditFailed);
}

#[tokio::test]
async fn dangerous_call_runs_after_durable_event() {
    let log = Arc::new(MemoryLog::default());
    let seen = Arc::clone(&log);
    let tool = DynamicTool::new(definition("f", RiskLevel::Dangerous), move |_, _| {
        let events = seen.events.lock().unwrap().clone();
        async move {
            Ok(ToolOutput::json(json!(
                events
                    .iter()
                    .filter(|event| event.must_be_durable())
                    .count()
            )))
        }
    });
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .audit(log)
        .tool(tool)
        .unwrap()
        .build();

    let result = registry.execute("f", json!({})).await;

    assert_eq!(result.data, Some(json!(1)));
}

#[tokio::test]
async fn dropped_call_is_recorded_as_cancelled() {
    let log = Arc::new(MemoryLog::default());
    let tool = DynamicTool::new(definition("f", RiskLevel::ReadOnly), |_, _| forever());
    let registry = Registry::builder()
        .audit(log.clone())
        .tool(tool)
        .unwrap()
        .build();

    let call = registry.execute("f", json!({}));
    let dropped = tokio::time::timeout(Duration::from_millis(20), call).await;

    assert!(dropped.is_err());
    let (_, after) = log.pair();
    assert_eq!(after.code, Some(ErrorCode::Cancelled));
    assert_eq!(after.side_effects, SideEffects::Possible);
}

#[tokio::test]
async fn large_output_is_recorded_as_handle() {
    let (log, store) = (
        Arc::new(MemoryLog::default()),
        Arc::new(MemoryStore::default()),
    );
    let registry = Registry::builder()
        .audit(log.clone())
        .output_store(store.clone())
        .tool(noting(RiskLevel::SafeWrite))
        .unwrap()
        .build();
    let whole = "line\n".repeat(2100);

    let result = registry.execute("note", json!({"say": whole})).await;

    let (_, after) = log.pair();
    assert_eq!(result.text(), whole);
    assert_eq!((after.output.bytes, after.output.text), (10_500, None));
    assert_eq!(
        result.metadata.extra[STORED_OUTPUT],
        json!(after.output.handle)
    );
    let handle = OutputHandle::parse(&after.output.handle.unwrap()).unwrap();
    assert_eq!(store.read(&handle, 0, 20_000).await.unwrap().content, whole);
}

#[tokio::test]
async fn redacts_secrets_learned_during_the_call() {
    struct Messages(Mutex<Vec<String>>);
    impl ProgressSink for Messages {
        fn progress(&self, _: &str, _: &str, progress: &Progress) {
            self.0.lock().unwrap().push(progress.message.clone());
        }
        fn partial(&self, _: &str, _: &str, _: &ContentBlock) {}
    }
    let (log, messages) = (
        Arc::new(MemoryLog::default()),
        Arc::new(Messages(Mutex::default())),
    );
    let redactor = Redactor::new();
    let learns = redactor.clone();
    let tool = DynamicTool::new(definition("f", RiskLevel::ReadOnly), move |cx, _| {
        learns.learn(&Secret::new("token-7".to_owned())).unwrap();
        cx.progress(&Progress::new("got token-7"));
        cx.attach(ContentBlock::Resource {
            uri: "https://a.example/?t=token-7".into(),
            media_type: None,
            contents: ResourceContents::Text("token-7".into()),
        });
        async { Ok(ToolOutput::json(json!({"token": "token-7"}))) }
    });
    let registry = Registry::builder()
        .audit(log.clone())
        .progress(messages.clone())
        .redactor(redactor)
        .tool(tool)
        .unwrap()
        .build();

    let first = registry.execute("f", json!({})).await;
    let second = registry.execute("f", json!({"say": "token-7"})).await;

    assert_eq!(*messages.0.lock().unwrap(), ["got [redacted]"; 2]);
    assert_eq!(first.data, Some(json!({"token": "[redacted]"})));
    let written = serde_json::to_string(&(&first, &second.content)).unwrap();
    assert!(!written.contains("token-7"), "{written}");
    let events = serde_json::to_string(&*log.events.lock().unwrap()).unwrap();
    assert!(
        events.contains("[redacted]") && !events.contains("token-7"),
        "{events}"
    );
}

#[tokio::test]
async fn redacts_secrets_in_output_and_records() {
    let (log, store) = (
        Arc::new(MemoryLog::default()),
        Arc::new(MemoryStore::default()),
    );
    let tool = DynamicTool::new(
        definition("f", RiskLevel::ReadOnly),
        |cx, arguments| async move {
            cx.warn("the key is sk-12345");
            cx.note("header", "Bearer sk-12345");
            if arguments["fail"] == true {
                return Err(ToolError::failed("401 for sk-12345").suggest("Not sk-12345."));
            }
            Ok(ToolOutput::json(
                json!({"sk-12345": ["sk-12345", "x".repeat(20_000)]}),
            ))
        },
    );
    let redactor = Redactor::new()
        .with_value(&Secret::new("sk-12345".to_owned()))
        .unwrap();
    let registry = Registry::builder()
        .audit(log.clone())
        .output_store(store.clone())
        .redactor(redactor)
        .tool(tool)
        .unwrap()
        .build();

    for fail in [false, true] {
        let result = registry
            .execute("f", json!({"fail": fail, "with": "sk-12345"}))
            .await;

        let output = (
            &result.content,
            &result.data,
            &result.error,
            &result.warnings,
            &result.metadata.extra,
        );
        let visible = serde_json::to_string(&output).unwrap();
        assert!(
            visible.contains("[redacted]") && !visible.contains("12345"),
            "{visible}"
        );
        if let Some(handle) = result.metadata.extra.get(STORED_OUTPUT) {
            let handle = OutputHandle::parse(handle.as_str().unwrap()).unwrap();
            assert!(
                !store
                    .read(&handle, 0, 30_000)
                    .await
                    .unwrap()
                    .content
                    .contains("12345")
            );
        }
    }
    let recorded = serde_json::to_string(&*log.events.lock().unwrap()).unwrap();
    assert!(!recorded.contains("12345"), "{recorded}");
}

#[tokio::test]
async fn files_of_event_are_bounded() {
    let log = Arc::new(MemoryLog::default());
    let tool = DynamicTool::new(definition("f", RiskLevel::SafeWrite), |cx, _| async move {
        for number in 0..2000 {
            cx.affected(format!("{number}{}", "\"".repeat(4000)));
        }
        Ok(ToolOutput::text("done"))
    });
    let registry = Registry::builder().audit(log.clone()).tool(tool).unwrap();

    registry.build().execute("f", json!({})).await;

    let (_, after) = log.pair();
    assert!(after.files.len() > 50, "{}", after.files.len());
    let line = serde_json::to_string(&after).unwrap();
    assert!(line.len() < 1024 * 1024, "{}", line.len());
}
