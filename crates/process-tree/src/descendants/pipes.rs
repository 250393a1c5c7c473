//! Search for the output pipes of a program in other processes.

use std::fs;

use crate::marks::Marks;

/// Bits of `flags` in `/proc/<id>/fdinfo/<fd>`, an octal number: opened for writing, and closed by
/// `exec`.
const WRITE_ONLY: u32 = 0o1;
const CLOSED_BY_EXEC: u32 = 0o2_000_000;

/// Maximum number of descriptors of a process that are checked.
const MAX_DESCRIPTORS: usize = 256;

/// Returns `true` if a process has inherited a pipe of the program.
///
/// A process of this host that has not yet called `exec` has all descriptors of the host, but these
/// are closed by `exec`.
pub(super) fn has_pipe(id: u32, marks: &Marks) -> bool {
    if marks.pipes.iter().all(Option::is_none) || id == std::process::id() {
        return false;
    }
    let entries = fs::read_dir(format!("/proc/{id}/fd"));
    let descriptors = entries.into_iter().flatten().flatten();
    descriptors.take(MAX_DESCRIPTORS).any(|descriptor| {
        let target = fs::read_link(descriptor.path()).ok();
        let target = target.as_deref().and_then(|target| target.to_str());
        target.is_some_and(|target| marks.is_pipe(target))
            && is_inherited(id, &descriptor.file_name().to_string_lossy())
    })
}

fn is_inherited(id: u32, descriptor: &str) -> bool {
    let info = fs::read_to_string(format!("/proc/{id}/fdinfo/{descriptor}")).unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    // The reading ends are those of this process, so only a writing end proves anything.
    flags.is_some_and(|flags| flags & WRITE_ONLY != 0 && flags & CLOSED_BY_EXEC == 0)
}
