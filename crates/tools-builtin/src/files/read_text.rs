//! Tool that reads files for a model: a part at a time, and remembers what it has seen.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io::{Cursor, Seek as _};
use std::num::NonZeroUsize;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{
    CallPlan, CancellationToken, ContentBlock, RiskLevel, ToolContext, ToolError, TypedTool,
};

use super::encoding::Encoding;
use super::lines::LineRange;
use super::picture::Picture;
use super::reading::{ReadFileInput, ReadFileOutput, ReadRequest, unreadable};
use super::seen::SeenFiles;
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

/// File to read, and the part to return.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReadTextInput {
    /// Path in the workspace.
    path: String,
    /// First line, from 1; a negative one counts from the end.
    #[serde(default)]
    start_line: Option<i64>,
    /// Maximum number of lines.
    #[serde(default)]
    limit: Option<NonZeroUsize>,
}

/// Reads files in a workspace, and notes their contents as seen.
#[derive(Debug, Clone)]
pub(crate) struct ReadText {
    workspace: Workspace,
    seen: SeenFiles,
}

impl ReadText {
    /// Creates a tool that reads only inside `workspace`.
    pub(crate) fn new(workspace: Workspace, seen: SeenFiles) -> Self {
        Self { workspace, seen }
    }

    fn read(
        &self,
        cx: &ToolContext,
        input: &ReadTextInput,
        cancellation: &CancellationToken,
    ) -> Result<ReadFileOutput, ToolError> {
        let mut file = self.workspace.existing_file("path", &input.path)?;
        let part = Part {
            cx,
            input,
            cancellation,
        };
        let mut output = if file.len() <= REMEMBERED_BYTES {
            let content = file.read(REMEMBERED_BYTES)?;
            if let Some(picture) = Picture::of(&content) {
                return shown(cx, file.path(), picture, &content);
            }
            self.seen
                .remember(&self.workspace.key_of(&input.path), &content);
            part.of_content(file.path(), &content)?
        } else {
            part.of_file(&mut file)?
        };
        if shorten_lines(&mut output.content) {
            output.truncated = true;
            cx.warn(format!("Lines over {MAX_LINE_CHARS} characters are cut."));
        }
        Ok(output)
    }
}

/// Attaches a picture to the result.
fn shown(
    cx: &ToolContext,
    path: &str,
    picture: Picture,
    content: &[u8],
) -> Result<ReadFileOutput, ToolError> {
    picture.check(content.len())?;
    cx.attach(ContentBlock::Image {
        media_type: picture.media_type.to_owned(),
        data: BASE64_STANDARD.encode(content),
    });
    let size = content.len() as u64;
    let (width, height) = (picture.width, picture.height);
    Ok(ReadFileOutput {
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
    })
}

/// Part of a file to read.
struct Part<'c> {
    cx: &'c ToolContext,
    input: &'c ReadTextInput,
    cancellation: &'c CancellationToken,
}

impl Part<'_> {
    fn of_content(&self, path: &str, content: &[u8]) -> Result<ReadFileOutput, ToolError> {
        let size = content.len() as u64;
        self.of(&mut |request: &ReadRequest<'_>| {
            request.read_from(path.to_owned(), size, Cursor::new(content))
        })
    }

    fn of_file(&self, file: &mut File) -> Result<ReadFileOutput, ToolError> {
        let (path, size) = (file.path().to_owned(), file.len());
        self.of(&mut |request: &ReadRequest<'_>| {
            file.rewind()
                .map_err(|error| unreadable(error, self.cancellation))?;
            request.read_from(path.clone(), size, &mut *file)
        })
    }

    fn of(
        &self,
        read: &mut dyn FnMut(&ReadRequest<'_>) -> Result<ReadFileOutput, ToolError>,
    ) -> Result<ReadFileOutput, ToolError> {
        let first = match self.input.start_line {
            None => None,
            Some(line) if line >= 0 => {
                NonZeroUsize::new(usize::try_from(line).unwrap_or(usize::MAX))
            }
            Some(line) => {
                // The silent context, because only the second read is the model's.
                let cx = ToolContext::new("", "");
                let counted = read(&self.request(&cx, None, &self.counting()))?;
                let back = usize::try_from(line.unsigned_abs()).unwrap_or(usize::MAX);
                let total = counted.total_lines.unwrap_or_default();
                NonZeroUsize::new(total.saturating_sub(back) + 1)
            }
        };
        let input = ReadFileInput {
            max_lines: self.input.limit.unwrap_or(MAX_LINES),
            ..ReadFileInput::of(self.input.path.clone())
        };
        read(&self.request(self.cx, first, &input))
    }

    /// Returns the input of a read that counts the lines.
    fn counting(&self) -> ReadFileInput {
        ReadFileInput {
            max_lines: NonZeroUsize::MIN,
            count_lines: true,
            ..ReadFileInput::of(self.input.path.clone())
        }
    }

    fn request<'r>(
        &'r self,
        cx: &'r ToolContext,
        first: Option<NonZeroUsize>,
        input: &'r ReadFileInput,
    ) -> ReadRequest<'r> {
        ReadRequest {
            range: LineRange::from(first),
            input,
            max_bytes: MAX_BYTES,
            cx,
            cancellation: self.cancellation,
        }
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

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadTextInput,
    ) -> Result<ReadFileOutput, ToolError> {
        let (tool, context) = (self.clone(), cx.clone());
        blocking(cx, move |cancellation| {
            tool.read(&context, &input, cancellation)
        })
        .await
    }

    fn render(output: &ReadFileOutput) -> String {
        output.content.clone()
    }
}
