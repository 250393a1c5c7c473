//! What is left in a folder: files, and processes that work there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of a folder that are looked at.
const MOST_FILES: usize = 1000;

/// Bytes of a file that are compared.
const LONGEST_FILE: u64 = 1024 * 1024;

/// The files under a folder, with their bytes; a larger file has none.
pub(super) type Files = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// The files under `root`, links not followed.
pub(super) fn files(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            if files.len() + folders.len() >= MOST_FILES {
                return files;
            }
            if kind.is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else {
                let small = entry.metadata().is_ok_and(|of| of.len() <= LONGEST_FILE);
                let bytes = if small { fs::read(&path).ok() } else { None };
                let relative = path.strip_prefix(root).unwrap_or(&path).to_owned();
                files.insert(relative, bytes);
            }
        }
    }
    files
}

/// The processes whose working directory is `root` or below it. Only Linux tells; elsewhere there are none.
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
    fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|folder| folder.starts_with(root))
}
