//! Read access to `/etc` without its credentials.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use landlock::{ABI, AccessFs, RulesetCreated};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::access;
use super::entries::{names, open_directory};
use crate::shell::sandbox::SandboxUnavailable;

pub(super) const ETC: &str = "/etc";

/// Files and directories in `/etc` that only root can read, usually because they contain
/// credentials. Directories above them are granted by entry.
pub(super) const PRIVATE: [&str; 20] = [
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
pub(super) fn allow(
    ruleset: RulesetCreated,
    abi: ABI,
) -> Result<RulesetCreated, SandboxUnavailable> {
    let failed = |error: io::Error| SandboxUnavailable::Directory(ETC.into(), error);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let etc = match openat(CWD, ETC, flags, Mode::empty()) {
        Ok(etc) => etc,
        Err(Errno::NOENT) => return Ok(ruleset),
        Err(error) => return Err(failed(error.into())),
    };
    if !geteuid().is_root() {
        return access::allow(ruleset, etc.as_fd(), access::reading(abi));
    }
    // Listing is harmless. The right also applies to subdirectories.
    let ruleset = access::allow(ruleset, etc.as_fd(), AccessFs::ReadDir.into())?;
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
            ruleset = access::allow(ruleset, opened.as_fd(), access::reading(abi))?;
        }
    }
    Ok(ruleset)
}
