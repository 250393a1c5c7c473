//! Making folders.

use std::io;

use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::error::disk_error;
use super::history::Before;
use super::{Workspace, beneath};

/// A folder that is there now.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().folder("src");
/// let workspace = Workspace::open(scratch.path())?;
/// let made = workspace.create_directory("path", "src/a/b", &CancellationToken::new())?;
/// assert_eq!((made.path.as_str(), made.created), ("src/a/b", vec!["src/a".to_owned(), "src/a/b".to_owned()]));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CreatedDirectory {
    /// The path as it is shown.
    pub path: String,
    /// The folders that were made, outermost first: those above too, and none when the folder was there.
    pub created: Vec<String>,
}

impl Workspace {
    /// Makes a folder, with those above it that are not there, at most 100. One that is there already is no error.
    ///
    /// # Errors
    /// A path that leads out, or on behind a file; [`ErrorCode::AlreadyExists`] when a file has the name;
    /// [`ErrorCode::Protected`] where nothing may be changed.
    pub fn create_directory(
        &self,
        parameter: &str,
        path: &str,
        cancellation: &CancellationToken,
    ) -> Result<CreatedDirectory, ToolError> {
        let located = self.locate(parameter, path)?;
        let shown = located.shown();
        match beneath::open_folder(&located.root.dir, located.path()) {
            Ok(_) => {
                let (path, created) = (shown, Vec::new());
                return Ok(CreatedDirectory { path, created });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(no_folder(parameter, error));
            }
            Err(error) => return Err(self.path_error(parameter, &located, error)),
        }
        if cancellation.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let place = self.new_folder(parameter, &located)?;
        let created = place.made.iter().filter_map(|made| made.to_str());
        let created = created.map(|made| located.root.shown(made)).collect();
        self.record(&shown, &place, Before::NoFolder, None);
        Ok(CreatedDirectory {
            path: shown,
            created,
        })
    }
}

fn no_folder(parameter: &str, error: io::Error) -> ToolError {
    let told = disk_error(parameter, error);
    let sentence = "is a file, or goes on behind one, so no folder can be there";
    ToolError::about(ErrorCode::AlreadyExists, parameter, sentence)
        .suggest("Choose another path.")
        .caused_by(told)
}
