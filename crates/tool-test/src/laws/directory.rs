//! Files of a directory, and the processes that work in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of files to read.
const MAX_FILES: usize = 1000;

/// Maximum size in bytes of a file whose content is compared.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Content of each file; `None` if it exceeds [`MAX_FILE_BYTES`] or cannot be read.
pub(super) type Files = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Returns the files under `root`, without following links.
pub(super) fn files(root: &Path) -> Files {
    let mut files = Files::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            if files.len() + directories.len() >= MAX_FILES {
                return files;
            }
            if kind.is_ok_and(|kind| kind.is_dir()) {
                directories.push(path);
            } else {
                let small = entry.metadata().is_ok_and(|of| of.len() <= MAX_FILE_BYTES);
                let bytes = if small { fs::read(&path).ok() } else { None };
                let relative = path.strip_prefix(root).unwrap_or(&path).to_owned();
                files.insert(relative, bytes);
            }
        }
    }
    files
}

/// Returns the processes whose working directory is `root` or below it. Empty except on Linux.
pub(super) fn processes(root: &Path) -> Vec<u32> {
    let Ok(root) = root.canonicalize() else {
        return Vec::new();
    };
    let own = std::process::id();
    let listed = fs::read_dir("/proc").into_iter().flatten().flatten();
    listed
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id| *id != own)
        .filter(|id| works_in(*id, &root))
        .collect()
}

fn works_in(id: u32, root: &Path) -> bool {
    fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|directory| directory.starts_with(root))
}
