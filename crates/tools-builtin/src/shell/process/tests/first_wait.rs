//! Programs that the thread which started them sees to their end.

use super::*;

async fn finished_after_a_first_wait(program: Program) -> (bool, Outcome) {
    let cx = ToolContext::test();
    let run = tokio::task::spawn_blocking(move || {
        let mut run = Run::start(&program, CAPTURE_BYTES, &ToolContext::test()).unwrap();
        run.wait_briefly(PLENTY);
        run
    });
    let run = run.await.unwrap();
    (run.ended.is_some(), run.finish(PLENTY, &cx).await.unwrap())
}

#[tokio::test]
async fn a_program_that_ends_at_once_is_seen_to_its_end_by_the_thread_that_started_it() {
    // Under load a program may take longer than the thread waits.
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
    panic!("no program has ended during the first wait");
}

#[tokio::test]
async fn the_first_wait_is_no_longer_than_the_program_may_take() {
    // Under load the thread may not be let run at once.
    let is_short = (0..50).any(|_| {
        let cx = ToolContext::test();
        let mut run = Run::start(&shell("sleep 1"), CAPTURE_BYTES, &cx).unwrap();
        let begun = Instant::now();
        run.wait_briefly(Duration::ZERO);
        begun.elapsed() < FIRST_WAIT / 2
    });

    assert!(is_short);
}

#[tokio::test]
async fn nothing_is_lost_where_a_program_outlives_the_first_wait() {
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
async fn a_flood_is_read_on_where_the_first_wait_ends() {
    let (_, outcome) = finished_after_a_first_wait(shell("head -c 30000000 /dev/zero")).await;

    assert_eq!(outcome.stdout.total(), 30_000_000);
}

#[tokio::test]
async fn what_a_program_leaves_running_is_ended_where_it_ends_at_once() {
    // What it leaves becomes another program twice while it is looked for; each time its environment comes last.
    for _ in 0..30 {
        let marker = marker();
        let script = format!("setsid sleep {marker} >/dev/null 2>&1 &");

        let (_, outcome) = finished_after_a_first_wait(shell(&script)).await;

        assert_eq!(code(&outcome), Some(0));
        std::thread::sleep(Duration::from_millis(3));
        assert_eq!(survivors(&marker), Vec::<String>::new());
    }
}
