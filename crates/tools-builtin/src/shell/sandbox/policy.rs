//! What a confined program may do.

use std::path::PathBuf;

use super::{SandboxUnavailable, system};

/// Which attributes of files a confined program may change: modes, owners, times, extended attributes.
///
/// The kernel has no rule that tells files in the workspace from others here, so that what is allowed is allowed for
/// every file that the user owns.
///
/// # Examples
/// ```
/// use tools_builtin::shell::{Attributes, Sandbox};
///
/// let sandbox = Sandbox::standard().with_attributes(Attributes::Frozen);
/// assert_eq!(sandbox.attributes(), Attributes::Frozen);
/// assert_eq!(Sandbox::standard().attributes(), Attributes::Guarded);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attributes {
    /// Modes may be changed, but never to one that hides a file from its owner, lets everybody write it or gives its
    /// users other rights (set-user-id and set-group-id). Builds need no more.
    #[default]
    Guarded,
    /// Nothing of this may be changed. Many builds and package managers fail.
    Frozen,
    /// Whatever the user may.
    Free,
}

/// How the operating system confines the programs of a tool. Linux only.
///
/// The standard sandbox lets programs
/// - read and run every file that the user may, see [`read_only_below`](Self::read_only_below);
/// - write below the writable roots of the workspace, in a private `TMPDIR` that is made for the call and removed after
///   it, and to `/dev/null`, see [`write_below`](Self::write_below);
/// - open no network connection, and none to local services, see [`allow_network`](Self::allow_network) and
///   [`allow_local_services`](Self::allow_local_services);
/// - gain no privileges: no set-user-id programs, no capabilities but the one that lets root read and write files, no
///   namespaces, mounts, tracing, kernel modules, key rings or `io_uring`;
/// - signal and inspect only what belongs to the same call.
///
/// What is refused fails with "Operation not permitted" or "Permission denied", so that programs can say what they lack.
/// The protected names of the workspace (`.git/config`, `.git/hooks` and the like, and those of the host) are put back as
/// they were after each call, whoever changed them meanwhile; see [`strict`](Self::strict). That holds for names without
/// wildcards directly below a root, apart from `.git/modules` and `.git/worktrees`, and up to 4 MiB, 1000 files and
/// 16 levels; more is an error.
///
/// Needs Linux 6.2 (Landlock 3) with seccomp, on `x86_64`, `aarch64` or `riscv64`. From 6.12 on, signals to other
/// processes of the user are refused as well. The metadata of each result say under `sandbox` what was enforced. Where
/// the sandbox cannot be had, the call fails with `sandbox_unavailable` before anything runs; [`check`](Self::check)
/// tells at startup.
///
/// # Not enforced
/// Programs may use processor time, memory and disk space. They may read the attributes of all files, and change those of
/// files of their user as [`Attributes`] says. They can reach System V shared memory of the user. Files that the host
/// has open without close-on-exec are theirs too. 32-bit programs are killed.
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
pub struct Sandbox {
    pub(super) readable: Option<Vec<PathBuf>>,
    pub(super) writable: Vec<PathBuf>,
    pub(super) attributes: Attributes,
    pub(super) network: bool,
    pub(super) local_services: bool,
    pub(super) strict: bool,
}

impl Sandbox {
    /// The sandbox described above.
    #[must_use]
    pub fn standard() -> Self {
        Self::default()
    }

    /// Lets programs read, and run, what is below the system's folders (`/usr`, `/bin`, `/lib…`, `/sbin`, `/etc`, `/opt`,
    /// `/nix`, `/proc`), the workspace, what they may write, and `folders`; nothing else, such as other homes.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::shell::Sandbox;
    ///
    /// let sandbox = Sandbox::standard().read_only_below(["/home/user/.cargo", "/home/user/.rustup"]);
    /// assert_ne!(sandbox, Sandbox::standard());
    /// ```
    #[must_use]
    pub fn read_only_below<P: Into<PathBuf>>(self, folders: impl IntoIterator<Item = P>) -> Self {
        Self {
            readable: Some(folders.into_iter().map(Into::into).collect()),
            ..self
        }
    }

    /// Lets programs also write below `folder`, such as a cache of a package manager. `/dev/shm` is what programs need
    /// that share memory or semaphores, as Python's `multiprocessing` does.
    #[must_use]
    pub fn write_below(mut self, folder: impl Into<PathBuf>) -> Self {
        self.writable.push(folder.into());
        self
    }

    /// Lets programs use the network, and whatever local service listens.
    #[must_use]
    pub fn allow_network(self) -> Self {
        Self {
            network: true,
            ..self
        }
    }

    /// Lets programs connect to local services through Unix sockets. Some of these, a container engine's or a user's
    /// session among them, do for their clients what the sandbox refuses.
    #[must_use]
    pub fn allow_local_services(self) -> Self {
        Self {
            local_services: true,
            ..self
        }
    }

    /// Sets which attributes of files may be changed.
    #[must_use]
    pub fn with_attributes(self, attributes: Attributes) -> Self {
        Self { attributes, ..self }
    }

    /// Makes the protected names of the workspace unwritable, in place of putting them back after each call.
    ///
    /// The kernel cannot take a name out of a folder that may be written, so that only what is in a root when the call
    /// starts may be written, and below it: no new file or folder directly in a root, none removed there, no commit. The
    /// `.git` of a root may not be made or replaced either.
    #[must_use]
    pub fn strict(self) -> Self {
        Self {
            strict: true,
            ..self
        }
    }

    /// Which attributes of files may be changed.
    #[must_use]
    pub fn attributes(&self) -> Attributes {
        self.attributes
    }

    /// Whether this system can enforce the sandbox.
    ///
    /// # Errors
    /// [`SandboxUnavailable`], as each call would say.
    pub fn check(&self) -> Result<(), SandboxUnavailable> {
        system::check(self)
    }
}
