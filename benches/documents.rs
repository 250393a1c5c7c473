//! How long does the text of a .docx take, compared with `docx2txt`?
//!
//! cargo bench -p benches --bench documents -- [--quick]
//!
//! `docx2txt` runs through `benches/docx2txt.sh`, which measures it inside Python, without
//! interpreter startup. It is skipped if it is not installed. `PYTHON` overrides the interpreter
//! `python3`.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use benches::bar::{self, Bar};
use benches::contest::median;
use benches::measure::Effort;
use benches::options::Options;
use office_text::{DocumentLimits, document_to_text};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn main() {
    let effort = Options::from_command_line().effort;
    let (rounds, paragraphs) = match effort {
        Effort::Quick => (1, 50),
        Effort::Full => (15, 5_000),
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-documents.docx");
    make_document(&path, paragraphs).expect("the bench directory is writable");
    let words = read(&path).split_whitespace().count();
    let ours = median((0..rounds).map(|_| timed(|| drop(read(&path)))).collect());
    println!("{words} words: ours {ours:?}");
    let Some(theirs) = docx2txt(&path, rounds) else {
        println!("docx2txt is not installed");
        return;
    };
    println!("docx2txt {theirs:?}");
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    bar::print(&[Bar::ceiling("text of a .docx / docx2txt", ratio, 0.2)]);
}

fn read(path: &Path) -> String {
    let file = File::open(path).expect("the document exists");
    let document = document_to_text(file, &DocumentLimits::default());
    document.expect("the document is valid").text
}

fn timed(run: impl FnOnce()) -> Duration {
    let since = Instant::now();
    run();
    since.elapsed()
}

/// Returns the median time of `docx2txt` for the document.
fn docx2txt(path: &Path, rounds: usize) -> Option<Duration> {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docx2txt.sh");
    let output = Command::new(script)
        .arg(path)
        .arg(rounds.to_string())
        .output()
        .ok()?;
    let seconds: f64 = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(Duration::from_secs_f64(seconds))
}

/// Creates a document with the structure that Word writes: runs with properties, headings and
/// tables.
fn make_document(path: &Path, paragraphs: usize) -> io::Result<()> {
    let mut writer = ZipWriter::new(File::create(path)?);
    for (name, text) in [
        ("[Content_Types].xml", CONTENT_TYPES.to_owned()),
        ("_rels/.rels", RELATIONSHIPS.to_owned()),
        ("word/document.xml", main_part(paragraphs)),
    ] {
        writer.start_file(name, SimpleFileOptions::default())?;
        writer.write_all(text.as_bytes())?;
    }
    writer.finish()?;
    fs::metadata(path).map(drop)
}

fn main_part(paragraphs: usize) -> String {
    let mut body = String::new();
    for number in 0..paragraphs {
        let style = if number % 20 == 0 {
            "Heading1"
        } else {
            "Normal"
        };
        let _ = write!(
            body,
            r#"<w:p w:rsidR="00{number:06}"><w:pPr><w:pStyle w:val="{style}"/><w:spacing w:after="120"/></w:pPr>"#
        );
        for run in 0..4 {
            let text = format!("words {number} of a run {run} &amp; more, ");
            let _ = write!(
                body,
                r#"<w:r w:rsidRPr="00{run:06}"><w:rPr><w:b/><w:sz w:val="24"/></w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>"#
            );
        }
        body += "</w:p>";
        if number % 50 == 0 {
            body += "<w:tbl><w:tblPr/>";
            for row in 0..5 {
                let cell = format!(
                    "<w:tc><w:tcPr/><w:p><w:r><w:t>cell {row} of {number}</w:t></w:r></w:p></w:tc>"
                );
                let _ = write!(body, "<w:tr>{}</w:tr>", cell.repeat(3));
            }
            body += "</w:tbl>";
        }
    }
    format!(
        r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"#
    )
}

const CONTENT_TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
const RELATIONSHIPS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
