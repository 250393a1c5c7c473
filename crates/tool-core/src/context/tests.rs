use super::*;

#[test]
fn what_is_said_comes_behind_what_the_tool_returned() {
    let cx = ToolContext::test();
    cx.warn("late");
    cx.affected("a.txt");
    cx.note("lines", 3);
    cx.attach(ContentBlock::text("more"));
    let mut output = ToolOutput::text("first");

    cx.say_in(&mut output);

    assert_eq!(
        output.content,
        [ContentBlock::text("first"), ContentBlock::text("more")]
    );
    assert_eq!(output.warnings, ["late"]);
    assert_eq!(output.files_affected, ["a.txt"]);
    assert_eq!(output.metadata["lines"], 3);
}

#[test]
fn a_context_with_other_parts_keeps_its_deadline() {
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
fn an_extension_is_found_by_its_type() {
    let cx = ToolContext::test().with_extensions(Extensions::default().with(7_u32));

    assert_eq!(cx.extension::<u32>(), Some(&7));
    assert_eq!(cx.extension::<u64>(), None);
}
