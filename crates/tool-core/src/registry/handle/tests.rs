mod handle {
    use super::super::*;

    async fn code_of(task: JoinHandle<ToolResult>) -> ErrorCode {
        let (token, outbox) = (CancellationToken::new(), Arc::new(Outbox::new(None)));
        let handle = CallHandle::new("1".into(), "f".into(), token, outbox, task);
        handle.await.error.unwrap().code
    }

    #[tokio::test]
    async fn lost_task_is_cancelled_and_panicked_task_is_panic() {
        let stopped = tokio::spawn(std::future::pending());
        stopped.abort();
        let panicked = tokio::spawn(async { panic!("a bug") });

        assert_eq!(code_of(stopped).await, ErrorCode::Cancelled);
        assert_eq!(code_of(panicked).await, ErrorCode::Panic);
    }
}

mod outbox {
    use super::super::*;

    fn read(outbox: &Outbox) -> Poll<Option<CallEvent>> {
        outbox.poll_next(&mut Context::from_waker(Waker::noop()))
    }

    fn partial(text: &str) -> CallEvent {
        CallEvent::Partial(text.into())
    }

    #[test]
    fn reports_are_ordered_and_end_with_call() {
        let outbox = Outbox::new(None);
        assert_eq!(read(&outbox), Poll::Pending);

        outbox.partial("1", "f", &"a".into());
        outbox.progress("1", "f", &Progress::new("b"));
        outbox.close();
        outbox.partial("1", "f", &"too late".into());

        assert_eq!(read(&outbox), Poll::Ready(Some(partial("a"))));
        let progress = CallEvent::Progress(Progress::new("b"));
        assert_eq!(read(&outbox), Poll::Ready(Some(progress)));
        assert_eq!(read(&outbox), Poll::Ready(None));
    }

    #[test]
    fn unread_reports_are_dropped_oldest_first() {
        let outbox = Outbox::new(None);

        for number in 0..MAX_REPORTS + 10 {
            outbox.partial("1", "f", &number.to_string().into());
        }

        assert_eq!(read(&outbox), Poll::Ready(Some(partial("10"))));
    }

    #[test]
    fn large_reports_are_bounded() {
        let outbox = Outbox::new(None);
        let large = "x".repeat(MAX_BYTES);

        outbox.partial("1", "f", &"first".into());
        outbox.partial("1", "f", &large.as_str().into());
        outbox.partial("1", "f", &"last".into());

        assert_eq!(read(&outbox), Poll::Ready(Some(partial("last"))));
        assert_eq!(outbox.state().bytes, 0);
    }
}
