//! Tool that reads files for a model: a part at a time, and remembers what it has seen.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io::{Cursor, Read, Seek};
use std::num::NonZeroUsize;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::output_store::OutputStore;
use tool_core::{CallPlan, ContentBlock, RiskLevel, ToolContext, ToolError, TypedTool};

use super::encoding::Encoding;
use super::lines::LineRange;
#[cfg(feature = "pdf")]
use super::pdf::{PdfProgram, is_pdf};
use super::picture::Picture;
use super::reading::{ReadFileInput, ReadFileOutput, ReadRequest, unreadable, warn_of_change};
use super::seen::SeenFiles;
use super::stored::StoredOutputs;
use super::{magic, notebook};
use crate::blocking::blocking;
use crate::workspace::{File, Workspace};

/// Maximum number of lines of a call by default.
const MAX_LINES: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1999);
/// Maximum number of bytes of a call.
const MAX_BYTES: usize = 50 * 1024;
/// Maximum number of characters of a line.
const MAX_LINE_CHARS: usize = 2000;
/// Maximum size of a file that is remembered. Larger ones can't be edited.
const REMEMBERED_BYTES: u64 = 10 * 1024 * 1024;

/// Bytes of a stored output that are read.
const MAX_STORED_BYTES: usize = 64 * 1024 * 1024;

/// File to read, and the part to return.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReadTextInput {
    /// Path in the workspace, or a handle.
    path: String,
    /// First line; negative from the end.
    start_line: Option<i64>,
    /// Maximum lines.
    limit: Option<NonZeroUsize>,
    /// Encoding, if guessed wrong.
    encoding: Option<String>,
}

/// Reads files in a workspace, and notes their contents as seen.
#[derive(Debug, Clone)]
pub(crate) struct ReadText {
    workspace: Workspace,
    seen: SeenFiles,
    /// Outputs that are read by their handles.
    outputs: StoredOutputs,
    /// Program that reads PDF documents.
    #[cfg(feature = "pdf")]
    pdf: Option<PdfProgram>,
}

impl ReadText {
    /// Creates a tool that reads only inside `workspace`.
    pub(crate) fn new(workspace: Workspace, seen: SeenFiles) -> Self {
        Self {
            workspace,
            seen,
            outputs: StoredOutputs::default(),
            #[cfg(feature = "pdf")]
            pdf: None,
        }
    }

    /// Reads PDF documents with this program.
    #[cfg(feature = "pdf")]
    pub(crate) fn read_pdf(&mut self, program: PdfProgram) {
        self.pdf = Some(program);
    }

    /// Returns whether PDF documents are read.
    #[cfg(feature = "pdf")]
    pub(crate) fn reads_pdf(&self) -> bool {
        self.pdf.is_some()
    }

    #[cfg(not(feature = "pdf"))]
    #[expect(clippy::unused_self, reason = "used with the feature")]
    pub(crate) fn reads_pdf(&self) -> bool {
        false
    }

    /// Reads the outputs in `store` too, by their handles.
    pub(crate) fn read_outputs(&mut self, store: Arc<dyn OutputStore>) {
        self.outputs = StoredOutputs::of(store);
    }

    /// Returns the text of the stored output whose handle is the path, if it is one.
    async fn stored(
        &self,
        cx: &ToolContext,
        input: &ReadTextInput,
    ) -> Result<Option<String>, ToolError> {
        let Some(handle) = self.outputs.handle(&input.path) else {
            return Ok(None);
        };
        let (text, is_whole) = self.outputs.read(&handle, MAX_STORED_BYTES).await?;
        if !is_whole {
            cx.warn("The stored output is longer than 64 MB; the rest is not read.");
        }
        // Already stored: a result that is truncated must not be stored again.
        cx.note("stored_output", handle.as_str());
        Ok(Some(text))
    }

    fn read(
        &self,
        cx: &ToolContext,
        input: &ReadTextInput,
        stored: Option<&str>,
    ) -> Result<ReadFileOutput, ToolError> {
        let part = Part { cx, input };
        let mut output = match stored {
            Some(text) => part.of_content(&input.path, text.as_bytes())?,
            None => self.of_workspace(&part)?,
        };
        if matches!(output.encoding, Encoding::Legacy(_) | Encoding::Unknown)
            && input.encoding.is_none()
        {
            cx.warn("If characters are wrong, pass `encoding`, such as `shift_jis`.");
        }
        if shorten_lines(&mut output.content) {
            output.truncated = true;
            cx.warn(format!("Lines over {MAX_LINE_CHARS} characters are cut."));
        }
        Ok(output)
    }
}

impl ReadText {
    fn of_workspace(&self, part: &Part<'_>) -> Result<ReadFileOutput, ToolError> {
        let mut file = self.workspace.existing_file("path", &part.input.path)?;
        self.of_open(part, &mut file)
    }

    fn of_open(&self, part: &Part<'_>, file: &mut File) -> Result<ReadFileOutput, ToolError> {
        let output = self.of_kind(part, file)?;
        warn_of_change(part.cx, file);
        Ok(output)
    }

    /// Reads a file according to its kind, which its first bytes show.
    fn of_kind(&self, part: &Part<'_>, file: &mut File) -> Result<ReadFileOutput, ToolError> {
        let input = part.input;
        #[cfg(feature = "pdf")]
        if let Some(program) = &self.pdf
            && input.encoding.is_none()
            && is_pdf(file).map_err(|error| unreadable(error, part.cx))?
        {
            return program.read(part.cx, file, input.start_line, input.limit);
        }
        let is_large = file.len() > REMEMBERED_BYTES;
        let mut content = Vec::new();
        file.by_ref()
            .take(REMEMBERED_BYTES)
            .read_to_end(&mut content)
            .map_err(|error| unreadable(error, part.cx))?;
        if is_large {
            // The smaller state is outdated, and would make every write a conflict.
            self.seen.forget(&self.workspace.key_of(&input.path));
        } else if let Some(label) = &input.encoding {
            self.remember(input, &content);
            return part.decoded(file.path(), &content, label);
        }
        if let Some(picture) = Picture::of(&content) {
            picture.check(file.len())?;
            return Ok(shown(part.cx, file.path(), picture, &content));
        }
        magic::check_text(&content)?;
        if is_large {
            return part.of_large(file);
        }
        self.remember(input, &content);
        if !notebook::is_notebook(file.path()) {
            return part.of_content(file.path(), &content);
        }
        if let Some(cells) = notebook::cells(&content) {
            part.cx.warn(CELLS);
            part.of_text(file.path(), &content, &cells)
        } else {
            part.cx.warn(NOT_A_NOTEBOOK);
            part.of_content(file.path(), &content)
        }
    }

    fn remember(&self, input: &ReadTextInput, content: &[u8]) {
        let key = self.workspace.key_of(&input.path);
        self.seen.remember(&key, content);
    }
}

const CELLS: &str = "The notebook is shown by cells. For its JSON, which `edit` changes, pass `encoding` as `utf-8`.";
const NOT_A_NOTEBOOK: &str = "The notebook is not valid, so the file is shown as text.";

/// Attaches a picture to the result.
fn shown(cx: &ToolContext, path: &str, picture: Picture, content: &[u8]) -> ReadFileOutput {
    cx.attach(ContentBlock::Image {
        media_type: picture.media_type.to_owned(),
        data: BASE64_STANDARD.encode(content),
    });
    let size = content.len() as u64;
    let (width, height) = (picture.width, picture.height);
    ReadFileOutput {
        path: path.to_owned(),
        content: format!(
            "Picture ({}), {width} × {height} pixels",
            picture.media_type
        ),
        size,
        total_lines: None,
        lines_returned: 0,
        file_size_bytes: size,
        truncated: false,
        encoding: Encoding::Binary,
    }
}

/// Part of a file to read.
struct Part<'c> {
    cx: &'c ToolContext,
    input: &'c ReadTextInput,
}

impl Part<'_> {
    fn of_content(&self, path: &str, content: &[u8]) -> Result<ReadFileOutput, ToolError> {
        self.of(path, content.len() as u64, Cursor::new(content))
    }

    /// Reads `text`, which was made of the content of a file.
    fn of_text(&self, path: &str, content: &[u8], text: &str) -> Result<ReadFileOutput, ToolError> {
        let output = self.of_content(path, text.as_bytes())?;
        let size = content.len() as u64;
        Ok(ReadFileOutput {
            size,
            file_size_bytes: size,
            ..output
        })
    }

    /// Reads a file in the encoding that the model has named.
    fn decoded(
        &self,
        path: &str,
        content: &[u8],
        label: &str,
    ) -> Result<ReadFileOutput, ToolError> {
        let (encoding, decoder) = Encoding::of_text(label).ok_or_else(|| {
            ToolError::invalid_arguments("encoding", "is not a known encoding")
                .suggest("Use a label such as `utf-8`, `windows-1252`, `shift_jis` or `utf-16le`.")
        })?;
        let (text, has_errors) = decoder.decode_with_bom_removal(content);
        if has_errors {
            self.cx
                .warn("Bytes that are invalid in this encoding are shown as \u{fffd}.");
        }
        let output = self.of_text(path, content, &text)?;
        Ok(ReadFileOutput { encoding, ..output })
    }

    fn of_large(&self, file: &mut File) -> Result<ReadFileOutput, ToolError> {
        if self.input.encoding.is_some() {
            let sentence = format!("is only for files of at most {REMEMBERED_BYTES} bytes");
            return Err(ToolError::invalid_arguments("encoding", sentence)
                .suggest("Convert a part of the file with a command, such as `iconv`."));
        }
        file.rewind().map_err(|error| unreadable(error, self.cx))?;
        let (path, size) = (file.path().to_owned(), file.len());
        self.of(&path, size, file)
    }

    fn of(
        &self,
        path: &str,
        size: u64,
        mut content: impl Read + Seek,
    ) -> Result<ReadFileOutput, ToolError> {
        let first = match self.input.start_line {
            Some(line) if line < 0 => {
                let total = self.count_lines(path, size, &mut content)?;
                let back = usize::try_from(line.unsigned_abs()).unwrap_or(usize::MAX);
                total.saturating_sub(back) + 1
            }
            line => usize::try_from(line.unwrap_or_default()).unwrap_or(usize::MAX),
        };
        let input = ReadFileInput {
            max_lines: self.input.limit.unwrap_or(MAX_LINES),
            max_bytes: MAX_BYTES,
            ..ReadFileInput::of(String::new())
        };
        let request = ReadRequest {
            range: LineRange::from(NonZeroUsize::new(first)),
            input: &input,
            cx: self.cx,
        };
        request.read_from(path.to_owned(), size, content)
    }

    fn count_lines(
        &self,
        path: &str,
        size: u64,
        content: &mut (impl Read + Seek),
    ) -> Result<usize, ToolError> {
        let input = ReadFileInput {
            max_lines: NonZeroUsize::MIN,
            count_lines: true,
            ..ReadFileInput::of(String::new())
        };
        let request = ReadRequest {
            range: LineRange::from(None),
            input: &input,
            // Another context, because the warnings of this read are not for the model.
            cx: &ToolContext::new("", "").with_cancellation(self.cx.cancellation().clone()),
        };
        let counted = request.read_from(path.to_owned(), size, &mut *content)?;
        content
            .rewind()
            .map_err(|error| unreadable(error, self.cx))?;
        Ok(counted.total_lines.unwrap_or_default())
    }
}

/// Cuts long lines. Returns whether there were any.
fn shorten_lines(content: &mut String) -> bool {
    if content.lines().all(|line| line.len() <= MAX_LINE_CHARS) {
        return false;
    }
    let mut shortened = String::with_capacity(content.len());
    let mut has_cut = false;
    for line in content.split_inclusive('\n') {
        let body = line.trim_end_matches(['\r', '\n']);
        let Some((end, _)) = body.char_indices().nth(MAX_LINE_CHARS) else {
            shortened.push_str(line);
            continue;
        };
        has_cut = true;
        let (kept, cut) = body.split_at(end);
        shortened.push_str(kept);
        let _ = write!(shortened, "[… {} more characters]", cut.chars().count());
        shortened.push_str(line.get(body.len()..).unwrap_or_default());
    }
    *content = shortened;
    has_cut
}

impl TypedTool for ReadText {
    type Input = ReadTextInput;
    type Output = ReadFileOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("offset", "start_line"),
        ("line_count", "limit"),
    ];

    fn plan(&self, _cx: &ToolContext, input: &ReadTextInput) -> Result<CallPlan, ToolError> {
        Ok(self.workspace.plan_of_read("path", &input.path))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let stored = self.stored(cx, &input).await?;
        let tool = self.clone();
        blocking(cx, move |cx| tool.read(cx, &input, stored.as_deref())).await
    }

    fn render(output: &ReadFileOutput) -> String {
        output.content.clone()
    }
}
