//! Toolset of an agent with a shell and a file reader: `execute_bash` and `read_file`.

mod result;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use tool_core::{ToolError, Toolset, ToolsetError};

use super::document::documented;
use super::names::Names;
use super::wording::Wording;
use crate::Kit;
use crate::files::{Decoding, ReadFile, ReadFileInput};
use crate::shell::{Bash, BashInput};
pub use result::{RegisterBuiltinTools, RegisterBuiltinToolsError, RyanResult, ToolRequest};

/// Maximum address space in bytes of each process of a command.
const MEMORY: u64 = 512 * 1024 * 1024;

const MAX_FILE_BYTES: u64 = 10 * 1024 * 1024;

/// Extensions and names of readable files: source code, text data, prose, and common project files
/// without an extension.
const EXTENSIONS: &str = "\
    adoc asm astro awk bash bat bazel bib c cabal cc cfg clj cljs cmake cmd cnf coffee conf cpp \
    cs css csv cu cxx dart diff dockerfile dockerignore editorconfig el elm erl ex exs f90 fish \
    fs fsx gemfile gemspec gitattributes gitignore go gradle graphql groovy h hcl hpp hs htm \
    html hxx ini ipynb java jl js json jsonc jsonl jsx kt kts less license lisp lock log lua m \
    makefile markdown md mdx mjs mk ml mod nim nix pas patch php pl plist po pot properties \
    proto ps1 purs py pyi r rake rb readme rkt rs rst sass scala scm scss sh sol sql srt styl \
    sum sv svelte svg swift tcl tex text tf toml ts tsv tsx txt vb vhd vim vue xml xsd xsl yaml \
    yml zig zsh";

/// Returns the `ryan` toolset: two tools that validate their arguments. Unknown parameters are
/// ignored.
///
/// A command with a literal path outside the roots is rejected. In a sandbox, a computed path outside
/// them cannot be read, except in system directories and toolchains; without one, it requires approval.
/// A command may run for 30 seconds. Each of its processes may use 512 MB of address space, if the
/// system can enforce the limit. A file must be UTF-8, at most 10 MB, and have the name of a text
/// file; at most 10,000 lines are returned.
///
/// [`RegisterBuiltinTools`] adds the tools to a registry under the name of the source document.
/// [`RyanResult`] converts its results to the format of the source document.
///
/// # Errors
/// Returns [`ToolsetError`] if two tools have one name. Tests build the toolset
/// with every feature.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::{Kit, Workspace, toolsets};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("file.txt", "one\ntwo\nthree\n");
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::builder().toolset(&toolsets::ryan(&kit)?)?.build();
///
/// let lines = json!({"path": "file.txt", "start_line": 1.0, "end_line": 2.0});
/// assert_eq!(registry.execute("read_file", lines).await.text(), "one\ntwo");
/// # Ok(()) }
/// ```
pub fn ryan(kit: &Kit) -> Result<Toolset, ToolsetError> {
    let bash = Bash::clone(&kit.shell.bash).within_workspace();
    let bash = bash.with_memory_limit(MEMORY);
    let files = ReadFile::new(kit.workspace().clone());
    let run = "Execute a bash command...";
    let read = "Reads file contents with security validation.";
    Toolset::named("ryan")
        .with_tool(documented::<ExecuteBash, _>("execute_bash", run, bash))?
        .with_tool(documented::<ReadTextFile, _>("read_file", read, files))
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ExecuteBash {
    /// The bash command to execute
    command: String,
    /// Working directory for execution
    working_directory: Option<String>,
}

impl Wording<Bash> for ExecuteBash {
    const NAMES: Names = Names::of(&[]).hiding(&[
        "timeout_seconds",
        "background",
        "needs",
        "read_stored_output",
        "reason",
    ]);

    fn request(&self) -> Result<BashInput, ToolError> {
        let line = BashInput::of(self.command.clone());
        let directory = self.working_directory.clone();
        Ok(BashInput {
            working_directory: directory.unwrap_or(line.working_directory),
            ..line
        })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ReadTextFile {
    /// Path to the file to read
    path: String,
    /// Starting line number (1-based)
    #[serde(default)]
    #[schemars(schema_with = "number")]
    start_line: Option<NonZeroUsize>,
    /// Ending line number (1-based)
    #[serde(default)]
    #[schemars(schema_with = "number")]
    end_line: Option<NonZeroUsize>,
}

impl Wording<ReadFile> for ReadTextFile {
    fn request(&self) -> Result<ReadFileInput, ToolError> {
        Ok(ReadFileInput {
            start_line: self.start_line,
            end_line: self.end_line,
            decoding: Decoding::Utf8Only,
            max_file_bytes: Some(MAX_FILE_BYTES),
            extensions: Some(EXTENSIONS),
            ..ReadFileInput::of(self.path.clone())
        })
    }
}

/// The schema of a line number: models of this set send whole numbers as `1.0`.
fn number(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "number"})
}
