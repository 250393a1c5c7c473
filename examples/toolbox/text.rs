//! `text`: text of a page or document.

use std::io::Cursor;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use html_text::{self as html, Options};
use office_text::{DocumentError, DocumentLimits, document_to_text};

use crate::failure::Failure;
use crate::{input, output};

/// Prints the text of an HTML file or a document (.docx, .pptx, .xlsx) as a model receives it;
/// other text is printed unchanged.
///
/// Documents are detected by their content, pages by their name or beginning. Truncation is
/// reported on standard error.
#[derive(Debug, Args)]
#[command(after_help = r"Example:
  toolbox text page.html --markdown --base https://example.org/a/")]
pub(crate) struct Text {
    /// File to read.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print Markdown instead of plain text.
    #[arg(long)]
    markdown: bool,
    /// URL of the page, for relative links.
    #[arg(long, value_name = "URL")]
    base: Option<String>,
}

impl Text {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let bytes = input::file_bytes(&self.file)?;
        let Read { text, is_truncated } = match self.document(&bytes)? {
            Some(document) => document,
            None => self.page_or_text(&bytes)?,
        };
        output::text(&format!("{text}\n"))?;
        if is_truncated {
            let file = self.file.display();
            eprintln!("toolbox: {file}: truncated; the rest exceeds the limits");
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the text of a document, or `None` if the file may be plain text.
    fn document(&self, bytes: &[u8]) -> Result<Option<Read>, Failure> {
        match document_to_text(Cursor::new(bytes), &DocumentLimits::default()) {
            Ok(document) => Ok(Some(Read {
                text: document.text.trim_end().to_owned(),
                is_truncated: document.truncated,
            })),
            Err(DocumentError::NotADocument) if !bytes.starts_with(b"PK") => Ok(None),
            Err(error) => Err(Failure::input(self.file.display(), error)),
        }
    }

    fn page_or_text(&self, bytes: &[u8]) -> Result<Read, Failure> {
        let text = html::decode(bytes, None).text;
        if text.contains('\0') {
            return Err(Failure::input(self.file.display(), "it is not text"));
        }
        if self.is_page(&text) {
            return Ok(self.page(&text));
        }
        Ok(Read {
            text: text.trim_end().to_owned(),
            is_truncated: false,
        })
    }

    /// Returns `true` if the name or the beginning indicates a page.
    fn is_page(&self, text: &str) -> bool {
        let extension = self.file.extension().unwrap_or_default().to_string_lossy();
        let extensions = ["htm", "html", "xhtml"];
        let starts = ["<!doctype html", "<html", "<head", "<body"];
        let text = text.trim_start();
        let begins = |start: &&str| {
            let beginning = text.get(..start.len()).unwrap_or_default();
            beginning.eq_ignore_ascii_case(start)
        };
        extensions.contains(&extension.to_ascii_lowercase().as_str()) || starts.iter().any(begins)
    }

    fn page(&self, page: &str) -> Read {
        let options = match &self.base {
            Some(base) => Options::new().with_base_url(base),
            None => Options::new(),
        };
        let read = if self.markdown {
            html::to_markdown_with(page, &options)
        } else {
            html::to_text_with(page, &options)
        };
        Read {
            text: read.text,
            is_truncated: read.truncated,
        }
    }
}

/// Text of a file, and whether it is truncated.
struct Read {
    text: String,
    is_truncated: bool,
}
