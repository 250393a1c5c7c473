use super::*;
use crate::{ContentBlock, ToolOutput};

#[test]
fn reports_follow_tool_output() {
    let cx = ToolContext::test();
    cx.warn("late");
    cx.affected("a.txt");
    cx.note("lines", 3);
    cx.attach(ContentBlock::text("more"));
    let mut output = ToolOutput::text("first");

    cx.move_additions_to(&mut output);

    assert_eq!(
        output.content,
        [ContentBlock::text("first"), ContentBlock::text("more")]
    );
    assert_eq!(output.warnings, ["late"]);
    assert_eq!(output.files_affected, ["a.txt"]);
    assert_eq!(output.metadata["lines"], 3);
}

#[test]
fn context_with_other_parts_keeps_deadline() {
    let cx = ToolContext::test();
    assert_eq!(cx.deadline(), None);
    let begins = Instant::now();
    let deadline = begins + Duration::from_secs(5);

    cx.start_clock(begins, Duration::from_secs(5));

    assert_eq!(cx.deadline(), Some(deadline));
    let copy = cx.with_cancellation(CancellationToken::new());
    assert_eq!(copy.deadline(), Some(deadline));
}

#[test]
fn finds_extension_by_type() {
    let cx = ToolContext::test().with_extensions(Extensions::default().with(7_u32));

    assert_eq!(cx.extension::<u32>(), Some(&7));
    assert_eq!(cx.extension::<u64>(), None);
}

#[test]
fn reuses_allocation_without_state_of_earlier_call() {
    let first = ToolContext::new("1", "first");
    first.start_clock(Instant::now(), Duration::from_secs(5));
    let place = shared::Arc::as_ptr(&first.0);

    first.give_back();
    let room = shared::take().expect("the allocation is kept");
    Shared::give_back(room);
    // Keep the allocation occupied, so that a new one would have another address.
    let second = ToolContext::new("2", "second");

    assert_eq!(shared::Arc::as_ptr(&second.0), place);
    assert_eq!((second.call_id(), second.tool_name()), ("2", "second"));
    assert_eq!(second.deadline(), None);
}

#[test]
fn retained_clone_keeps_its_call() {
    let first = ToolContext::new("1", "first");
    let kept = first.clone();

    first.give_back();
    let second = ToolContext::new("2", "second");

    assert_eq!((kept.call_id(), second.call_id()), ("1", "2"));
    kept.warn("late");
    assert!(second.take_additions().is_none());
}

#[test]
fn does_not_reuse_allocation_with_late_reports() {
    let first = ToolContext::new("1", "first");
    let kept = first.clone();

    first.give_back();
    kept.warn("late");
    drop(kept);

    assert!(shared::take().is_none());
}

#[test]
fn drops_state_of_finished_call() {
    let shared = Arc::new(());
    let own = Arc::clone(&shared);
    let host = ToolContext::test().with_extensions(Extensions::default().with(own));
    let additions = ToolContext::test();
    additions.warn("late");
    let cancelled = ToolContext::test();
    cancelled.cancellation().cancel();

    for context in [host, additions, cancelled] {
        context.give_back();
        assert!(shared::take().is_none());
    }
    assert_eq!(Arc::strong_count(&shared), 1);
}
