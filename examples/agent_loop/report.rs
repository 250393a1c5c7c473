//! Where the result of a run goes beside the terminal.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::options::Options;

/// Makes sure before the work that its result can be kept.
///
/// # Errors
/// One line that says why not.
pub fn check_place(options: &Options) -> Result<(), String> {
    let Some(file) = &options.report else {
        return Ok(());
    };
    if file.is_dir() {
        return Err(format!(
            "`{}` is a folder; give --report a file",
            file.display()
        ));
    }
    if !folder_of(file).is_dir() {
        return Err(format!(
            "there is no folder for `{}`; make it first, or give --report another",
            file.display()
        ));
    }
    Ok(())
}

/// Writes the report whole or not at all.
///
/// # Errors
/// One line that says what went wrong.
pub fn keep(file: &Path, content: &[u8]) -> Result<(), String> {
    let write = || -> std::io::Result<()> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut draft = builder.tempfile_in(folder_of(file))?;
        draft.write_all(content)?;
        draft.persist(file)?;
        Ok(())
    };
    write().map_err(|error| format!("`{}` cannot be written: {error}", file.display()))
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
