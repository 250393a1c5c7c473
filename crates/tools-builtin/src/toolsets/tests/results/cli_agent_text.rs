//! Text for people.

use proptest::prelude::*;

use super::{failed, succeeded};
use crate::toolsets::CliAgentText;
use tool_core::{ContentBlock, ToolError};

#[test]
fn text_matches_document() {
    let mut result = succeeded("create_file", "Created file: hello.py (125 bytes)\n", 5);
    result.files_affected = vec!["hello.py".to_owned()];

    let text = CliAgentText::of(&result).in_directory("/home/user/project");

    assert_eq!(
        text.to_string(),
        "✓ Created file: hello.py (125 bytes)\n  Location: /home/user/project/hello.py\n  Time: 5ms\n"
    );
}

#[test]
fn failure_shows_suggestion_and_partial_output() {
    let error = ToolError::failed("The disk is full.").suggest("Delete something.");
    let mut result = failed("write", error);
    result.content.push(ContentBlock::text("half of it\n\n"));
    result.warnings = vec!["this".to_owned(), "Warning: that".to_owned()];
    result.files_affected = vec!["a.txt".to_owned()];

    assert_eq!(
        CliAgentText::of(&result).to_string(),
        "✗ Error: The disk is full.\n  Delete something.\n  half of it\n  Warning: this\n  Warning: that\n  \
         Location: a.txt\n  Time: 0ms\n"
    );
}

#[test]
fn lines_are_indented_and_mark_follows_success() {
    let mut result = succeeded("read", "one\n  two\n\nthree\n", 0);
    let lines = "one\n    two\n  \n  three\n  Time: 0ms\n";

    assert_eq!(CliAgentText::of(&result).to_string(), format!("✓ {lines}"));
    // A tool of another server can fail without its own error.
    result.success = false;
    assert_eq!(CliAgentText::of(&result).to_string(), format!("✗ {lines}"));
}

#[test]
fn success_without_output_shows_tool_name() {
    assert_eq!(
        CliAgentText::of(&succeeded("touch", " \n", 0)).to_string(),
        "✓ touch\n  Time: 0ms\n"
    );
}

proptest! {
    #[test]
    fn output_has_no_terminal_control_characters(text in any::<String>(), file in any::<String>()) {
        let mut result = succeeded("f", &format!("{text}\u{1b}]0;owned\u{7}\r\n{text}"), 0);
        result.warnings = vec![text];
        result.files_affected = vec![file];

        let shown = CliAgentText::of(&result).to_string();

        prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{shown:?}");
        prop_assert!(shown.ends_with("  Time: 0ms\n"));
    }
}
