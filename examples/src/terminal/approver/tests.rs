use std::io::{BufReader, pipe};
use std::thread;

use serde_json::json;
use tool_core::approval::Preview;
use tool_core::{RiskLevel, ToolDefinition};

use super::*;

/// The block that the third document prints, and nothing else.
const BLOCK: &str = "\
Tool: create_file
Parameters:
  path: hello.py
  content: <20 bytes>
Files affected: hello.py
Risk level: safe_write

Approve? (y/n/always): ";

fn request() -> ApprovalRequest {
    let definition = ToolDefinition::new("create_file", "Creates a file.", json!({}));
    let arguments = json!({"path": "hello.py", "content": "print('hello, you')\n"});
    ApprovalRequest::new("1", &definition, arguments, RiskLevel::SafeWrite)
        .unwrap()
        .with_files(vec!["hello.py".to_owned()])
}

/// Asks over two pipes, as a terminal that is driven from outside; gives the answer and all that was shown.
fn converse(request: ApprovalRequest, typed: &[u8]) -> (Answer, String) {
    let (answers, mut typing) = pipe().unwrap();
    let (mut screen, mut shown) = pipe().unwrap();
    let typed = typed.to_vec();
    let person = thread::spawn(move || typing.write_all(&typed));
    let asking = thread::spawn(move || ask(&request, &mut BufReader::new(answers), &mut shown));
    let mut text = String::new();
    screen.read_to_string(&mut text).unwrap();
    // Who stopped reading does not mind that the rest was not taken.
    let _ = person.join().unwrap();
    (asking.join().unwrap(), text)
}

#[test]
fn the_printed_block_is_shown_and_one_line_answers_it() {
    for (typed, answer) in [
        ("y\n", Answer::Approve),
        ("Yes\r\n", Answer::Approve),
        ("always\n", Answer::Always),
        ("n\ny\n", Answer::Deny { reason: None }),
        (" NO ", Answer::Deny { reason: None }),
    ] {
        assert_eq!(
            converse(request(), typed.as_bytes()),
            (answer, BLOCK.to_owned()),
            "{typed:?}"
        );
    }
}

#[test]
fn the_end_of_the_input_is_a_no() {
    for typed in [&b""[..], b"\xff\xfe\n", b"maybe"] {
        let (answer, shown) = converse(request(), typed);

        assert_eq!(answer, no("The terminal was closed"), "{typed:?}");
        assert!(shown.starts_with(BLOCK), "{shown}");
    }
}

#[test]
fn what_is_no_answer_is_asked_again_and_not_for_ever() {
    let (answer, shown) = converse(request(), b"yy\n\ny\n");
    assert_eq!(answer, Answer::Approve);
    assert_eq!(
        shown,
        format!("{BLOCK}Type y, n or always: Type y, n or always: ")
    );

    for (typed, reason) in [
        ("x\n".repeat(1000), "There was no answer"),
        (
            format!("{}y\n", "x".repeat(1024)),
            "The answer was too long",
        ),
    ] {
        assert_eq!(converse(request(), typed.as_bytes()).0, no(reason));
    }
}

#[test]
fn a_preview_is_shown_to_who_asks_for_it() {
    let request = request().with_preview(Some(Preview::diff("+print('\u{1b}[2J')\n")));

    let (answer, shown) = converse(request, b"p\nwhat\ny\n");

    assert_eq!(answer, Answer::Approve);
    assert_eq!(
        shown,
        format!(
            "{BLOCK}\n+print('\\u{{1b}}[2J')\n\nApprove? (y/n/always): \
            Type y, n or always, or p to see what would change: "
        )
    );
}
