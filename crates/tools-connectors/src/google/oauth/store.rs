//! Storage of tokens, and tokens in a directory.

use std::any::Any;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use tool_core::Secret;
use tool_json::text::hexadecimal;

use crate::SetupError;

/// Identifies the tokens of a service and a client.
///
/// # Examples
/// ```
/// use tools_connectors::google::TokenKey;
///
/// let key = TokenKey::gmail("123.apps.googleusercontent.com");
/// assert_eq!(key.directory(), ".gmail-tokens");
/// assert!(key.file_name().starts_with("token-"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenKey {
    directory: &'static str,
    client: String,
}

impl TokenKey {
    /// Creates the key of Gmail.
    pub fn gmail(client_id: &str) -> Self {
        Self {
            directory: ".gmail-tokens",
            client: client_id.to_owned(),
        }
    }

    /// Creates the key of Google Calendar.
    pub fn calendar(client_id: &str) -> Self {
        Self {
            directory: ".calendar-tokens",
            client: client_id.to_owned(),
        }
    }

    /// Returns the name of the directory of the service.
    pub fn directory(&self) -> &'static str {
        self.directory
    }

    /// Returns a file name that depends on the client ID.
    pub fn file_name(&self) -> String {
        let digest = Sha256::digest(self.client.as_bytes());
        let start = hexadecimal(digest.get(..8).unwrap_or_default());
        format!("token-{start}.json")
    }
}

/// Error of a token store. The message must not contain a path or a token.
///
/// # Examples
/// ```
/// use tools_connectors::google::TokenStoreError;
///
/// let error = TokenStoreError::new("the key ring is locked");
/// assert_eq!(error.to_string(), "the key ring is locked");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TokenStoreError(&'static str);

impl TokenStoreError {
    /// Creates an error with a fixed message.
    pub const fn new(message: &'static str) -> Self {
        Self(message)
    }

    pub(super) fn message(self) -> &'static str {
        self.0
    }
}

/// Guard that unlocks the tokens when it is dropped.
pub type TokenLock = Box<dyn Any + Send>;

/// Storage of tokens, such as a directory or a key ring.
///
/// The values are opaque text. The methods may block, and may be called concurrently.
pub trait TokenStore: fmt::Debug + Send + Sync {
    /// Returns the stored text, or `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the text cannot be read, or if others could have read it.
    fn get(&self, key: &TokenKey) -> Result<Option<Secret<String>>, TokenStoreError>;

    /// Replaces the stored text in one step.
    ///
    /// # Errors
    /// Returns an error if the text cannot be stored.
    fn put(&self, key: &TokenKey, text: &Secret<String>) -> Result<(), TokenStoreError>;

    /// Removes the stored text.
    ///
    /// # Errors
    /// Returns an error if the text exists and cannot be removed.
    fn remove(&self, key: &TokenKey) -> Result<(), TokenStoreError>;

    /// Locks the tokens against other processes, so that only one of them refreshes.
    ///
    /// # Errors
    /// Returns an error if another process holds the lock for too long.
    fn lock(&self, key: &TokenKey) -> Result<TokenLock, TokenStoreError>;
}

/// Maximum size of a token file in bytes.
const MAX_FILE: u64 = 64 * 1024;
const LOCK_TIME: Duration = Duration::from_secs(10);
const LOCK_PAUSE: Duration = Duration::from_millis(50);

const UNSAFE: TokenStoreError = TokenStoreError::new(
    "the token file or its directory is a link, belongs to another user, or is accessible to others",
);
const UNREADABLE: TokenStoreError = TokenStoreError::new("the token file cannot be read");
const UNWRITABLE: TokenStoreError = TokenStoreError::new("the token file cannot be written");
const LOCKED: TokenStoreError = TokenStoreError::new("the token file is locked by another process");

/// Directory with the subdirectories `.gmail-tokens` and `.calendar-tokens`.
///
/// Directories have mode 0700, files 0600. Files are replaced in one step. A file that is a link,
/// belongs to another user or is accessible to others is rejected.
///
/// # Examples
/// ```
/// use tools_connectors::google::TokenFolder;
///
/// let tokens = TokenFolder::new("/var/lib/my-agent");
/// # drop(tokens);
/// ```
#[derive(Debug, Clone)]
pub struct TokenFolder {
    parent: PathBuf,
}

impl TokenFolder {
    /// Creates a store in `parent`. It should not be in a workspace of file tools, which could read
    /// the tokens.
    pub fn new(parent: impl Into<PathBuf>) -> Self {
        Self {
            parent: parent.into(),
        }
    }

    /// Creates a store in the directory for the state of `application`: `$XDG_STATE_HOME`,
    /// `~/.local/state`, or `%LOCALAPPDATA%` on Windows.
    ///
    /// # Errors
    /// Returns [`SetupError::NoStateDirectory`] if the environment names none.
    pub fn in_state_folder(application: &str) -> Result<Self, SetupError> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let state = if cfg!(windows) {
            variable("LOCALAPPDATA").map(PathBuf::from)
        } else {
            let home = || variable("HOME").map(|home| Path::new(&home).join(".local/state"));
            variable("XDG_STATE_HOME").map(PathBuf::from).or_else(home)
        };
        let is_name = !application.is_empty()
            && !application.contains(['/', '\\', '\0'])
            && application != "..";
        let state = state.filter(|path| path.is_absolute() && is_name);
        Ok(Self::new(
            state.ok_or(SetupError::NoStateDirectory)?.join(application),
        ))
    }

    fn directory(&self, key: &TokenKey) -> PathBuf {
        self.parent.join(key.directory())
    }

    fn file(&self, key: &TokenKey) -> PathBuf {
        self.directory(key).join(key.file_name())
    }
}

impl TokenStore for TokenFolder {
    fn get(&self, key: &TokenKey) -> Result<Option<Secret<String>>, TokenStoreError> {
        let (directory, path) = (self.directory(key), self.file(key));
        // First: in a private directory, nobody else can replace the file after its check.
        match fs::symlink_metadata(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => check(&found.map_err(|_| UNREADABLE)?)?,
        }
        let found = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found.map_err(|_| UNREADABLE)?,
        };
        check(&found)?;
        if !found.is_file() {
            return Err(UNSAFE);
        }
        let mut text = String::new();
        let file = File::open(&path).map_err(|_| UNREADABLE)?;
        let read = file.take(MAX_FILE).read_to_string(&mut text);
        match read {
            Ok(_) => Ok(Some(Secret::new(text))),
            // Text that is not UTF-8 counts as missing, like other unreadable content.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(Some(Secret::default())),
            Err(_) => Err(UNREADABLE),
        }
    }

    fn put(&self, key: &TokenKey, text: &Secret<String>) -> Result<(), TokenStoreError> {
        let directory = self.directory(key);
        create(&directory)?;
        // A new file replaces the old one in one step, so a crash leaves the old or the new tokens.
        let written = NamedTempFile::with_prefix_in(".token-", &directory).and_then(|mut file| {
            file.write_all(text.expose().as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(self.file(key))?;
            sync(&directory)
        });
        written.map_err(|_| UNWRITABLE)
    }

    fn remove(&self, key: &TokenKey) -> Result<(), TokenStoreError> {
        match fs::remove_file(self.file(key)) {
            // Already removed is as good.
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(UNWRITABLE),
            _ => Ok(()),
        }
    }

    fn lock(&self, key: &TokenKey) -> Result<TokenLock, TokenStoreError> {
        let directory = self.directory(key);
        create(&directory)?;
        let path = directory.join("token.lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|_| UNWRITABLE)?;
        let end = Instant::now() + LOCK_TIME;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Box::new(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(LOCK_PAUSE),
                Err(TryLockError::WouldBlock) => return Err(LOCKED),
                Err(TryLockError::Error(_)) => {
                    tracing::warn!(
                        "token files cannot be locked here, so processes may refresh twice"
                    );
                    return Ok(Box::new(()));
                }
            }
        }
    }
}

/// Creates a private directory if it is missing.
fn create(directory: &Path) -> Result<(), TokenStoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(|_| UNWRITABLE)?;
    check(&fs::symlink_metadata(directory).map_err(|_| UNWRITABLE)?)
}

fn sync(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// Rejects links, and what belongs to another user or is accessible to others.
fn check(found: &fs::Metadata) -> Result<(), TokenStoreError> {
    if found.is_symlink() || !is_private(found) {
        return Err(UNSAFE);
    }
    Ok(())
}

#[cfg(unix)]
fn is_private(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let own = rustix::process::geteuid().as_raw();
    let of_others = found.mode() & 0o077;
    found.uid() == own && of_others == 0
}

#[cfg(not(unix))]
fn is_private(_: &fs::Metadata) -> bool {
    true
}
