#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

use std::fs::File;
use std::net::TcpStream;
use std::process::Command;
use std::thread;

use tool_test::Scratch;

use super::*;

/// Arguments of the program, separated by blanks.
const ARGUMENTS: &str = "TOOLWRIGHT_TEST_PDF";

/// Runs the program on a thread, because only the thread that sets the filter of system calls is confined: the others end
/// the test as usual.
#[test]
#[ignore = "a child process of other tests"]
fn confined_process() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else {
        return;
    };
    let program = thread::spawn(move || {
        let code = pdf_text_program(arguments.split(' ').map(str::to_owned));
        println!("\n{code:?}");
        assert!(File::open("/etc/hostname").is_err());
        assert!(File::create("/tmp/toolwright-pdf").is_err());
        let connection = TcpStream::connect("127.0.0.1:1");
        assert_eq!(
            connection.unwrap_err().kind(),
            io::ErrorKind::PermissionDenied
        );
        assert!(Command::new("/bin/true").spawn().is_err());
        assert!(Vec::<u8>::new().try_reserve(2 << 30).is_err());
        println!("confined");
    });
    program.join().unwrap();
}

/// Returns the messages of the program, and all lines.
fn run(content: &[u8], arguments: &str) -> (Vec<Message>, String) {
    let scratch = Scratch::new().file("a.pdf", content);
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "--nocapture", "--test-threads=2"])
        .arg("files::pdf::extraction::tests::confined_process")
        .env(ARGUMENTS, arguments)
        .stdin(File::open(scratch.path().join("a.pdf")).unwrap())
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let messages = lines.lines().filter(|line| line.starts_with('{'));
    let messages = messages.map(|line| serde_json::from_str(line).unwrap());
    (messages.collect(), lines)
}

/// Returns a document whose pages have these contents. It has no table of its objects, which readers then search for.
fn document(pages: &[&str], trailer: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len())
        .map(|page| format!("{} 0 R", 4 + 2 * page))
        .collect();
    let tree = format!(
        "<< /Type /Pages /Count {} /Kids [{}] >>",
        kids.len(),
        kids.join(" ")
    );
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        tree,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for content in pages {
        let (number, length) = (objects.len() + 2, content.len());
        let resources = "/Resources << /Font << /F1 3 0 R >> >>";
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents {number} 0 R >>"
        ));
        objects.push(format!(
            "<< /Length {length} >>\nstream\n{content}\nendstream"
        ));
    }
    let objects = (1..).zip(objects);
    let objects: Vec<String> = objects
        .map(|(number, object)| format!("{number} 0 obj\n{object}\nendobj\n"))
        .collect();
    format!(
        "%PDF-1.7\n{}trailer\n<< /Root 1 0 R {trailer} >>\n%%EOF\n",
        objects.concat()
    )
    .into_bytes()
}

fn shown(words: &str) -> String {
    format!("BT /F1 12 Tf 72 720 Td ({words}) Tj ET")
}

#[test]
fn pages_are_written_by_a_confined_process() {
    let pages = [shown("one"), shown("two"), shown("three")];
    let content = document(&pages.each_ref().map(String::as_str), "");
    for (arguments, expected) in [
        ("1 9", vec![(1, "one"), (2, "two"), (3, "three")]),
        ("2 1", vec![(2, "two")]),
        ("-1 9", vec![(3, "three")]),
        ("-9 1", vec![(1, "one")]),
        ("4 1", vec![]),
    ] {
        let (messages, lines) = run(&content, arguments);

        let [Message::Pages(3), written @ .., Message::End(None)] = &messages[..] else {
            panic!("{arguments}: {messages:?}");
        };
        let written: Vec<(usize, &str)> = written
            .iter()
            .map(|message| match message {
                Message::Page(page) => (page.number, page.text.as_str()),
                other => panic!("{arguments}: {other:?}"),
            })
            .collect();
        assert_eq!(written, expected, "{arguments}");
        assert!(
            lines.contains("exit_status(0)") && lines.contains("\nconfined\n"),
            "{lines}"
        );
    }
}

#[test]
fn pages_after_the_limit_of_a_call_are_not_read() {
    let long = shown(&"word ".repeat(MAX_BYTES / 4));

    let (messages, _) = run(&document(&[&long, &long, &long], ""), "1 3");

    let pages = messages
        .iter()
        .filter(|message| matches!(message, Message::Page(_)));
    assert_eq!(pages.count(), 1);
}

#[test]
fn documents_without_pages_say_why() {
    let page = shown("one");
    let encrypted = document(
        &[&page],
        "/Encrypt << /Filter /Standard /V 1 /R 2 /O (00000000000000000000000000000000) /U (00000000000000000000000000000000) /P -4 >> /ID [(a) (a)]",
    );

    let encrypted = run(&encrypted, "1 1").0;
    let damaged = run(b"%PDF-1.7\n", "1 1").0;

    assert!(
        matches!(encrypted[..], [Message::End(Some(Obstacle::Encrypted))]),
        "{encrypted:?}"
    );
    assert!(
        matches!(damaged[..], [Message::End(Some(Obstacle::Damaged))]),
        "{damaged:?}"
    );
}

#[test]
fn wrong_arguments_read_nothing() {
    for arguments in ["", "1", "one 1", "1 0"] {
        let (messages, lines) = run(b"%PDF-1.7\n", arguments);

        assert!(messages.is_empty(), "{arguments}: {messages:?}");
        assert!(lines.contains("exit_status(2)"), "{arguments}: {lines}");
    }
}
