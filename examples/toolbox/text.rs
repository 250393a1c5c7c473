//! `text`: what a reader sees of a page or a document.

use std::io::Cursor;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tools_builtin::documents::{DocumentError, DocumentLimits, document_to_text};
use tools_builtin::html::{self, Options};

use crate::failure::Failure;
use crate::{input, output};

/// Writes the text of an HTML file or a document (.docx, .pptx, .xlsx), as a model is given it; other text as it is.
///
/// Documents are known by what is in them, pages by their name or their beginning. What is cut at a bound is told on standard
/// error.
#[derive(Debug, Args)]
#[command(after_help = r"Example:
  toolbox text page.html --markdown --base https://example.org/a/")]
pub(crate) struct Text {
    /// The file to read.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Writes Markdown and not plain text.
    #[arg(long)]
    markdown: bool,
    /// Writes the main article only; the whole page where there is none.
    #[arg(long)]
    article: bool,
    /// The address of the page, for links that are relative to it.
    #[arg(long, value_name = "URL")]
    base: Option<String>,
}

impl Text {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let bytes = input::file_bytes(&self.file)?;
        let Read { text, is_cut } = match self.document(&bytes)? {
            Some(document) => document,
            None => self.page_or_text(&bytes)?,
        };
        output::text(&format!("{text}\n"))?;
        if is_cut {
            let file = self.file.display();
            eprintln!("toolbox: {file}: this is the beginning, and the rest is beyond the bounds");
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The text of a document; nothing where the file may be a text.
    fn document(&self, bytes: &[u8]) -> Result<Option<Read>, Failure> {
        match document_to_text(Cursor::new(bytes), &DocumentLimits::default()) {
            Ok(document) => Ok(Some(Read {
                text: document.text.trim_end().to_owned(),
                is_cut: document.truncated,
            })),
            Err(DocumentError::NotADocument) if !bytes.starts_with(b"PK") => Ok(None),
            Err(error) => Err(Failure::input(self.file.display(), error)),
        }
    }

    fn page_or_text(&self, bytes: &[u8]) -> Result<Read, Failure> {
        let text = html::decode(bytes, None).text;
        if text.contains('\0') {
            return Err(Failure::input(self.file.display(), "it is no text"));
        }
        if self.is_page(&text) {
            return Ok(self.page(&text));
        }
        Ok(Read {
            text: text.trim_end().to_owned(),
            is_cut: false,
        })
    }

    /// Whether a file is a page, by its name or by its beginning.
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
        let article = match (self.article, self.markdown) {
            (false, _) => None,
            (true, true) => html::article(page, &options),
            (true, false) => html::article_text(page, &options),
        };
        let read = article.unwrap_or_else(|| {
            if self.markdown {
                html::to_markdown_with(page, &options)
            } else {
                html::to_text_with(page, &options)
            }
        });
        Read {
            text: read.text,
            is_cut: read.truncated,
        }
    }
}

/// What a file gave, and whether there is more.
struct Read {
    text: String,
    is_cut: bool,
}
