mod turns {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::super::*;

    fn is_ready<F: Future>(work: std::pin::Pin<&mut F>) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        work.poll(&mut cx).is_ready()
    }

    fn write(path: &str) -> Touches {
        CallPlan::of(RiskLevel::SafeWrite).writes(path).touches
    }

    fn read(path: &str) -> Touches {
        CallPlan::of(RiskLevel::ReadOnly).reads(path).touches
    }

    #[tokio::test]
    async fn write_waits_for_reads_and_holds_back_later_reads() {
        let turns = Turns::default();
        let first = turns.wait(read("a")).await;
        let second = turns.wait(read("a")).await;
        let mut writing = pin!(turns.wait(write("a")));
        let mut later = pin!(turns.wait(read("a")));

        assert!(!is_ready(writing.as_mut()));
        assert!(!is_ready(later.as_mut()));
        drop(first);
        assert!(!is_ready(writing.as_mut()));
        drop(second);
        let writing = writing.await;
        assert!(!is_ready(later.as_mut()));
        drop(writing);
        later.await;
        assert!(turns.line().calls.is_empty());
    }

    #[tokio::test]
    async fn dropped_wait_leaves_the_line() {
        let turns = Turns::default();
        let first = turns.wait(write("a")).await;
        let mut last = pin!(turns.wait(write("a")));
        {
            let mut dropped = pin!(turns.wait(write(".")));
            assert!(!is_ready(dropped.as_mut()));
            assert!(!is_ready(last.as_mut()));
        }

        drop(first);

        last.await;
        assert!(turns.line().calls.is_empty());
    }

    #[tokio::test]
    async fn ten_thousand_calls_of_one_file_run_in_their_order() {
        let turns = Turns::default();
        let first = turns.wait(write("a")).await;
        let order = Mutex::new(Vec::new());
        let waiting = (0..10_000).map(|number| {
            let (turns, order) = (&turns, &order);
            async move {
                let _turn = turns.wait(write("a")).await;
                order.lock().unwrap().push(number);
            }
        });
        let mut all = pin!(futures_of(waiting));

        assert!(!is_ready(all.as_mut()));
        drop(first);
        all.await;

        assert!(order.lock().unwrap().is_sorted());
        assert_eq!(order.lock().unwrap().len(), 10_000);
    }

    /// Polls all futures in their order until each is ready.
    async fn futures_of(work: impl Iterator<Item = impl Future<Output = ()>>) {
        let mut left: Vec<_> = work.map(Box::pin).collect();
        std::future::poll_fn(|cx| {
            left.retain_mut(|work| work.as_mut().poll(cx).is_pending());
            if left.is_empty() {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }
}
