//! `read` of PDF documents, which `toolbox` reads in a separate process.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use flate2::{Compression, write::ZlibEncoder};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::{Registry, ToolResult};
use tool_test::Scratch;
use tools_builtin::{Kit, Workspace, toolsets};

use super::PROGRAM;

/// Returns a document with these objects, from the number 1 on. The first one is the catalog.
fn document(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(objects) {
        writeln!(table, "{:010} 00000 n ", bytes.len()).unwrap();
        bytes.extend(format!("{number} 0 obj\n").bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let start = bytes.len();
    bytes.extend(table.bytes());
    let size = objects.len() + 1;
    bytes.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n")
            .bytes(),
    );
    bytes
}

fn stream(dictionary: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< /Length {} {dictionary} >>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

fn text(words: &str) -> Vec<u8> {
    stream(
        "",
        format!("BT /F1 12 Tf 72 720 Td ({words}) Tj ET").as_bytes(),
    )
}

/// Returns a document whose pages have these contents, and that has these objects from the number 4 on.
fn pages(contents: &[Vec<u8>], others: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let first = 4 + others.len();
    let kids: Vec<String> = (0..contents.len())
        .map(|page| format!("{} 0 R", first + 2 * page))
        .collect();
    let tree = format!(
        "<< /Type /Pages /Count {} /Kids [{}] >>",
        kids.len(),
        kids.join(" ")
    );
    let mut objects: Vec<Vec<u8>> = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        tree.into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    objects.extend(others.iter().cloned());
    for content in contents {
        let content_number = objects.len() + 2;
        let resources = "/Resources << /Font << /F1 3 0 R >> /XObject << /X0 4 0 R >> >>";
        objects.push(format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents {content_number} 0 R >>").into_bytes());
        objects.push(content.clone());
    }
    document(&objects, trailer)
}

/// Reads a document with `toolbox` as the program.
fn read(content: &[u8], mut arguments: Value) -> ToolResult {
    let scratch = Scratch::new().file("a.pdf", content);
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap())
        .with_pdf_program(PROGRAM.as_path(), ["pdf-text"]);
    let registry = Registry::builder()
        .toolset(&toolsets::standard(&kit).unwrap())
        .unwrap()
        .build();
    arguments["path"] = json!("a.pdf");
    Runtime::new()
        .unwrap()
        .block_on(registry.execute("read", arguments))
}

fn three_pages() -> Vec<u8> {
    pages(
        &[text("First page"), text("Second page"), text("Third page")],
        &[],
        "",
    )
}

#[test]
fn lines_are_pages() {
    for (arguments, expected) in [
        (
            json!({}),
            "[page 1 of 3]\nFirst page\n[page 2 of 3]\nSecond page\n[page 3 of 3]\nThird page\n",
        ),
        (
            json!({"start_line": 2, "limit": 1}),
            "[page 2 of 3]\nSecond page\n",
        ),
        (json!({"start_line": -1}), "[page 3 of 3]\nThird page\n"),
        (
            json!({"start_line": -9, "limit": 1}),
            "[page 1 of 3]\nFirst page\n",
        ),
    ] {
        let result = read(&three_pages(), arguments);

        assert_eq!(result.text(), expected, "{result}");
    }
    let past = read(&three_pages(), json!({"start_line": 4}));
    assert!(
        past.to_string().contains("the document has 3 pages"),
        "{past}"
    );
}

#[test]
fn long_document_says_where_to_continue() {
    let contents: Vec<Vec<u8>> = (1..=1200)
        .map(|page| text(&format!("{page} {}", "word ".repeat(20))))
        .collect();
    let document = pages(&contents, &[], "");

    let first = read(&document, json!({})).to_string();
    let (_, next) = first.split_once("Continue with `start_line` ").unwrap();
    let next: i64 = next.split('.').next().unwrap().parse().unwrap();
    let rest = read(&document, json!({"start_line": next, "limit": 1}));

    assert!(first.contains("The document has 1200 pages."));
    assert!(
        rest.text()
            .starts_with(&format!("[page {next} of 1200]\n{next} word")),
        "{rest}"
    );
}

#[test]
fn pictures_have_no_text() {
    let image = stream(
        "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8",
        b"x",
    );
    let document = pages(
        &[stream("", b"q 612 0 0 792 0 0 cm /X0 Do Q")],
        &[image],
        "",
    );

    let result = read(&document, json!({}));

    assert_eq!(result.text(), "[page 1 of 1: no text]\n");
    assert!(result.warnings[0].contains("probably pictures"), "{result}");
}

#[test]
fn encrypted_document_is_named() {
    let key = "41".repeat(32);
    let encryption = format!(
        "/ID [<41> <41>] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{key}> /U <{key}> >>"
    );

    let result = read(&pages(&[text("secret")], &[], &encryption), json!({}));

    assert!(
        result
            .to_string()
            .contains("is a PDF document with a password"),
        "{result}"
    );
}

/// Forms of which each draws the next one ten times.
fn exponential() -> Vec<u8> {
    let forms: Vec<Vec<u8>> = (0..12)
        .map(|form| {
            let resources = format!(
                "/Resources << /Font << /F1 3 0 R >> /XObject << /X0 {} 0 R >> >>",
                5 + form
            );
            let dictionary =
                format!("/Type /XObject /Subtype /Form /BBox [0 0 612 792] {resources}");
            stream(
                &dictionary,
                "/X0 Do BT /F1 9 Tf 9 9 Td (x) Tj ET ".repeat(10).as_bytes(),
            )
        })
        .collect();
    pages(&[stream("", b"/X0 Do")], &forms, "")
}

/// A page that expands to two gigabytes.
fn bomb() -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![b' '; 1024 * 1024];
    for _ in 0..64 {
        encoder.write_all(&zeros).unwrap();
    }
    let inner = encoder.finish().unwrap();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // A stream of several members ends at the first one, so the bomb is in the number of its parts.
    encoder.write_all(&inner).unwrap();
    let part = stream(
        "/Filter [/FlateDecode /FlateDecode]",
        &encoder.finish().unwrap(),
    );
    let contents = format!("[{}]", "4 0 R ".repeat(32));
    pages(&[contents.into_bytes()], &[part], "")
}

/// Changes some bytes, always the same ones for one seed.
fn mutated(mut bytes: Vec<u8>, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for _ in 0..8 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let at = 9 + usize::try_from(state % (bytes.len() as u64 - 9)).unwrap();
        bytes[at] = state.to_le_bytes()[4];
    }
    bytes
}

#[test]
fn hostile_documents_end_with_pages_or_one_error() {
    let whole = three_pages();
    let catalog = |pages: &str| {
        document(
            &[
                b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
                pages.as_bytes().to_vec(),
            ],
            "",
        )
    };
    let mut documents = vec![
        ("no object", b"%PDF-1.7\nnothing".to_vec()),
        ("exponential forms", exponential()),
        ("bomb", bomb()),
        (
            "tree that contains itself",
            catalog("<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>"),
        ),
        (
            "huge count",
            catalog("<< /Type /Pages /Count 2147483647 /Kids [] >>"),
        ),
        ("nested lists", catalog(&"[".repeat(1_000_000))),
        (
            "nested dictionaries",
            catalog(&"<< /Pages ".repeat(300_000)),
        ),
        (
            "table that precedes itself",
            [
                &whole[..],
                b"xref\n0 0\ntrailer << /Root 1 0 R /Prev 9 >>\nstartxref\n9\n%%EOF",
            ]
            .concat(),
        ),
        (
            "endless operands",
            pages(&[stream("", &b"0 ".repeat(5_000_000))], &[], ""),
        ),
        (
            "recursive form",
            pages(
                &[stream("", b"/X0 Do")],
                &[stream(
                    "/Subtype /Form /Resources << /XObject << /X0 4 0 R >> >>",
                    b"/X0 Do",
                )],
                "",
            ),
        ),
    ];
    for eighth in 1..8 {
        documents.push(("cut off", whole[..whole.len() * eighth / 8].to_vec()));
    }
    for seed in 1..=20 {
        documents.push(("changed bytes", mutated(whole.clone(), seed)));
    }
    for (name, content) in documents {
        let start = Instant::now();

        let result = read(&content, json!({}));

        assert!(start.elapsed().as_secs() < 40, "{name}");
        let text = result.to_string();
        let is_read = result.success && text.starts_with("[page 1 of ");
        let is_refused = ["is an unreadable PDF document", "is a damaged PDF document"]
            .iter()
            .any(|part| text.contains(part));
        assert!(is_read || is_refused, "{name}: {text}");
        eprintln!(
            "{name}: {:?}: {}",
            start.elapsed(),
            text.lines().next().unwrap_or_default()
        );
    }
}

#[test]
fn program_limits_itself_before_it_reads() {
    let mut child = Command::new(PROGRAM.as_path())
        .args(["pdf-text", "1", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let id = child.id();
    let read = |file: &str| fs::read_to_string(format!("/proc/{id}/{file}")).unwrap();
    let is_confined = || read("status").contains("Seccomp:\t2");
    for _ in 0..2000 {
        if is_confined() {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }

    assert!(is_confined());
    let limits = read("limits");
    for (name, limit) in [
        ("Max cpu time", "10"),
        ("Max address space", "1073741824"),
        ("Max core file size", "0"),
    ] {
        let line = limits.lines().find(|line| line.starts_with(name));
        let hard = line.and_then(|line| line[name.len()..].split_whitespace().nth(1));
        assert_eq!(hard, Some(limit), "{name}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
