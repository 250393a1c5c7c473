//! The tools of an agent with a shell and a file reader: `execute_bash` and `read_file`.

#[cfg(test)]
#[cfg(feature = "shell")]
mod tests;

#[cfg(feature = "shell")]
use std::sync::Arc;

use serde_json::json;
use tool_core::{Contract, Presentation, PresentationError};

use super::words::{described, documented, text};
use crate::Kit;
use crate::files::ReadFileOutput;
#[cfg(feature = "shell")]
use crate::shell::{Bash, CommandOutput};

/// How much memory one process of a command may ask for.
#[cfg(feature = "shell")]
const MEMORY: u64 = 512 * 1024 * 1024;

const MAX_FILE_BYTES: u64 = 10 * 1024 * 1024;
const MAX_LINES: u64 = 10_000;

/// The contract set `ryan`: two tools with checks before they run, unknown parameters ignored.
///
/// A command may take 30 seconds, and each of its processes 512 MB of address space where the system can hold it to
/// that. A file is read that is UTF-8, has at most 10 MB and a name that text files have, and at most 10,000 lines of it.
///
/// [`tool_core::forms::RyanResult`] writes its results as that set's programs read them.
///
/// # Errors
/// [`PresentationError`] never comes for this crate's own engines; a test builds every contract.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::{Kit, Workspace, contracts};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("file.txt", "one\ntwo\nthree\n");
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::builder().contract(&contracts::ryan(&kit)?)?.build();
///
/// let lines = json!({"path": "file.txt", "start_line": 1.0, "end_line": 2.0});
/// assert_eq!(registry.execute("read_file", lines).await.text(), "one\ntwo");
/// # Ok(()) }
/// ```
pub fn ryan(kit: &Kit) -> Result<Contract, PresentationError> {
    let contract = Contract::named("ryan");
    #[cfg(feature = "shell")]
    let contract = contract.tool(&limited(&kit.bash), execute_bash())?;
    contract.tool(&kit.read_file, read_file())
}

/// The same shell for commands that may not take all memory.
#[cfg(feature = "shell")]
fn limited(bash: &Bash) -> Arc<Bash> {
    Arc::new(bash.clone().with_memory_limit(MEMORY))
}

#[cfg(feature = "shell")]
fn execute_bash() -> Presentation<CommandOutput> {
    documented(
        "execute_bash",
        "Executes shell commands with safety constraints.",
    )
    .only(["command", "working_directory"])
    .schema("command", text("The bash command to execute"))
    .schema("working_directory", text("Working directory for execution"))
}

fn read_file() -> Presentation<ReadFileOutput> {
    documented("read_file", "Reads file contents with security validation.")
        .only(["path", "start_line", "end_line"])
        .schema("path", text("Path to the file to read"))
        .schema(
            "start_line",
            described("number", "Starting line number (1-based)"),
        )
        .schema(
            "end_line",
            described("number", "Ending line number (1-based)"),
        )
        .pin("decoding", "utf8_only")
        .pin("max_file_bytes", MAX_FILE_BYTES)
        .pin("max_lines", MAX_LINES)
        .pin("extensions", json!(EXTENSIONS))
}

/// What is read: source code, data that is text, prose, and files without an extension that projects have.
const EXTENSIONS: &[&str] = &[
    "adoc",
    "asm",
    "astro",
    "awk",
    "bash",
    "bat",
    "bazel",
    "bib",
    "c",
    "cabal",
    "cc",
    "cfg",
    "clj",
    "cljs",
    "cmake",
    "cmd",
    "cnf",
    "coffee",
    "conf",
    "cpp",
    "cs",
    "css",
    "csv",
    "cu",
    "cxx",
    "dart",
    "diff",
    "dockerfile",
    "dockerignore",
    "editorconfig",
    "el",
    "elm",
    "erl",
    "ex",
    "exs",
    "f90",
    "fish",
    "fs",
    "fsx",
    "gemfile",
    "gemspec",
    "gitattributes",
    "gitignore",
    "go",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "hcl",
    "hpp",
    "hs",
    "htm",
    "html",
    "hxx",
    "ini",
    "ipynb",
    "java",
    "jl",
    "js",
    "json",
    "jsonc",
    "jsonl",
    "jsx",
    "kt",
    "kts",
    "less",
    "license",
    "lisp",
    "lock",
    "log",
    "lua",
    "m",
    "makefile",
    "markdown",
    "md",
    "mdx",
    "mjs",
    "mk",
    "ml",
    "mod",
    "nim",
    "nix",
    "pas",
    "patch",
    "php",
    "pl",
    "plist",
    "po",
    "pot",
    "properties",
    "proto",
    "ps1",
    "purs",
    "py",
    "pyi",
    "r",
    "rake",
    "rb",
    "readme",
    "rkt",
    "rs",
    "rst",
    "sass",
    "scala",
    "scm",
    "scss",
    "sh",
    "sol",
    "sql",
    "srt",
    "styl",
    "sum",
    "sv",
    "svelte",
    "svg",
    "swift",
    "tcl",
    "tex",
    "text",
    "tf",
    "toml",
    "ts",
    "tsv",
    "tsx",
    "txt",
    "vb",
    "vhd",
    "vim",
    "vue",
    "xml",
    "xsd",
    "xsl",
    "yaml",
    "yml",
    "zig",
    "zsh",
];
