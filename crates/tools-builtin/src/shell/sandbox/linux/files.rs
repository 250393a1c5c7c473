//! Which files a program may use.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};

use super::protected::writable_roots;
use super::strict;
use crate::shell::sandbox::{Confinement, Sandbox, SandboxUnavailable};
use crate::workspace::{Root, Workspace};

/// What programs need of the system when they may not read everything.
const SYSTEM_FOLDERS: [&str; 10] = [
    "/bin", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/opt", "/proc", "/sbin", "/usr",
];

/// Devices that only give.
const SOURCES: [&str; 4] = ["/dev/full", "/dev/random", "/dev/urandom", "/dev/zero"];

/// The rules for a call, with its private folder.
pub(super) fn of_call(
    confinement: &Confinement,
    temporary: &Path,
    abi: ABI,
) -> Result<RulesetCreated, SandboxUnavailable> {
    let sandbox = confinement.sandbox();
    let workspace = confinement.workspace();
    let mut ruleset = of_sandbox(sandbox, abi)?;
    check_read_only_roots(workspace)?;
    for root in workspace.roots() {
        ruleset = allow(ruleset, root.handle().as_fd(), reading(abi))?;
    }
    for root in writable_roots(workspace) {
        if sandbox.strict {
            for granted in strict::unprotected(workspace, root)? {
                ruleset = allow(ruleset, granted.as_fd(), changing())?;
            }
        } else {
            ruleset = allow(ruleset, root.handle().as_fd(), changing())?;
        }
    }
    allow_path(ruleset, temporary, reading(abi) | changing())
}

/// The rules that hold for every call of a sandbox.
pub(super) fn of_sandbox(
    sandbox: &Sandbox,
    abi: ABI,
) -> Result<RulesetCreated, SandboxUnavailable> {
    let mut ruleset = nothing_allowed(sandbox, abi).map_err(SandboxUnavailable::refused)?;
    match &sandbox.readable {
        None => ruleset = allow_path(ruleset, Path::new("/"), reading(abi))?,
        Some(folders) => {
            for folder in folders {
                ruleset = allow_path(ruleset, folder, reading(abi))?;
            }
            for path in SYSTEM_FOLDERS.iter().chain(&SOURCES) {
                ruleset = allow_if_there(ruleset, path, reading(abi))?;
            }
        }
    }
    for folder in &sandbox.writable {
        ruleset = allow_path(ruleset, folder, reading(abi) | changing())?;
    }
    allow_if_there(ruleset, "/dev/null", AccessFs::from_file(abi))
}

/// What is granted once is granted below: no rule takes a folder out again.
fn check_read_only_roots(workspace: &Workspace) -> Result<(), SandboxUnavailable> {
    let lies_in_writable = |root: &Root| {
        writable_roots(workspace).any(|writable| root.real_path().starts_with(writable.real_path()))
    };
    let nested = workspace
        .roots()
        .find(|root| root.is_read_only() && lies_in_writable(root));
    match nested {
        Some(root) => Err(SandboxUnavailable::ReadOnlyRoot(root.path().to_owned())),
        None => Ok(()),
    }
}

fn nothing_allowed(sandbox: &Sandbox, abi: ABI) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))?;
    if abi >= ABI::V4 && !sandbox.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
    }
    if abi >= ABI::V6 {
        ruleset = ruleset.scope(if sandbox.network || sandbox.local_services {
            Scope::Signal.into()
        } else {
            Scope::from_all(abi)
        })?;
    }
    ruleset.create()
}

fn reading(abi: ABI) -> BitFlags<AccessFs> {
    AccessFs::from_read(abi)
}

/// No devices: whoever may make them has the disks.
fn changing() -> BitFlags<AccessFs> {
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

fn allow_if_there(
    ruleset: RulesetCreated,
    path: &str,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, SandboxUnavailable> {
    let path = Path::new(path);
    if rustix::fs::access(path, rustix::fs::Access::EXISTS).is_ok() {
        allow_path(ruleset, path, access)
    } else {
        Ok(ruleset)
    }
}

fn allow_path(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, SandboxUnavailable> {
    let opened: OwnedFd = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| SandboxUnavailable::Folder(path.to_owned(), error.into()))?;
    allow(ruleset, opened.as_fd(), access)
}

fn allow(
    ruleset: RulesetCreated,
    opened: BorrowedFd<'_>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, SandboxUnavailable> {
    let stat = fstat(opened).map_err(SandboxUnavailable::refused)?;
    // What only makes sense for a folder is an error for a file.
    let access = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => access,
        _ => access & AccessFs::from_file(ABI::V7),
    };
    ruleset
        .add_rule(PathBeneath::new(opened, access))
        .map_err(SandboxUnavailable::refused)
}
