//! Store of pending approvals in a directory.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::pending::{PendingApprovals, PendingError};
use super::request::ApprovalRequest;
use crate::private_directory::{self, blocking};
use async_trait::async_trait;

/// Default maximum number of requests.
const MAX_REQUESTS: usize = 1000;
/// Maximum size of one request in bytes of JSON.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum length of an id, which is part of a file name.
const MAX_ID: usize = 128;
/// Age after which an unfinished file has no writer.
const ABANDONED: Duration = Duration::from_hours(1);
/// Suffix of the file of a request.
const SUFFIX: &str = ".json";
/// Suffix of a file that is being written.
const UNFINISHED: &str = ".part";

/// Store of pending approvals in a directory, at most 1,000 by default. Requests survive the process
/// and may be decided by another one.
///
/// Each request is a file named by its id, readable only by its owner (mode 0600 on Unix). Files are
/// written under another name and renamed, links are never followed, and of several processes exactly
/// one takes a request. The directory belongs to the store only, because a process that writes to it
/// can change the calls that wait for approval. A request has at most 16 MiB.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::approval::{ApprovalRequest, DirectoryPendingApprovals, PendingApprovals};
/// use tool_core::{RiskLevel, ToolDefinition};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let path = std::env::temp_dir().join(format!("pending-{}", std::process::id()));
/// let definition = ToolDefinition::new("f", "F", json!({}));
/// let request = ApprovalRequest::new("1", &definition, json!({}), RiskLevel::Dangerous).ok_or("no digests")?;
/// DirectoryPendingApprovals::open(&path).await?.put(&request).await?;
///
/// let again = DirectoryPendingApprovals::open(&path).await?;
/// assert_eq!(again.take(&request.id).await?, Some(request));
/// # std::fs::remove_dir_all(&path)?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct DirectoryPendingApprovals {
    directory: Arc<Directory>,
    limit: usize,
}

impl DirectoryPendingApprovals {
    /// Opens a store in a directory, which is created if it is missing. Its parent must exist.
    ///
    /// # Errors
    /// Returns [`PendingError::Store`] if the path is a link, not a directory, or writable by other
    /// users, or if the directory cannot be created or listed.
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self, PendingError> {
        let path = path.into();
        let directory = blocking(move || Directory::open(&path)).await?;
        Ok(Self {
            directory: Arc::new(directory),
            limit: MAX_REQUESTS,
        })
    }

    /// Sets the maximum number of requests.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

#[async_trait]
impl PendingApprovals for DirectoryPendingApprovals {
    async fn put(&self, request: &ApprovalRequest) -> Result<(), PendingError> {
        let id = request.id.clone();
        let json = serde_json::to_vec_pretty(request).map_err(io::Error::from)?;
        let (directory, limit) = (Arc::clone(&self.directory), self.limit);
        blocking(move || directory.put(&id, &json, limit)).await
    }

    async fn list(&self) -> Result<Vec<ApprovalRequest>, PendingError> {
        let directory = Arc::clone(&self.directory);
        blocking(move || Ok(directory.list()?)).await
    }

    async fn take(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let (directory, id) = (Arc::clone(&self.directory), request_id.to_owned());
        blocking(move || Ok(directory.take(&id)?)).await
    }
}

impl From<io::Error> for PendingError {
    fn from(error: io::Error) -> Self {
        Self::Store(Box::new(error))
    }
}

/// The files of a store.
#[derive(Debug)]
struct Directory(PathBuf);

impl Directory {
    fn open(path: &Path) -> io::Result<Self> {
        let unsafe_path = "the directory is a link or writable by other users";
        let path = private_directory::open(path)?
            .ok_or_else(|| io::Error::new(ErrorKind::PermissionDenied, unsafe_path))?;
        let directory = Self(path);
        directory.remove_abandoned()?;
        Ok(directory)
    }

    fn put(&self, id: &str, json: &[u8], limit: usize) -> Result<(), PendingError> {
        let path = self.path(id).ok_or_else(|| {
            io::Error::new(
                ErrorKind::InvalidInput,
                "the id is not usable as a file name",
            )
        })?;
        if json.len() as u64 > MAX_BYTES {
            let error = io::Error::new(ErrorKind::FileTooLarge, "the request exceeds 16 MiB");
            return Err(error.into());
        }
        if !path.exists() && self.files_with(SUFFIX)?.len() >= limit {
            return Err(PendingError::Full { limit });
        }
        // Two processes can store the same request at the same time.
        let random = RandomState::new().hash_one(id);
        let unfinished = self.0.join(format!("{id}.{random:016x}{UNFINISHED}"));
        // A crash leaves a file that `list` does not show, instead of half a request.
        let written = private_directory::create_file(&unfinished)
            .and_then(|mut file| file.write_all(json).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&unfinished, &path));
        written.map_err(|error| {
            // Return the first error.
            let _ = fs::remove_file(&unfinished);
            error.into()
        })
    }

    /// Returns all requests, oldest first. Damaged files are skipped, so that they do not hide others.
    fn list(&self) -> io::Result<Vec<ApprovalRequest>> {
        let mut requests = Vec::new();
        for path in self.files_with(SUFFIX)? {
            match read(&path) {
                Ok(request) => requests.push(request),
                // Another process took it.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => tracing::warn!(%error, "a pending approval could not be read"),
            }
        }
        requests.sort_by(|a, b| (a.requested_at, &a.id).cmp(&(b.requested_at, &b.id)));
        Ok(requests)
    }

    /// Reads a request and removes its file, which succeeds only once.
    fn take(&self, id: &str) -> io::Result<Option<ApprovalRequest>> {
        let Some(path) = self.path(id) else {
            return Ok(None);
        };
        let taken = read(&path).and_then(|request| fs::remove_file(&path).map(|()| request));
        match taken {
            Ok(request) => Ok(Some(request)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the path of a request; `None` if the id is not usable as a file name.
    fn path(&self, id: &str) -> Option<PathBuf> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_name = !id.is_empty() && id.len() <= MAX_ID && id.bytes().all(is_plain);
        is_name.then(|| self.0.join(format!("{id}{SUFFIX}")))
    }

    fn remove_abandoned(&self) -> io::Result<()> {
        for path in self.files_with(UNFINISHED)? {
            let age = fs::symlink_metadata(&path).and_then(|metadata| metadata.modified());
            let age = age.ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > ABANDONED) {
                // Another process may have removed it.
                let _ = fs::remove_file(path);
            }
        }
        Ok(())
    }

    fn files_with(&self, suffix: &str) -> io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| name.ends_with(suffix)) {
                paths.push(entry.path());
            }
        }
        Ok(paths)
    }
}

fn read(path: &Path) -> io::Result<ApprovalRequest> {
    let damaged = || io::Error::new(ErrorKind::InvalidData, "the file is not a stored request");
    let file = private_directory::open_file(path)?.ok_or_else(damaged)?;
    let mut json = Vec::new();
    // Another process may have written the file, so its size is bounded here too.
    file.take(MAX_BYTES).read_to_end(&mut json)?;
    serde_json::from_slice(&json).map_err(|_| damaged())
}

#[cfg(test)]
#[cfg(all(feature = "typed", unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use serde_json::json;

    use super::*;
    use crate::{RiskLevel, Timestamp, ToolDefinition};

    fn request(n: u64) -> ApprovalRequest {
        let definition = ToolDefinition::new("f", "F", json!({}));
        let arguments = json!({"n": n});
        let mut request =
            ApprovalRequest::new("1", &definition, arguments, RiskLevel::Dangerous).unwrap();
        request.requested_at = Timestamp::now().after(Duration::from_secs(n));
        request
    }

    /// Directory that is removed at the end of the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            let random = RandomState::new().hash_one("folder");
            Self(std::env::temp_dir().join(format!("pending-approvals-{random:016x}")))
        }

        async fn store(&self) -> DirectoryPendingApprovals {
            DirectoryPendingApprovals::open(&self.0).await.unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[tokio::test]
    async fn requests_survive_store_and_are_listed_oldest_first() {
        let folder = Folder::new();
        let requests = [request(1), request(2), request(3)];
        for request in [2, 0, 1].map(|index| &requests[index]) {
            folder.store().await.put(request).await.unwrap();
        }

        let listed = folder.store().await.list().await.unwrap();

        assert_eq!(listed, requests);
        let path = folder.0.join(format!("{}.json", requests[0].id));
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[tokio::test]
    async fn concurrent_stores_take_request_once() {
        let folder = Folder::new();
        let request = request(1);
        folder.store().await.put(&request).await.unwrap();
        folder.store().await.put(&request).await.unwrap();

        let mut takers = Vec::new();
        for _ in 0..8 {
            let (store, id) = (folder.store().await, request.id.clone());
            takers.push(tokio::spawn(async move { store.take(&id).await.unwrap() }));
        }
        let mut taken = Vec::new();
        for taker in takers {
            taken.extend(taker.await.unwrap());
        }

        assert_eq!(taken, [request]);
    }

    #[tokio::test]
    async fn limits_requests_and_keeps_replacing() {
        let folder = Folder::new();
        let store = folder.store().await.with_limit(1);
        let first = request(1);
        store.put(&first).await.unwrap();

        let full = store.put(&request(2)).await;

        assert!(matches!(full, Err(PendingError::Full { limit: 1 })));
        store.put(&first).await.unwrap();
    }

    #[tokio::test]
    async fn skips_damaged_files_and_rejects_links() {
        let folder = Folder::new();
        let (store, good) = (folder.store().await, request(1));
        store.put(&good).await.unwrap();
        fs::write(folder.0.join("damaged.json"), "{").unwrap();
        let file = folder.0.join(format!("{}.json", good.id));
        symlink(&file, folder.0.join("link.json")).unwrap();

        assert_eq!(store.list().await.unwrap(), [good]);
        for id in ["damaged", "link"] {
            assert!(store.take(id).await.is_err(), "{id}");
        }
        assert_eq!(store.take("../secret").await.unwrap(), None);
    }

    #[tokio::test]
    async fn rejects_directory_that_others_can_write() {
        let folder = Folder::new();
        fs::create_dir(&folder.0).unwrap();
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o777)).unwrap();

        let error = DirectoryPendingApprovals::open(&folder.0)
            .await
            .unwrap_err();

        assert!(matches!(error, PendingError::Store(_)), "{error}");
    }
}
