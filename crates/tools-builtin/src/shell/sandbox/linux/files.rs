//! Landlock rules for file access.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreated, RulesetError, Scope,
};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

use super::access::{allow, allow_changes, changing, reading};
use super::protected::writable_roots;
use super::{etc, strict};
use crate::shell::sandbox::{Sandbox, SandboxUnavailable};
use crate::workspace::{Root, Workspace};

/// System directories that programs need if their read access is restricted, in addition to `/etc`.
const SYSTEM_DIRECTORIES: [&str; 17] = [
    "/bin",
    "/gnu/store",
    "/home/linuxbrew/.linuxbrew",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix",
    "/opt",
    "/proc",
    "/run/NetworkManager/resolv.conf",
    "/run/current-system",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
];

/// Read-only devices.
const SOURCES: [&str; 4] = ["/dev/full", "/dev/random", "/dev/urandom", "/dev/zero"];

/// Creates the rules for a call with its private directories.
pub(super) fn of_call<'p>(
    sandbox: &Sandbox,
    workspace: &Workspace,
    private: impl Iterator<Item = &'p Path>,
    abi: ABI,
) -> Result<RulesetCreated, SandboxUnavailable> {
    let mut ruleset = of_sandbox(sandbox, abi)?;
    // Fail closed: a read-only root below a writable one would be writable for commands.
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
    for directory in private {
        ruleset = allow_path(ruleset, directory, reading(abi) | changing())?;
    }
    Ok(ruleset)
}

/// Creates the rules that apply to every call of a sandbox.
pub(super) fn of_sandbox(
    sandbox: &Sandbox,
    abi: ABI,
) -> Result<RulesetCreated, SandboxUnavailable> {
    let mut ruleset = nothing_allowed(sandbox, abi).map_err(SandboxUnavailable::refused)?;
    match &sandbox.readable {
        None => ruleset = allow_path(ruleset, Path::new("/"), reading(abi))?,
        Some(directories) => {
            for directory in directories {
                ruleset = allow_path(ruleset, directory, reading(abi))?;
            }
            let system = SYSTEM_DIRECTORIES.iter().chain(&SOURCES).map(Path::new);
            for path in system.chain(sandbox.toolchains.iter().map(PathBuf::as_path)) {
                ruleset = allow_if_exists(ruleset, path, reading(abi))?;
            }
            ruleset = etc::allow(ruleset, abi)?;
        }
    }
    for directory in &sandbox.writable {
        ruleset = allow_path(ruleset, directory, reading(abi) | changing())?;
    }
    for path in &sandbox.granted {
        ruleset = allow_granted(ruleset, path)?;
    }
    allow_if_exists(ruleset, Path::new("/dev/null"), AccessFs::from_file(abi))
}

/// Rejects read-only roots in writable ones: Landlock rules grant access to entire directories and
/// cannot exclude subdirectories.
pub(in crate::shell::sandbox) fn check_read_only_roots(
    workspace: &Workspace,
) -> Result<(), SandboxUnavailable> {
    let is_in_writable = |root: &Root| {
        writable_roots(workspace).any(|writable| root.real_path().starts_with(writable.real_path()))
    };
    let mut roots = workspace.roots();
    match roots.find(|root| root.is_read_only() && is_in_writable(root)) {
        Some(root) => Err(SandboxUnavailable::ReadOnlyRoot(root.path().to_owned())),
        None => Ok(()),
    }
}

fn nothing_allowed(sandbox: &Sandbox, abi: ABI) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = Ruleset::default()
        // The default of the crate is best effort: programs would run with fewer restrictions than we report.
        .set_compatibility(CompatLevel::HardRequirement)
        // Handle every right: Landlock doesn't restrict a right that a ruleset doesn't handle.
        .handle_access(AccessFs::from_all(abi))?;
    if abi >= ABI::V4 && !sandbox.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
    }
    if abi >= ABI::V6 {
        // The other scope denies abstract Unix sockets, which local services may use.
        ruleset = ruleset.scope(if sandbox.network || sandbox.local_services {
            Scope::Signal.into()
        } else {
            Scope::from_all(abi)
        })?;
    }
    ruleset.create()
}

fn allow_if_exists(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, SandboxUnavailable> {
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
        .map_err(|error| SandboxUnavailable::Directory(path.to_owned(), error.into()))?;
    allow(ruleset, opened.as_fd(), access)
}

/// Adds a rule for a path that a person approved. A symlink could have been changed since then. What was
/// approved is a write, so nothing below a directory becomes readable; programs that change a file need
/// to read it. A path that is missing or inaccessible gives nothing, so the program fails there as usual.
fn allow_granted(
    ruleset: RulesetCreated,
    path: &Path,
) -> Result<RulesetCreated, SandboxUnavailable> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(opened) => allow_changes(ruleset, opened.as_fd()),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => Ok(ruleset),
        Err(error) => Err(SandboxUnavailable::Granted(path.to_owned(), error.into())),
    }
}
