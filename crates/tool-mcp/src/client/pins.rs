//! Pinned definitions: the reviewed state of servers and tools.

mod file;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::file::PinsError;
use self::file::{File, PinnedTool, VERSION};
use super::drift::{self, Reviewed};
use super::list::Listed;

/// Reviewed definitions of tools.
///
/// The first definition of a tool is accepted, or hidden with [`strict`](Self::strict). Later
/// definitions are accepted if reviewed calls still work and mean the same. Otherwise, the tool is
/// hidden until [`McpManager::accept`](crate::McpManager::accept). Clones share the same definitions.
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
pub struct Pins {
    inner: Arc<Inner>,
    is_strict: bool,
}

#[derive(Debug, Default)]
struct Inner {
    path: Option<PathBuf>,
    file: Mutex<File>,
    /// Held while the file is written, so that an older state does not replace a newer one.
    writing: Mutex<()>,
}

/// Reason for a definition that could not be accepted.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use tool_mcp::McpManager;
///
/// let error = McpManager::builder().build().accept("files", "read", "0").await.unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "no definition of the tool \"read\" of the server \"files\" requires a review"
/// );
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// No definition of the tool requires a review.
    #[error("no definition of the tool \"{tool}\" of the server \"{server}\" requires a review")]
    NothingHidden {
        /// Name of the server.
        server: String,
        /// Name of the tool on the server.
        tool: String,
    },
    /// The definition changed after it was shown.
    #[error(
        "the tool \"{tool}\" of the server \"{server}\" changed again; review the definition with the digest {digest}"
    )]
    OtherDigest {
        /// Name of the server.
        server: String,
        /// Name of the tool on the server.
        tool: String,
        /// Digest of the current definition.
        digest: String,
    },
}

/// Decision about a definition.
pub(super) enum Review {
    Accepted,
    /// The definition requires a review because of these changes.
    Hidden {
        digest: String,
        changes: Vec<String>,
    },
}

impl Pins {
    /// Creates pins in memory. They protect against changes during the life of the manager.
    #[must_use]
    pub fn memory() -> Self {
        Self::default()
    }

    /// Reads pins from a file, which is created if it does not exist. The file is written with access
    /// for the owner only.
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
                writing: Mutex::default(),
            }),
            is_strict: false,
        })
    }

    /// Hides tools until their first definition is accepted.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.is_strict = true;
        self
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.inner
            .file
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the decisions about the definitions of a server, in their order.
    pub(super) fn review(&self, server: &str, identity: &str, tools: &[Listed]) -> Vec<Review> {
        let mut file = self.file();
        let others = other_names(&file, server);
        let others: BTreeSet<&str> = others.iter().map(String::as_str).collect();
        let pinned = file.servers.entry(server.to_owned()).or_default();
        let is_known =
            pinned.tools.is_empty() || pinned.tools.values().any(|tool| tool.identity == identity);
        let mut is_changed = false;
        let mut reviews = Vec::with_capacity(tools.len());
        for listed in tools {
            let new = Reviewed::of(listed);
            let digest = new.digest();
            let changes = match pinned.tools.get(&listed.name) {
                Some(known) if known.identity != identity => other_server(),
                Some(known) if known.digest == digest => Vec::new(),
                Some(known) => {
                    let changes = drift::changes(&known.reviewed, &new, &others);
                    if changes.is_empty() {
                        tracing::info!(%server, tool = %listed.name, "the definition changed");
                    }
                    changes
                }
                None if !is_known => other_server(),
                None if self.is_strict => vec!["the tool is new".to_owned()],
                None => {
                    let pin = PinnedTool::new(identity, digest.clone(), new);
                    pinned.tools.insert(listed.name.clone(), pin);
                    is_changed = true;
                    Vec::new()
                }
            };
            reviews.push(if changes.is_empty() {
                Review::Accepted
            } else {
                Review::Hidden { digest, changes }
            });
        }
        file.is_changed |= is_changed;
        reviews
    }

    /// Returns the reviewed definitions of a server with the same command or address.
    pub(super) fn reviewed(&self, server: &str, identity: &str) -> Vec<Listed> {
        let file = self.file();
        let tools = file.servers.get(server).map(|pinned| &pinned.tools);
        let tools = tools.into_iter().flatten();
        let same = tools.filter(|(_, tool)| tool.identity == identity);
        same.map(|(name, tool)| tool.reviewed.to_listed(name))
            .collect()
    }

    /// Accepts a definition.
    pub(super) fn accept(&self, server: &str, identity: &str, listed: &Listed) {
        let mut file = self.file();
        let pinned = file.servers.entry(server.to_owned()).or_default();
        let new = Reviewed::of(listed);
        let pin = PinnedTool::new(identity, new.digest(), new);
        pinned.tools.insert(listed.name.clone(), pin);
        file.is_changed = true;
    }

    /// Returns whether only the older handshake worked.
    pub(super) fn is_legacy(&self, server: &str) -> bool {
        let file = self.file();
        file.servers
            .get(server)
            .is_some_and(|pinned| pinned.is_legacy)
    }

    pub(super) fn set_legacy(&self, server: &str) {
        let mut file = self.file();
        let pinned = file.servers.entry(server.to_owned()).or_default();
        if !pinned.is_legacy {
            pinned.is_legacy = true;
            file.is_changed = true;
        }
    }

    /// Returns whether the user approved a configuration from a project.
    pub(super) fn is_approved(&self, server: &str, digest: &str) -> bool {
        let file = self.file();
        let pinned = file.servers.get(server);
        pinned.is_some_and(|pinned| pinned.approved.as_deref() == Some(digest))
    }

    pub(super) fn approve(&self, server: &str, digest: &str) {
        let mut file = self.file();
        let pinned = file.servers.entry(server.to_owned()).or_default();
        pinned.approved = Some(digest.to_owned());
        file.is_changed = true;
    }

    /// Writes the file if the state changed. Errors are logged, because the state in memory stays
    /// valid.
    pub(super) async fn save(&self) {
        if self.inner.path.is_none() || !self.file().is_changed {
            return;
        }
        let pins = self.clone();
        let saved = tokio::task::spawn_blocking(move || pins.write()).await;
        if let Ok(Err(error)) = saved {
            tracing::warn!(%error, "the pins could not be written");
        }
    }

    fn write(&self) -> io::Result<()> {
        let Some(path) = &self.inner.path else {
            return Ok(());
        };
        let _writing = self
            .inner
            .writing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut state = {
            let mut file = self.file();
            file.is_changed = false;
            file.clone()
        };
        state.version = VERSION;
        let text = serde_json::to_vec_pretty(&state)?;
        let written = file::replace(path, &text);
        if written.is_err() {
            self.file().is_changed = true;
        }
        written
    }
}

fn other_server() -> Vec<String> {
    vec!["the command or the address of the server changed".to_owned()]
}

fn other_names(file: &File, server: &str) -> Vec<String> {
    let others = file.servers.iter().filter(|(name, _)| *name != server);
    others
        .flat_map(|(_, pinned)| pinned.tools.keys().cloned())
        .collect()
}

#[cfg(test)]
mod tests;
