//! Programs that exit while the thread that started them waits.

use super::*;

async fn finished_after_a_first_wait(program: Program) -> (bool, Outcome) {
    let cx = ToolContext::test();
    let run = tokio::task::spawn_blocking(move || {
        let mut run = Run::start(&program, KEPT, &ToolContext::test()).unwrap();
        run.wait_briefly(PLENTY);
        run
    });
    let run = run.await.unwrap();
    (run.ended.is_some(), run.finish(PLENTY, &cx).await.unwrap())
}

#[tokio::test]
async fn starting_thread_waits_for_short_programs() {
    // Under load, a program may take longer than the wait.
    for _ in 0..50 {
        let program = shell("echo out; echo err >&2; exit 3");

        let (has_ended, outcome) = finished_after_a_first_wait(program).await;

        assert_eq!(outcome.stdout.to_text(), "out\n");
        assert_eq!(outcome.stderr.to_text(), "err\n");
        assert_eq!(code(&outcome), Some(3));
        if has_ended {
            return;
        }
    }
    panic!("no program exited during the first wait");
}

#[tokio::test]
async fn first_wait_respects_limit() {
    // Under load, the thread may be scheduled late.
    let is_short = (0..50).any(|_| {
        let cx = ToolContext::test();
        let mut run = Run::start(&shell("sleep 1"), KEPT, &cx).unwrap();
        let begun = Instant::now();
        run.wait_briefly(Duration::ZERO);
        begun.elapsed() < FIRST_WAIT / 2
    });

    assert!(is_short);
}

#[tokio::test]
async fn keeps_output_after_first_wait() {
    for (script, stdout) in [
        ("echo one; sleep 0.1; echo two; exit 3", "one\ntwo\n"),
        ("sleep 0.1; echo late; exit 3", "late\n"),
        ("echo one; exec >&- 2>&-; sleep 0.1; exit 3", "one\n"),
        ("exec 2>&-; sleep 0.1; echo one; exit 3", "one\n"),
        ("echo one; sleep 0.1 & exit 3", "one\n"),
    ] {
        let (_, outcome) = finished_after_a_first_wait(shell(script)).await;

        let seen = (outcome.stdout.to_text(), code(&outcome));
        assert_eq!(seen, (stdout.to_owned(), Some(3)), "{script}");
    }
}

#[tokio::test]
async fn continues_reading_after_first_wait() {
    let (_, outcome) = finished_after_a_first_wait(shell("head -c 30000000 /dev/zero")).await;

    assert_eq!(outcome.stdout.total(), 30_000_000);
}

#[tokio::test]
async fn kills_processes_left_by_short_programs() {
    // The remaining process calls `exec` twice during the search, and each time its environment is
    // set last.
    for _ in 0..30 {
        let marker = marker();
        let script = format!("setsid sleep {marker} >/dev/null 2>&1 &");

        let (_, outcome) = finished_after_a_first_wait(shell(&script)).await;

        assert_eq!(code(&outcome), Some(0));
        std::thread::sleep(Duration::from_millis(3));
        assert_eq!(descendants(&marker), Vec::<String>::new());
    }
}
