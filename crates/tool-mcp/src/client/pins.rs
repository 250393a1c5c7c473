//! Pinned definitions: the reviewed state of servers and tools.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use serde::{Deserialize, Serialize};

use super::list::{HiddenTool, Listed};

use crate::locked;

/// Version of the file format.
const VERSION: u32 = 1;

const OTHER_SERVER: &str = "the command or the address of the server changed";

/// Reviewed definitions of tools.
///
/// The first definition of a tool is accepted, unless you use [`strict`](Self::strict). If the definition changes
/// later, or the command or the address of its server, the tool is hidden until
/// [`McpManager::accept`](crate::McpManager::accept): a changed description can redirect a model. Clones share the same
/// definitions.
///
/// # Examples
/// ```no_run
/// use tool_mcp::McpManager;
/// use tool_mcp::client::Pins;
///
/// let manager = McpManager::builder().pins(Pins::open("mcp-pins.json")?);
/// # Ok::<_, tool_mcp::client::PinsError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Pins {
    inner: Arc<Inner>,
    is_strict: bool,
}

#[derive(Debug, Default)]
struct Inner {
    path: Option<PathBuf>,
    file: Mutex<File>,
    /// Held while the file is written, so that an older state does not replace a newer one.
    writing: tokio::sync::Mutex<()>,
}

impl Pins {
    /// Creates pins in memory, which notice changes until the program ends.
    pub fn memory() -> Self {
        Self::default()
    }

    /// Reads pins from a file, so that they hold after a restart. A missing file is created, and only its owner can
    /// read it.
    ///
    /// # Errors
    /// Returns [`PinsError`] if the file cannot be read, is invalid, or has a newer version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, PinsError> {
        let path = path.as_ref();
        let file = File::read(path)?;
        Ok(Self {
            inner: Arc::new(Inner {
                path: Some(path.to_owned()),
                file: Mutex::new(file),
                ..Inner::default()
            }),
            is_strict: false,
        })
    }

    /// Hides new tools too, until their first definition is accepted.
    pub fn strict(mut self) -> Self {
        self.is_strict = true;
        self
    }

    fn file(&self) -> MutexGuard<'_, File> {
        locked(&self.inner.file)
    }

    /// Reviews the definitions of a server, in their order. Returns `None` for accepted ones.
    pub(super) fn review(
        &self,
        server: &str,
        identity: &str,
        tools: &[Listed],
    ) -> Vec<Option<HiddenTool>> {
        let mut file = self.file();
        let pinned = file.servers.entry(server.to_owned()).or_default();
        let mut known = pinned.tools.values();
        let is_known = pinned.tools.is_empty() || known.any(|tool| tool.identity == identity);
        let first = pinned.tools.len();
        let mut reviews = Vec::with_capacity(tools.len());
        for listed in tools {
            let pin = pinned.tools.get(&listed.name);
            let changes = match pin {
                Some(pin) if pin.identity != identity => vec![OTHER_SERVER.to_owned()],
                Some(pin) => listed.changes(&pin.reviewed),
                // A new tool of a server whose command changed is as suspicious as a changed one.
                None if !is_known => vec![OTHER_SERVER.to_owned()],
                None if self.is_strict => vec!["the tool is new".to_owned()],
                None => Vec::new(),
            };
            if changes.is_empty() {
                let pin = || PinnedTool::new(identity, listed);
                pinned.tools.entry(listed.name.clone()).or_insert_with(pin);
                reviews.push(None);
            } else {
                reviews.push(Some(HiddenTool {
                    name: listed.name.clone(),
                    changes,
                    reviewed: pin.map(|pin| pin.reviewed.to_value()),
                    current: listed.to_value(),
                    digest: listed.digest(),
                }));
            }
        }
        let is_changed = pinned.tools.len() > first;
        file.is_changed |= is_changed;
        reviews
    }

    /// Changes the state of a server.
    fn change(&self, server: &str, change: impl FnOnce(&mut PinnedServer)) {
        let mut file = self.file();
        change(file.servers.entry(server.to_owned()).or_default());
        file.is_changed = true;
    }

    /// Accepts a definition.
    pub(super) fn accept(&self, server: &str, identity: &str, listed: &Listed) {
        let pin = PinnedTool::new(identity, listed);
        self.change(server, |pinned| {
            pinned.tools.insert(listed.name.clone(), pin);
        });
    }

    /// Returns whether the user approved a configuration from a project.
    pub(super) fn is_approved(&self, server: &str, digest: &str) -> bool {
        let file = self.file();
        let pinned = file.servers.get(server);
        pinned.is_some_and(|pinned| pinned.approved.as_deref() == Some(digest))
    }

    pub(super) fn approve(&self, server: &str, digest: &str) {
        self.change(server, |pinned| pinned.approved = Some(digest.to_owned()));
    }

    /// Writes the file if the state changed. Errors are logged, because the state in memory stays
    /// valid.
    pub(super) async fn save(&self) {
        let Some(path) = self.inner.path.clone() else {
            return;
        };
        let _writing = self.inner.writing.lock().await;
        let state = {
            let mut file = self.file();
            if !std::mem::take(&mut file.is_changed) {
                return;
            }
            File {
                version: VERSION,
                ..file.clone()
            }
        };
        let write = move || replace(&path, &serde_json::to_vec_pretty(&state)?);
        if let Ok(Err(error)) = tokio::task::spawn_blocking(write).await {
            self.file().is_changed = true;
            tracing::warn!(%error, "the pins could not be written");
        }
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct File {
    version: u32,
    servers: BTreeMap<String, PinnedServer>,
    /// Whether the state differs from the file.
    #[serde(skip)]
    is_changed: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct PinnedServer {
    /// Digest of a configuration from a project that the user approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approved: Option<String>,
    #[serde(default)]
    tools: BTreeMap<String, PinnedTool>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct PinnedTool {
    /// Digest of the command or the address of its server.
    identity: String,
    reviewed: Listed,
}

/// Reason for pins that cannot be used.
///
/// # Examples
/// See [`Pins`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinsError {
    /// The file could not be read.
    #[error("the pins could not be read: {0}; check the path and its permissions")]
    Unreadable(#[source] io::Error),
    /// The file is damaged.
    #[error("the pins are invalid: {0}; restore the file or remove it")]
    Invalid(#[from] serde_json::Error),
    /// A newer version of this crate wrote the file.
    #[error("the pins have version {0}; this version of tool-mcp supports version 1")]
    NewerVersion(u32),
}

impl File {
    /// Reads a file. A missing file has no pins.
    fn read(path: &Path) -> Result<Self, PinsError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(PinsError::Unreadable(error)),
        };
        let file: Self = serde_json::from_str(&text)?;
        if file.version > VERSION {
            return Err(PinsError::NewerVersion(file.version));
        }
        Ok(file)
    }
}

impl PinnedTool {
    fn new(identity: &str, listed: &Listed) -> Self {
        Self {
            identity: identity.to_owned(),
            reviewed: listed.clone(),
        }
    }
}

/// Replaces a file atomically.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&temporary)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests;
