//! `text`: what a reader sees of a page.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tools_builtin::html::{self, Options};

use crate::failure::Failure;
use crate::{input, output};

/// Writes the text of an HTML file, as a model is given it.
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
        let text = match extension.to_ascii_lowercase().as_str() {
            "docx" => {
                let reason = "the text of .docx files is not read yet";
                return Err(Failure::input(self.file.display(), reason));
            }
            _ => self.page(&input::file_bytes(&self.file)?),
        };
        output::text(&format!("{text}\n"))?;
        Ok(ExitCode::SUCCESS)
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
        let read = article.unwrap_or_else(|| match self.markdown {
            true => html::to_markdown_with(&page, &options),
            false => html::to_text_with(&page, &options),
        });
        read.text
    }
}
