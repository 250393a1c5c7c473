//! Landlock rules for file access: what a call may read, and what it may change.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2, statat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::entries::{names, open_directory, writable_roots};
use crate::shell::sandbox::{Network, Sandbox, SandboxUnavailable};
use crate::workspace::{Root, TOKEN_DIRECTORIES, Workspace, is_secret_name};

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
        let handle = root.handle().as_fd();
        if !sandbox.splits(root)? {
            ruleset = allow(ruleset, handle, reading(abi))?;
            continue;
        }
        // Listing is harmless. The right also applies to subdirectories.
        ruleset = allow(ruleset, handle, AccessFs::ReadDir.into())?;
        for granted in entries(workspace, root, false)? {
            ruleset = allow(ruleset, granted.as_fd(), reading(abi))?;
        }
    }
    for root in writable_roots(workspace) {
        if sandbox.strict || sandbox.splits(root)? {
            for granted in entries(workspace, root, sandbox.strict)? {
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
            ruleset = allow_etc(ruleset, abi)?;
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
    if abi >= ABI::V4 && sandbox.network == Network::Refused {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
    }
    if abi >= ABI::V6 {
        // The other scope denies abstract Unix sockets, which local services may use.
        ruleset = ruleset.scope(if sandbox.local_services {
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
        Ok(opened) => {
            // Programs that change a file in place read it first, so the file itself becomes readable, but no directory does.
            let file = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
            allow_by_type(ruleset, opened.as_fd(), changing(), file)
        }
        Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => Ok(ruleset),
        Err(error) => Err(SandboxUnavailable::Granted(path.to_owned(), error.into())),
    }
}

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

const ETC: &str = "/etc";

/// Files and directories in `/etc` that only root can read, usually because they contain
/// credentials. Directories above them are granted by entry.
const PRIVATE: [&str; 20] = [
    "NetworkManager/system-connections",
    "credstore",
    "credstore.encrypted",
    "docker/key.json",
    "gshadow",
    "gshadow-",
    "ipsec.secrets",
    "krb5.keytab",
    "kubernetes",
    "letsencrypt",
    "pki/tls/private",
    "polkit-1",
    "ppp",
    "security/opasswd",
    "shadow",
    "shadow-",
    "ssh",
    "ssl/private",
    "sudoers",
    "wireguard",
];

/// Allows reading `/etc`. Programs of root could also read the credentials in it, so for root each
/// other entry has its own rule.
fn allow_etc(ruleset: RulesetCreated, abi: ABI) -> Result<RulesetCreated, SandboxUnavailable> {
    let failed = |error: io::Error| SandboxUnavailable::Directory(ETC.into(), error);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let etc = match openat(CWD, ETC, flags, Mode::empty()) {
        Ok(etc) => etc,
        Err(Errno::NOENT) => return Ok(ruleset),
        Err(error) => return Err(failed(error.into())),
    };
    if !geteuid().is_root() {
        return allow(ruleset, etc.as_fd(), reading(abi));
    }
    // Listing is harmless. The right also applies to subdirectories.
    let ruleset = allow(ruleset, etc.as_fd(), AccessFs::ReadDir.into())?;
    allow_entries(ruleset, etc.as_fd(), "", abi)
}

fn allow_entries(
    mut ruleset: RulesetCreated,
    directory: BorrowedFd<'_>,
    above: &str,
    abi: ABI,
) -> Result<RulesetCreated, SandboxUnavailable> {
    let failed = |error: io::Error| SandboxUnavailable::Directory(ETC.into(), error);
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    for name in names(directory).map_err(failed)? {
        let path = format!("{above}{}", name.to_string_lossy());
        if PRIVATE.contains(&path.as_str()) {
            continue;
        }
        let parent = format!("{path}/");
        if PRIVATE.iter().any(|private| private.starts_with(&parent))
            && let Ok(opened) = open_directory(directory, &name)
        {
            ruleset = allow_entries(ruleset, opened.as_fd(), &parent, abi)?;
        } else if let Ok(opened) = openat(directory, &name, flags, Mode::empty()) {
            // An error means that the entry was removed or is a dangling symlink.
            ruleset = allow(ruleset, opened.as_fd(), reading(abi))?;
        }
    }
    Ok(ruleset)
}

/// Maximum number of entries of a root that are granted separately.
const MAX_GRANTED: usize = 10_000;

/// Returns handles of all current entries in `root`, as few as possible, without tokens and, if `is_strict`, without the
/// protected names. Symlinks are omitted, because other rules apply to their targets.
pub(super) fn entries(
    workspace: &Workspace,
    root: &Root,
    is_strict: bool,
) -> Result<Vec<OwnedFd>, SandboxUnavailable> {
    let mut search = Search {
        workspace,
        is_strict,
        granted: Vec::new(),
    };
    // Root handles are opened with `O_PATH` and cannot list entries.
    open_directory(root.handle().as_fd(), c".")
        .and_then(|root| search.collect(root.as_fd(), ""))
        .map_err(unlisted)?;
    Ok(search.granted)
}

struct Search<'w> {
    workspace: &'w Workspace,
    is_strict: bool,
    granted: Vec<OwnedFd>,
}

impl Search<'_> {
    /// Descends only into directories that contain names to omit.
    fn collect(&mut self, directory: BorrowedFd<'_>, above: &str) -> io::Result<()> {
        for name in names(directory)? {
            let path = path_of(above, &name);
            let Some((entry, kind)) = open(directory, &name)? else {
                continue;
            };
            let protected = self.workspace.protected();
            let is_above = self.is_strict && protected.is_above(Path::new(&path))
                || above.is_empty() && holds_tokens(directory, &name)?;
            let is_protected =
                |path: &Path| protected.covers(None, path) || protected.is_run_by_others(path);
            let is_left_out = is_secret_name(&name.to_string_lossy())
                || self.is_strict && is_protected(Path::new(&path));
            if kind == FileType::Directory && is_above {
                let directory = open_directory(directory, &name)?;
                self.collect(directory.as_fd(), &path)?;
            } else if self.granted.len() == MAX_GRANTED {
                return Err(io::ErrorKind::FileTooLarge.into());
            } else if !is_left_out {
                self.granted.push(entry);
            }
        }
        Ok(())
    }
}

impl Sandbox {
    /// Returns whether each entry of a root has its own rule, because the root contains sign-in tokens. Landlock cannot
    /// exclude a directory from a rule. Without limits of reads, this would hide nothing.
    pub(super) fn splits(&self, root: &Root) -> Result<bool, SandboxUnavailable> {
        Ok(self.readable.is_some() && has_tokens(root)?)
    }
}

/// Returns whether a root, or a directory directly in it, contains a directory of sign-in tokens.
fn has_tokens(root: &Root) -> Result<bool, SandboxUnavailable> {
    let find = || {
        let root = open_directory(root.handle().as_fd(), c".")?;
        for entry in Dir::read_from(&root)? {
            let entry = entry?;
            // Stat only directories: two calls for each file of a large directory would be slow.
            let may_hold = matches!(entry.file_type(), FileType::Directory | FileType::Unknown);
            let name = entry.file_name();
            if is_secret_name(&name.to_string_lossy())
                || may_hold && ![c".", c".."].contains(&name) && holds_tokens(root.as_fd(), name)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    };
    find().map_err(unlisted)
}

/// Returns whether a directory of this name contains a directory of tokens.
fn holds_tokens(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
    for tokens in TOKEN_DIRECTORIES {
        let path = Path::new(OsStr::from_bytes(name.to_bytes())).join(tokens);
        match statat(directory, &path, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => return Ok(true),
            // Commands of the same user cannot enter such a directory either.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

fn unlisted(error: io::Error) -> SandboxUnavailable {
    SandboxUnavailable::Protected(".".to_owned(), error)
}

fn path_of(above: &str, name: &CStr) -> String {
    let name = name.to_string_lossy();
    if above.is_empty() {
        name.into_owned()
    } else {
        format!("{above}/{name}")
    }
}

/// Opens a file or directory. Returns `None` for other types and missing names.
fn open(directory: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<(OwnedFd, FileType)>> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match openat(directory, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        outcome => outcome?,
    };
    let kind = FileType::from_raw_mode(fstat(&opened)?.st_mode);
    let is_granted = matches!(kind, FileType::RegularFile | FileType::Directory);
    Ok(is_granted.then_some((opened, kind)))
}
