//! Report file of a run.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::options::Options;

/// Checks before the run that the report can be written.
///
/// # Errors
/// Returns a one-line message if it cannot.
pub fn check_place(options: &Options) -> Result<(), String> {
    let Some(file) = &options.report else {
        return Ok(());
    };
    if file.is_dir() {
        return Err(format!(
            "`{}` is a directory; set --report to a file",
            file.display()
        ));
    }
    if !folder_of(file).is_dir() {
        return Err(format!(
            "the directory of `{}` does not exist; create it, or set --report to another file",
            file.display()
        ));
    }
    Ok(())
}

/// Writes the report atomically.
///
/// # Errors
/// Returns a one-line message if writing fails.
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
