//! Files that a run leaves.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::options::Options;

/// Checks before the run that the files of `--output` and `--report` can be written.
///
/// # Errors
/// Returns a one-line message if one cannot.
pub fn check_places(options: &Options) -> Result<(), String> {
    for (option, file) in [("--output", &options.output), ("--report", &options.report)] {
        let Some(file) = file else { continue };
        let shown = file.display();
        if file.is_dir() {
            return Err(format!("`{shown}` is a directory; set {option} to a file"));
        }
        if !folder_of(file).is_dir() {
            return Err(format!(
                "the directory of `{shown}` does not exist; create it, or set {option} to another file"
            ));
        }
    }
    Ok(())
}

/// Writes the file atomically.
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
