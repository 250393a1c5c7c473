//! Toolset of an agent with a shell and a file reader: `execute_bash` and `read_file`.

mod register;
mod result;
#[cfg(test)]
mod tests;
mod tool_request;

use std::sync::Arc;

use serde_json::Value;
use tool_core::{Presentation, PresentationError, Toolset};

use super::document::{PresentationLists as _, described, documented, text};
use crate::Kit;
use crate::files::ReadFileOutput;
use crate::shell::{Bash, CommandOutput};
pub use register::{RegisterBuiltinTools, RegisterBuiltinToolsError};
pub use result::RyanResult;
pub use tool_request::ToolRequest;

/// Maximum address space in bytes of each process of a command.
const MEMORY: u64 = 512 * 1024 * 1024;

const MAX_FILE_BYTES: u64 = 10 * 1024 * 1024;
const MAX_LINES: u64 = 10_000;

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
/// In a sandbox, a command with a literal path outside the roots is rejected, and a computed path
/// outside them cannot be read, except in system directories and toolchains. Without a sandbox, both
/// require approval. A command may run for 30 seconds. Each of its processes may use 512 MB of address space, if the
/// system can enforce the limit. A file must be UTF-8, at most 10 MB, and have the name of a text
/// file; at most 10,000 lines are returned.
///
/// [`RegisterBuiltinTools`] adds the tools to a registry under the name of the source document.
/// [`RyanResult`] converts its results to the format of the source document.
///
/// # Errors
/// Returns [`PresentationError`] if a presentation does not match its tool. Tests build the toolset
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
pub fn ryan(kit: &Kit) -> Result<Toolset, PresentationError> {
    let bash = Bash::clone(&kit.shell.bash).within_workspace();
    let limited_bash = Arc::new(bash.with_memory_limit(MEMORY));
    Toolset::named("ryan")
        .tool(&limited_bash, execute_bash())?
        .tool(&kit.files.read_file, read_file())
}

fn execute_bash() -> Presentation<CommandOutput> {
    let description = "Execute a bash command...";
    documented("execute_bash", description).parameters([
        ("command", text("The bash command to execute")),
        ("working_directory", text("Working directory for execution")),
    ])
}

fn read_file() -> Presentation<ReadFileOutput> {
    let start_line = "Starting line number (1-based)";
    let end_line = "Ending line number (1-based)";
    documented("read_file", "Reads file contents with security validation.")
        .parameters([
            ("path", text("Path to the file to read")),
            ("start_line", described("number", start_line)),
            ("end_line", described("number", end_line)),
        ])
        .pin("decoding", "utf8_only")
        .pin("max_file_bytes", MAX_FILE_BYTES)
        .pin("max_lines", MAX_LINES)
        .pin("extensions", EXTENSIONS.split(' ').collect::<Value>())
}
