//! Configuration of a sandbox.

use std::path::PathBuf;

use shell_verdict::Grant;

use super::toolchains;

/// File attributes that a confined program may change: modes, owners, times and extended
/// attributes, which contain access control lists.
///
/// The kernel cannot limit these rules to the workspace. They apply to every file that the user
/// owns.
///
/// # Examples
/// ```
/// use tools_builtin::shell::{Attributes, Sandbox};
///
/// let sandbox = Sandbox::standard().with_attributes(Attributes::Guarded);
/// assert_eq!(sandbox, Sandbox::standard());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attributes {
    /// Modes may be changed, except to modes that hide a file from its owner, allow everyone to
    /// write, or set the set-user-id or set-group-id bit. Builds need no other modes. Extended
    /// attributes can't be changed: programs see a file system without them.
    #[default]
    Guarded,
    /// No attributes may be changed. Many builds and package managers fail.
    Frozen,
    /// All attributes may be changed, as far as the user is allowed to.
    Free,
}

/// Operating system sandbox for the programs of a tool. Linux only.
///
/// A [`Kit`](crate::Kit) uses [`Sandbox::workspace`] if the system can enforce it. With
/// [`Sandbox::standard`], which limits no reads, programs
/// - can read and run every file that the user can, see [`read_only_below`](Self::read_only_below);
/// - can write below the writable roots of the workspace, in a private `TMPDIR` that exists for the
///   duration of the call, and to `/dev/null`, see [`write_below`](Self::write_below); overlapping
///   calls of a tool can reach each other's `TMPDIR`, except those with granted permissions;
/// - cannot use the network or connect to local services, see
///   [`allow_network`](Self::allow_network) and
///   [`allow_local_services`](Self::allow_local_services); if this process has `CAP_SYS_ADMIN`, they get a
///   separate loopback interface, where only processes of the same call reach each other, so tests with
///   a local server run;
/// - cannot gain privileges: set-user-id programs, capabilities (except those that let root read
///   and write files), namespaces, mounts, tracing, kernel modules, key rings and `io_uring` are
///   disabled;
/// - can signal and inspect only processes of the same call.
///
/// Rejected operations fail with "Operation not permitted" or "Permission denied", so that programs
/// can report the cause. The protected names of the workspace (`.git/config`, `.git/hooks` and
/// similar names, and names added by the host) are restored after each call, regardless of which
/// process changed them; see [`strict`](Self::strict). This applies to names without wildcards
/// directly below a root. The settings and hooks of nested repositories, submodules and linked working trees are restored
/// too. At most 16 MiB, 8000 files and 16 levels are supported; more is an error. A repository that a command creates keeps its sample hooks and harmless settings, such as
/// remotes and `user.name`; the rest is removed with a warning. If a name cannot be restored, the call
/// fails, and so do all later ones until it can be. If this process ends during a call, even by a signal,
/// a watcher restores the names from a record in the directory of the checkpoints.
///
/// Rules for files that are replaced, such as the entries of `/etc` as root, are updated within 10
/// seconds.
///
/// Requires Linux 6.2 (Landlock 3) with seccomp, on `x86_64`, `aarch64` or `riscv64`. Since Linux
/// 6.12, signals to other processes of the user are rejected too. The metadata of each result lists
/// the enforced restrictions as `sandbox`. If the sandbox is not available, calls fail with
/// `sandbox_unavailable` before anything runs; use [`check`](Self::check) at startup.
///
/// # Not enforced
/// Programs can use unlimited CPU time, memory and disk space. They can read the attributes of all
/// files and change attributes of the user's files according to [`Attributes`]. They can access
/// System V shared memory of the user, and inherit files that the host opened without
/// close-on-exec. 32-bit programs are killed.
///
/// # Examples
/// ```no_run
/// use tools_builtin::shell::Sandbox;
/// use tools_builtin::{Kit, Workspace};
///
/// let sandbox = Sandbox::standard().write_below("/home/user/.cargo");
/// sandbox.check()?;
/// let kit = Kit::new(Workspace::open(".")?).with_sandbox(sandbox);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Sandbox {
    pub(super) readable: Option<Vec<PathBuf>>,
    /// Readable paths of toolchains, which may be removed later.
    pub(super) toolchains: Vec<PathBuf>,
    pub(super) writable: Vec<PathBuf>,
    /// Paths that an approval made writable.
    pub(super) granted: Vec<PathBuf>,
    pub(super) attributes: Attributes,
    pub(super) network: Network,
    pub(super) local_services: bool,
    pub(super) strict: bool,
}

/// What programs can connect to through IPv4 and IPv6.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Network {
    #[default]
    Refused,
    /// Only servers of the same call, in a separate network. Chosen when the sandbox is used, because it depends on the
    /// system.
    Private,
    Open,
}

impl Sandbox {
    /// Returns the standard sandbox, described above.
    pub fn standard() -> Self {
        Self::default()
    }

    /// Returns the sandbox for programs that work on the files of a workspace: like
    /// [`standard`](Self::standard), but reads are limited too.
    ///
    /// Programs can read the system directories, the workspace, the directories in `PATH`, and the
    /// existing toolchains and package caches of Rust, Node, Python, Go, Java, .NET, Ruby and
    /// version managers, without their credentials. Other files in the home directory are not
    /// readable, except Git's configuration. Password files in `/etc` are not readable either.
    /// `/dev/shm` is writable, because shared memory and semaphores are files in it. The
    /// caches that Go, uv, pip and ccache need are in a private directory of the tools, unless the host
    /// sets their variables (`GOCACHE`, `UV_CACHE_DIR`, `PIP_CACHE_DIR`, `CCACHE_DIR`).
    ///
    /// Reads the environment of this process and checks the existence of each directory.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::shell::Sandbox;
    ///
    /// let sandbox = Sandbox::workspace().allow_local_services();
    /// assert_ne!(sandbox, Sandbox::standard());
    /// ```
    pub fn workspace() -> Self {
        Self {
            readable: Some(Vec::new()),
            toolchains: toolchains::readable(),
            writable: toolchains::writable(),
            ..Self::default()
        }
    }

    /// Limits reads as [`workspace`](Self::workspace) does.
    #[cfg(feature = "document-sets")]
    pub(super) fn with_limited_reads(self) -> Self {
        Self {
            readable: Some(Vec::new()),
            toolchains: toolchains::readable(),
            ..self
        }
    }

    /// Adds the permissions of an approved call. [`Grant::Unconfined`] has no effect, because it
    /// requires a run without a sandbox.
    ///
    /// Paths must be absolute. If one contains a symlink, calls fail before anything runs. A directory can
    /// be changed with everything below it, but not read; a file can be written and read. A missing file is
    /// created empty before the call, and removed again if the call does not write to it. A path that ends
    /// with `/` is a directory; a missing one gives nothing.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::Grant;
    /// use tools_builtin::shell::Sandbox;
    ///
    /// let sandbox = Sandbox::workspace();
    /// assert_eq!(sandbox.clone().with_grants(&[Grant::Network]), sandbox.clone().allow_network());
    /// assert_eq!(sandbox.clone().with_grants(&[Grant::Services]), sandbox.allow_local_services());
    /// ```
    pub fn with_grants(mut self, grants: &[Grant]) -> Self {
        for grant in grants {
            match grant {
                Grant::Network => self = self.allow_network(),
                Grant::Services => self = self.allow_local_services(),
                Grant::Write(path) => self.granted.push(path.into()),
                // Nothing to change: the launcher doesn't use a sandbox for such a call.
                Grant::Unconfined => {}
            }
        }
        self
    }

    /// Limits read and execute access to the system directories (`/usr`, `/bin`, `/lib…`, `/sbin`,
    /// `/etc`, `/opt`, `/nix`, `/proc`), the workspace, the writable directories and `directories`.
    /// Home directories, for example, become inaccessible.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::shell::Sandbox;
    ///
    /// let sandbox = Sandbox::standard().read_only_below(["/home/user/.cargo", "/home/user/.rustup"]);
    /// assert_ne!(sandbox, Sandbox::standard());
    /// ```
    pub fn read_only_below<P: Into<PathBuf>>(
        self,
        directories: impl IntoIterator<Item = P>,
    ) -> Self {
        Self {
            readable: Some(directories.into_iter().map(Into::into).collect()),
            ..self
        }
    }

    /// Allows writing below `directory`, such as the cache of a package manager. Programs that use
    /// shared memory or semaphores, such as Python's `multiprocessing`, need `/dev/shm`.
    pub fn write_below(mut self, directory: impl Into<PathBuf>) -> Self {
        self.writable.push(directory.into());
        self
    }

    /// Allows network access through IPv4 and IPv6. Unix sockets stay closed, because the services
    /// behind them often run commands for their clients; see
    /// [`allow_local_services`](Self::allow_local_services).
    pub fn allow_network(mut self) -> Self {
        self.network = Network::Open;
        self
    }

    /// Allows connections to local services through Unix sockets. Some services, such as container
    /// engines and session services, can perform operations for their clients that the sandbox
    /// rejects.
    pub fn allow_local_services(mut self) -> Self {
        self.local_services = true;
        // Some services have abstract addresses, which belong to a network.
        self.without_loopback()
    }

    /// Sets which file attributes may be changed. The default is [`Attributes::Guarded`].
    pub fn with_attributes(self, attributes: Attributes) -> Self {
        Self { attributes, ..self }
    }

    /// Makes the protected names of the workspace read-only, instead of restoring them after each
    /// call.
    ///
    /// The kernel cannot exclude a name from a writable directory. Therefore programs can write
    /// only to the entries that exist in a root when the call starts, and below them. They cannot
    /// create or remove entries directly in a root, create or replace `.git`, or commit.
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Gives programs a separate network, unless they may connect to something else.
    pub(super) fn with_loopback(mut self) -> Self {
        if self.network == Network::Refused && !self.local_services {
            self.network = Network::Private;
        }
        self
    }

    pub(super) fn without_loopback(mut self) -> Self {
        if self.network == Network::Private {
            self.network = Network::Refused;
        }
        self
    }
}
