//! Prompts over pipes.

use std::io::{BufReader, pipe};
use std::thread;

use serde_json::json;
use tool_core::approval::Preview;
use tool_core::{CallPlan, RiskLevel, ToolDefinition};

use super::*;

/// Block of the third document, with what each answer means.
const BLOCK: &str = "\
Tool: create_file
Parameters:
  path: hello.py
  content: print('hello, you')\\n
Files affected: hello.py
Risk level: safe_write

Approve? y, n or n REASON, always (exactly this call): ";

fn request() -> ApprovalRequest {
    let definition = ToolDefinition::new("create_file", "Creates a file.", json!({}));
    let arguments = json!({"path": "hello.py", "content": "print('hello, you')\n"});
    let plan = CallPlan::of(RiskLevel::SafeWrite).writes("hello.py");
    ApprovalRequest::new("1", &definition, arguments, plan)
}

/// Runs a prompt over two pipes and returns the answer and the output.
fn converse(request: ApprovalRequest, typed: &[u8]) -> (Answer, String) {
    match typed_at(Settings::default(), request, typed) {
        (Typed::Answer(answer), text) => (answer, text),
        (Typed::Rule(rule), text) => panic!("{rule:?} from {text}"),
    }
}

fn typed_at(settings: Settings, request: ApprovalRequest, typed: &[u8]) -> (Typed, String) {
    let (answers, mut typing) = pipe().unwrap();
    let (mut screen, mut shown) = pipe().unwrap();
    let typed = typed.to_vec();
    let person = thread::spawn(move || typing.write_all(&typed));
    let asking = thread::spawn(move || {
        let prompt = Prompt::new(settings, &request);
        prompt.ask(&mut BufReader::new(answers), &mut shown)
    });
    let mut text = String::new();
    screen.read_to_string(&mut text).unwrap();
    // The writer may fail because the prompt stopped reading.
    let _ = person.join().unwrap();
    (asking.join().unwrap(), text)
}

#[test]
fn prints_block_and_reads_one_line() {
    for (typed, answer) in [
        ("y\n", Answer::Approve),
        ("Yes\r\n", Answer::Approve),
        ("always\n", Answer::Always),
        ("n\ny\n", Answer::Deny { reason: None }),
        (" NO ", Answer::Deny { reason: None }),
        ("n  Use b.py. \n", no("Use b.py.")),
    ] {
        assert_eq!(
            converse(request(), typed.as_bytes()),
            (answer, BLOCK.to_owned()),
            "{typed:?}"
        );
    }
}

#[test]
fn prompt_shows_all_grants() {
    let mut request = request();
    request.grants = vec!["network".to_owned(), "write:~/x".to_owned()];
    let grants = "Approval gives: network; write:~/x\n";
    let brief = Settings {
        is_brief: true,
        ..Settings::default()
    };

    let (_, shown) = converse(request.clone(), b"n\n");

    assert_eq!(shown, format!("{grants}{BLOCK}"));
    let risk = "Risk level: safe_write\n";
    let block = BLOCK.replace("print('hello, you')\\n", "<20 bytes>");
    let block = block.replace(risk, &format!("{risk}{grants}"));
    let question = block.rfind("Approve?").unwrap();
    // The third document prints this question.
    let block = format!("{}{QUESTION}", &block[..question]);
    assert_eq!(typed_at(brief, request, b"n\n").1, block);
}

#[test]
fn end_of_input_denies() {
    for typed in [&b""[..], b"\xff\xfe\n", b"maybe"] {
        let (answer, shown) = converse(request(), typed);

        assert_eq!(answer, no("The terminal was closed"), "{typed:?}");
        assert!(shown.starts_with(BLOCK), "{shown}");
    }
}

#[test]
fn repeats_prompt_for_invalid_lines() {
    let (answer, shown) = converse(request(), b"yy\n\ny\n");
    assert_eq!(answer, Answer::Approve);
    assert_eq!(
        shown,
        format!(
            "{BLOCK}{again}{again}",
            again = "Type y, n or n REASON, always (exactly this call): "
        )
    );

    for (typed, reason) in [
        ("x\n".repeat(1000), "No valid answer was given"),
        (
            format!("{}y\n", "x".repeat(1024)),
            "The answer was too long",
        ),
    ] {
        assert_eq!(converse(request(), typed.as_bytes()).0, no(reason));
    }
}

#[test]
fn shows_preview_on_request() {
    let mut request = request();
    request.preview = Some(Preview::diff("+print('\u{1b}[2J')\n"));
    let choices = "y, n or n REASON, p (preview), always (exactly this call): ";

    let (answer, shown) = converse(request, b"p\nwhat\ny\n");

    assert_eq!(answer, Answer::Approve);
    let (block, _) = BLOCK.rsplit_once("Approve?").unwrap();
    assert_eq!(
        shown,
        format!("{block}Approve? {choices}\n+print('\\u{{1b}}[2J')\n\n{QUESTION}Type {choices}")
    );
}

#[test]
fn suggested_rule_is_offered_if_somebody_adds_it() {
    let with_rules = Settings {
        has_rules: true,
        ..Settings::default()
    };
    let mut asked = request();
    let rule = asked.suggested_rule.clone().unwrap();

    let (typed, shown) = typed_at(with_rules, asked.clone(), b"rule\n");

    assert_eq!(typed, Typed::Rule(Box::new(rule.clone())));
    assert!(
        shown.ends_with(", rule (allow writing hello.py): "),
        "{shown}"
    );

    // Without somebody who adds it, the word is invalid.
    assert!(!converse(asked.clone(), b"rule\nn\n").1.contains("(allow"));
    // The words are from a model.
    let mut hostile = rule;
    hostile.id = "a\n\u{1b}[2K\u{202e}b".to_owned();
    asked.suggested_rule = Some(hostile);
    let (_, shown) = typed_at(with_rules, asked, b"n\n");
    assert!(shown.contains(r"rule (a\n\u{1b}[2K\u{202e}b)"), "{shown}");
}

#[test]
fn denies_without_terminal() {
    let mut shown = Vec::new();

    let answer = Settings::default().ask(&request(), false, &mut io::empty(), &mut shown);

    assert_eq!(answer, Typed::Answer(no("No terminal is available")));
    let shown = String::from_utf8(shown).unwrap();
    assert_eq!(shown, format!("\n{BLOCK}n (no terminal)\n\n"));
}

#[test]
fn brief_prompt_shows_size_of_content() {
    let brief = Settings {
        is_brief: true,
        ..Settings::default()
    };

    let (_, prompt) = typed_at(brief, request(), b"n\n");

    assert!(prompt.contains("  content: <20 bytes>\n"), "{prompt}");
}
