use super::*;

fn handle(reports: Receiver<CallEvent>, task: JoinHandle<ToolResult>) -> CallHandle {
    CallHandle {
        id: "1".into(),
        name: "f".into(),
        cancellation: CancellationToken::new(),
        reports,
        task,
    }
}

fn partial(text: &str) -> CallEvent {
    CallEvent::Partial(text.into())
}

#[tokio::test]
async fn lost_task_is_cancelled() {
    let stopped = tokio::spawn(std::future::pending());
    stopped.abort();

    let result = handle(Outbox::new(None).1, stopped).await;

    assert_eq!(result.error.unwrap().code.as_str(), "cancelled");
}

#[tokio::test]
async fn reports_are_ordered_and_end_with_call() {
    let (outbox, reports) = Outbox::new(None);
    let mut handle = handle(reports, tokio::spawn(async { ToolResult::blank() }));

    outbox.partial("1", "f", &"a".into());
    outbox.progress("1", "f", &Progress::new("b"));
    outbox.close();
    outbox.partial("1", "f", &"too late".into());

    assert_eq!(handle.next_report().await, Some(partial("a")));
    let progress = CallEvent::Progress(Progress::new("b"));
    assert_eq!(handle.next_report().await, Some(progress));
    assert_eq!(handle.next_report().await, None);
}

#[tokio::test]
async fn unread_reports_are_dropped_oldest_first() {
    let (outbox, reports) = Outbox::new(None);
    let mut handle = handle(reports, tokio::spawn(async { ToolResult::blank() }));

    for number in 0..MAX_REPORTS + 10 {
        outbox.partial("1", "f", &number.to_string().into());
    }

    assert_eq!(handle.next_report().await, Some(partial("10")));
}
