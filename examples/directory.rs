//! A temporary directory, which is removed at the end.

use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

pub struct Directory(PathBuf);

impl Directory {
    pub fn create(name: &str) -> io::Result<Self> {
        let path = env::temp_dir().join(format!("toolwright-{name}-{}", process::id()));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("{} could not be removed: {error}", self.0.display());
        }
    }
}
