use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tool_core::RiskLevel;
use tool_core::approval::{Answer, approver_fn};

use super::*;
use crate::{Checkpoint, CheckpointError, CheckpointSink, TranscriptFile};

/// Tools that count their runs.
struct Counted {
    registry: Registry,
    reads: Arc<AtomicUsize>,
    sends: Arc<AtomicUsize>,
}

fn counted() -> Counted {
    let (reads, sends) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let tool = |name: &str, risk, count: &Arc<AtomicUsize>| {
        let count = Arc::clone(count);
        tool_fn(name, "Counts.", move |_, _: Nothing| {
            count.fetch_add(1, Ordering::SeqCst);
            async { Ok("done") }
        })
        .risk(risk)
    };
    let builder = Registry::builder()
        .tool(tool("read", RiskLevel::ReadOnly, &reads))
        .and_then(|builder| builder.tool(tool("send", RiskLevel::SafeWrite, &sends)));
    Counted {
        registry: builder.unwrap().build(),
        reads,
        sends,
    }
}

/// Model that reads and sends in each of three turns, and counts its replies.
fn model(replies: &Arc<AtomicUsize>) -> ScriptedModel {
    let replies = Arc::clone(replies);
    ScriptedModel::from_fn(move |transcript| {
        replies.fetch_add(1, Ordering::SeqCst);
        match transcript.messages().len() {
            7.. => ModelReply::text("Done."),
            _ => ModelReply::calls([call("a", "read"), call("b", "send")]),
        }
    })
}

/// Returns the lines that a complete run records.
async fn recorded(path: &std::path::Path) -> Vec<String> {
    let (file, _) = TranscriptFile::open(path).unwrap();
    let agent = AgentLoop::new(counted().registry, model(&Arc::default()));
    let outcome = agent.checkpoint(file).run("Go").await;
    assert_eq!(outcome.status, Status::Completed);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn records_messages_and_starts_before_calls() {
    let scratch = tempfile::tempdir().unwrap();

    let lines = recorded(&scratch.path().join("run")).await;

    let kinds: Vec<&str> = lines
        .iter()
        .map(|line| match line {
            line if line.contains("\"started\"") => "started",
            line if line.contains("\"role\":\"tool\"") => "results",
            line if line.contains("\"role\":\"assistant\"") => "reply",
            _ => "task",
        })
        .collect();
    let turn = ["reply", "started", "results"];
    let expected = [&["task"][..], &turn, &turn, &turn, &["reply"]].concat();
    assert_eq!(kinds, expected);
    assert_eq!(lines[2], r#"{"started":["b"]}"#);
}

#[tokio::test]
async fn resumes_after_crash_at_any_line_without_repeating_work() {
    let scratch = tempfile::tempdir().unwrap();
    let lines = recorded(&scratch.path().join("run")).await;
    for kept in 1..=lines.len() {
        let path = scratch.path().join(format!("crash-{kept}"));
        let mut text = lines[..kept].join("\n");
        text.push_str("\n{\"message\": {\"ro");
        std::fs::write(&path, text).unwrap();
        let (file, saved) = TranscriptFile::open(&path).unwrap();
        let replied = |lines: &[String]| {
            lines
                .iter()
                .filter(|line| line.contains("assistant"))
                .count()
        };
        let sent = |lines: &[String]| lines.iter().filter(|line| line.contains("started")).count();
        let (tools, requests) = (counted(), Arc::default());
        let agent = AgentLoop::new(tools.registry.clone(), model(&requests)).checkpoint(file);

        let outcome = agent.resume_saved(saved).await;

        assert_eq!(outcome.status, Status::Completed, "{kept}");
        let requested = requests.load(Ordering::SeqCst);
        assert_eq!(requested, 4 - replied(&lines[..kept]), "{kept}");
        assert_eq!(
            tools.sends.load(Ordering::SeqCst),
            3 - sent(&lines[..kept]),
            "{kept}"
        );
        assert!(tools.reads.load(Ordering::SeqCst) <= 3);
        let was_running = lines[kept - 1].contains("started");
        let unknown = transcript_of(&outcome)
            .to_string()
            .contains("outcome is unknown");
        assert_eq!(unknown, was_running, "{kept}");
        let (_, complete) = TranscriptFile::open(&path).unwrap();
        assert_eq!(complete.transcript, outcome.transcript, "{kept}");
    }
}

#[tokio::test]
async fn call_that_waits_for_approval_has_not_started() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("run");
    let (file, _) = TranscriptFile::open(&path).unwrap();
    let (asked, seen) = (path.clone(), Arc::new(Mutex::new(Vec::new())));
    let record = Arc::clone(&seen);
    let approver = approver_fn(move |request| {
        let text = std::fs::read_to_string(&asked).unwrap();
        record.lock().unwrap().push(text.contains("started"));
        match request.call_id.as_str() {
            "b" => Answer::Deny { reason: None },
            _ => Answer::Approve,
        }
    });
    let send = tool_fn("send", "Sends.", |_, _: Nothing| async { Ok("done") });
    let registry = Registry::builder()
        .approver(approver)
        .tool(send.risk(RiskLevel::Dangerous))
        .unwrap()
        .build();
    let replies = [
        ModelReply::calls([call("b", "send")]),
        ModelReply::calls([call("c", "send")]),
        ModelReply::text("Done."),
    ];

    AgentLoop::new(registry, ScriptedModel::new(replies))
        .checkpoint(file)
        .run("Go")
        .await;

    assert_eq!(*seen.lock().unwrap(), [false, false]);
    let text = std::fs::read_to_string(&path).unwrap();
    let starts = text.lines().filter(|line| line.contains("started"));
    assert_eq!(starts.collect::<Vec<_>>(), [r#"{"started":["c"]}"#]);
}

#[tokio::test]
async fn rejects_invalid_line_of_transcript_file() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"{\"message\":{\"role\":\"user\",\"content\":\"Hi\"}}\n[]\n")
        .unwrap();

    let error = TranscriptFile::open(file.path()).unwrap_err();

    assert!(error.to_string().contains("line 2"), "{error}");
}

#[tokio::test]
async fn failed_checkpoint_fails_run_before_call() {
    struct Full;
    #[async_trait]
    impl CheckpointSink for Full {
        async fn record(&self, _: &str, entry: &Checkpoint<'_>) -> Result<(), CheckpointError> {
            match entry {
                Checkpoint::Started(_) => Err(CheckpointError::new("the disk is full")),
                _ => Ok(()),
            }
        }
    }
    let tools = counted();
    let agent = AgentLoop::new(tools.registry.clone(), model(&Arc::default())).checkpoint(Full);

    let outcome = agent.run("Go").await;

    let error = outcome.error.as_ref().unwrap();
    assert_eq!(error.code(), "checkpoint");
    assert_eq!(tools.sends.load(Ordering::SeqCst), 0);
    assert_eq!(answers(&outcome).len(), 2);
}
