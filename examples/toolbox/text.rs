//! `text`: what a reader sees of a page or a document.

use std::io::Cursor;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tools_builtin::documents::{DocumentLimits, document_to_text};
use tools_builtin::html::{self, Options};

use crate::failure::Failure;
use crate::{input, output};

/// Writes the text of an HTML file or a document (.docx, .pptx, .xlsx), as a model is given it.
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
        let extension = self.file.extension().unwrap_or_default().to_string_lossy();
        let bytes = input::file_bytes(&self.file)?;
        let text = match extension.to_ascii_lowercase().as_str() {
            "docx" | "pptx" | "xlsx" => self.document(&bytes)?,
            _ => self.page(&bytes),
        };
        output::text(&format!("{text}\n"))?;
        Ok(ExitCode::SUCCESS)
    }

    fn document(&self, bytes: &[u8]) -> Result<String, Failure> {
        document_to_text(Cursor::new(bytes), &DocumentLimits::default())
            .map(|document| document.text.trim_end().to_owned())
            .map_err(|error| Failure::input(self.file.display(), error))
    }

    fn page(&self, bytes: &[u8]) -> String {
        let page = html::decode(bytes, None).text;
        let options = match &self.base {
            Some(base) => Options::new().with_base_url(base),
            None => Options::new(),
        };
        let article = match (self.article, self.markdown) {
            (false, _) => None,
            (true, true) => html::article(&page, &options),
            (true, false) => html::article_text(&page, &options),
        };
        let read = article.unwrap_or_else(|| {
            if self.markdown {
                html::to_markdown_with(&page, &options)
            } else {
                html::to_text_with(&page, &options)
            }
        });
        read.text
    }
}
