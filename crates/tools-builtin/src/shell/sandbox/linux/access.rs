//! Access rights and the rules that grant them.

use std::os::fd::BorrowedFd;

use landlock::{ABI, AccessFs, BitFlags, PathBeneath, RulesetCreated, RulesetCreatedAttr};
use rustix::fs::{FileType, fstat};

use crate::shell::sandbox::SandboxUnavailable;

/// Returns the rights to read and execute.
pub(super) fn reading(abi: ABI) -> BitFlags<AccessFs> {
    AccessFs::from_read(abi)
}

/// Returns the rights to change files and directories.
///
/// Excludes device nodes, which would give raw access to disks.
pub(super) fn changing() -> BitFlags<AccessFs> {
    AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::MakeSym
        | AccessFs::MakeFifo
        | AccessFs::MakeSock
        | AccessFs::Refer
}

/// Adds a rule for an open file or directory and everything below it.
pub(super) fn allow(
    ruleset: RulesetCreated,
    opened: BorrowedFd<'_>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, SandboxUnavailable> {
    allow_by_type(
        ruleset,
        opened,
        access,
        access & AccessFs::from_file(ABI::V7),
    )
}

/// Adds a rule to change an open directory and everything below it, or to read and write an open file.
pub(super) fn allow_changes(
    ruleset: RulesetCreated,
    opened: BorrowedFd<'_>,
) -> Result<RulesetCreated, SandboxUnavailable> {
    // Programs that change a file in place read it first, so the file itself becomes readable, but no directory does.
    let file = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
    allow_by_type(ruleset, opened, changing(), file)
}

/// Adds a rule with the rights for the type of the entry: directory rights are an error for files.
fn allow_by_type(
    ruleset: RulesetCreated,
    opened: BorrowedFd<'_>,
    directory: BitFlags<AccessFs>,
    file: BitFlags<AccessFs>,
) -> Result<RulesetCreated, SandboxUnavailable> {
    // Ask the handle and not the path, which may name another entry in the meantime.
    let stat = fstat(opened).map_err(SandboxUnavailable::refused)?;
    let access = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => directory,
        _ => file,
    };
    ruleset
        .add_rule(PathBeneath::new(opened, access))
        .map_err(SandboxUnavailable::refused)
}
