//! The tools of an agent with a shell and a file reader: `execute_bash` and `read_file`.

use tool_core::{Contract, Presentation, PresentationError};

use super::words::{described, documented, text};
use crate::Kit;
use crate::files::ReadFileOutput;

/// The contract set `ryan`: two tools with checks before they run, unknown parameters ignored.
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
    Contract::named("ryan").tool(&kit.read_file, read_file())
}

fn read_file() -> Presentation<ReadFileOutput> {
    documented("read_file", "Reads file contents with security validation")
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
}
