//! Read-only tools of a [`RepositorySource`], with the inputs and outputs of the file tools.

use std::sync::Arc;

use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::files::{
    Encoding, FileEntry, FoundDirectory, ListDirsInput, ListDirsOutput, ListFilesInput,
    ListFilesOutput, ReadFileInput, ReadFileOutput, omitted_warning,
};
use crate::repository::{RepositoryListing, RepositoryQuery, RepositorySource};
use crate::search::{SearchCodeInput, SearchCodeOutput, SearchMatch};
use crate::workspace::{EntryKind, Pattern};

/// Maximum number of entries read from one directory.
const MAX_ENTRIES: usize = 10_000;

const CUT_LISTING: &str = "There are too many entries, so some are missing. List a subdirectory.";

/// Directory listing.
#[derive(Debug)]
pub(super) struct SourceTree(pub(super) Arc<dyn RepositorySource>);

impl SourceTree {
    async fn below(
        &self,
        cx: &ToolContext,
        path: &str,
        depth: usize,
    ) -> Result<(Vec<FoundDirectory>, bool), ToolError> {
        let RepositoryListing { entries, truncated } =
            self.0.list_folder(cx, path, MAX_ENTRIES).await?;
        let directories = entries
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::Directory);
        let found = directories.map(|entry| FoundDirectory {
            path: entry.path,
            depth,
        });
        Ok((found.collect(), truncated))
    }
}

impl TypedTool for SourceTree {
    type Input = ListDirsInput;
    type Output = ListDirsOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(
        &self,
        cx: &ToolContext,
        input: ListDirsInput,
    ) -> Result<ListDirsOutput, ToolError> {
        let limit = input.limit.get();
        let (mut dirs, mut truncated) = self.below(cx, &input.path, 1).await?;
        let mut next = 0;
        for depth in 2..=input.depth {
            if dirs.len() > limit {
                break;
            }
            let level = dirs.get(next..).unwrap_or_default();
            let level: Vec<String> = level.iter().map(|found| found.path.clone()).collect();
            next = dirs.len();
            for path in level {
                if path != ".git" && !path.ends_with("/.git") {
                    let (below, cut) = self.below(cx, &path, depth).await?;
                    truncated |= cut;
                    dirs.extend(below);
                }
            }
        }
        if truncated {
            cx.warn(CUT_LISTING);
        }
        let omitted = dirs.split_off(limit.min(dirs.len()));
        if let Some(warning) = omitted_warning(&omitted, input.depth) {
            truncated = true;
            cx.warn(warning);
        }
        Ok(ListDirsOutput { dirs, truncated })
    }
}

/// File listing of one directory.
#[derive(Debug)]
pub(super) struct SourceFiles(pub(super) Arc<dyn RepositorySource>);

impl TypedTool for SourceFiles {
    type Input = ListFilesInput;
    type Output = ListFilesOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &ListFilesInput) -> Result<CallPlan, ToolError> {
        pattern_of(input)?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ListFilesInput,
    ) -> Result<ListFilesOutput, ToolError> {
        let pattern = pattern_of(&input)?;
        let matches = |file: &FileEntry| pattern.as_ref().is_none_or(|it| it.matches(&file.name));
        let listing = self.0.list_folder(cx, &input.path, MAX_ENTRIES).await?;
        let mut files: Vec<FileEntry> = listing
            .entries
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::File)
            .map(|entry| FileEntry {
                name: entry.name().to_owned(),
                size: entry.size,
                path: entry.path,
            })
            .filter(matches)
            .collect();
        let limit = input.limit.get();
        if listing.truncated {
            cx.warn(CUT_LISTING);
        }
        let omitted = files.len().saturating_sub(limit);
        if omitted > 0 {
            cx.warn(format!(
                "{omitted} more files are not listed. Use `pattern`, or raise `limit`."
            ));
        }
        let truncated = listing.truncated || omitted > 0;
        files.truncate(limit);
        Ok(ListFilesOutput { files, truncated })
    }
}

fn pattern_of(input: &ListFilesInput) -> Result<Option<Pattern>, ToolError> {
    let pattern = input.pattern.as_deref();
    pattern
        .map(|pattern| Pattern::parse("pattern", pattern))
        .transpose()
}

/// File reader.
#[derive(Debug)]
pub(super) struct SourceReader(pub(super) Arc<dyn RepositorySource>);

impl TypedTool for SourceReader {
    type Input = ReadFileInput;
    type Output = ReadFileOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadFileInput,
    ) -> Result<ReadFileOutput, ToolError> {
        let file = self
            .0
            .read_file(cx, &input.path, super::MAX_CONTENT as u64)
            .await?;
        let truncated = file.is_truncated();
        let (content, encoding) = decode(&file.content, truncated);
        if encoding == Encoding::Unknown {
            cx.warn("The file is not UTF-8; invalid bytes are shown as �.");
        }
        if truncated {
            cx.warn(format!("Only the first {} bytes are shown.", content.len()));
        }
        let lines = content.lines().count();
        Ok(ReadFileOutput {
            path: file.path,
            size: file.size,
            total_lines: (!truncated).then_some(lines),
            lines_returned: lines,
            file_size_bytes: file.size,
            truncated,
            encoding,
            content,
        })
    }
}

/// Decodes bytes. A partial final character is removed if the bytes were truncated.
fn decode(bytes: &[u8], truncated: bool) -> (String, Encoding) {
    let (shown, encoding) = match std::str::from_utf8(bytes) {
        Ok(_) => (bytes, Encoding::Utf8),
        Err(error) if truncated && error.error_len().is_none() => {
            let complete = bytes.get(..error.valid_up_to());
            (complete.unwrap_or_default(), Encoding::Utf8)
        }
        Err(_) => (bytes, Encoding::Unknown),
    };
    (String::from_utf8_lossy(shown).into_owned(), encoding)
}

/// Content search.
#[derive(Debug)]
pub(super) struct SourceSearch(pub(super) Arc<dyn RepositorySource>);

impl TypedTool for SourceSearch {
    type Input = SearchCodeInput;
    type Output = SearchCodeOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(
        &self,
        cx: &ToolContext,
        input: SearchCodeInput,
    ) -> Result<SearchCodeOutput, ToolError> {
        let limit = input.limit;
        // Request one more match to detect further ones.
        let mut query = RepositoryQuery::new(input.query).with_limit(limit.saturating_add(1));
        if input.pattern != "*" {
            query = query.with_pattern(input.pattern);
        }
        let mut hits = self.0.search(cx, &query).await?;
        let total_matches = hits.len();
        hits.truncate(limit);
        let mut files: Vec<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
        files.dedup();
        Ok(SearchCodeOutput {
            files_searched: files.len(),
            total_matches,
            truncated: total_matches > limit,
            matches: hits
                .into_iter()
                .map(|hit| SearchMatch {
                    path: hit.path,
                    line: hit.line,
                    column: 1,
                    text: hit.text,
                    before: Vec::new(),
                    after: Vec::new(),
                })
                .collect(),
        })
    }
}
