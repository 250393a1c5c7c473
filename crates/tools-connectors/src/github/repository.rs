//! Requests for one repository, and its files.

use std::error::Error;
use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use flate2::read::GzDecoder;
use reqwest::header::HeaderValue;
use serde::Deserialize;
use tar::{Archive, EntryType};
use tempfile::TempDir;
use tokio::sync::Mutex;
use tool_core::{ErrorCode, Redactor, Secret, ToolContext, ToolError};
use tools_builtin::Workspace;
use tools_builtin::repository::not_connected;
use url::Url;

use super::GitHubConnection;
use crate::SetupError;
use crate::door::{Base, Deadline, Door, Missing, Problem, Request, Response, Secrets};

const MEGABYTE: usize = 1024 * 1024;
const MAX_JSON: usize = 8 * MEGABYTE;
/// Maximum size of a packed archive, which is in memory while it is unpacked.
const MAX_ARCHIVE: usize = 100 * MEGABYTE;
/// Time for which the commit of a reference is kept.
const COMMIT_KEPT: Duration = Duration::from_mins(1);
/// Wait after a limit without a stated time, which is what the service recommends.
const LIMITED: Duration = Duration::from_mins(1);
const LONGEST: Duration = Duration::from_hours(1);
const JSON: HeaderValue = HeaderValue::from_static("application/vnd.github+json");

const NO_REPOSITORY: Problem = Problem::NotFound(Missing {
    code: "unavailable",
    what: "The repository",
    is_deleted: false,
});

/// Repository of one connection.
#[derive(Debug)]
pub(super) struct Repository {
    pub(super) connection: GitHubConnection,
    door: Door,
    base: Base,
    token: Option<Secret<String>>,
    /// Locked while the archive is fetched, so that concurrent calls fetch it once.
    current: Mutex<Option<Current>>,
}

/// Files of a commit, and the directory that they are unpacked into.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) workspace: Workspace,
    _directory: TempDir,
}

/// State of the reference.
#[derive(Debug)]
struct Current {
    checked: Instant,
    /// `None` for an empty repository.
    commit: Option<String>,
    /// `None` if the archive is too large.
    files: Option<Arc<Files>>,
}

impl Current {
    fn files(&self) -> Result<Arc<Files>, Problem> {
        self.files.clone().ok_or(Problem::TooLarge(MAX_ARCHIVE))
    }
}

impl Repository {
    /// Opens a connection without a request.
    pub(super) fn open(
        connection: GitHubConnection,
        redactor: Option<Redactor>,
    ) -> Result<Self, SetupError> {
        let is_name = |name: &str| {
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !name.trim_matches('.').is_empty() && name.len() <= 100 && name.chars().all(is_allowed)
        };
        if !is_name(&connection.owner) || !is_name(&connection.repository) {
            return Err(SetupError::Invalid("name of the repository"));
        }
        let is_dots = |reference: &String| reference.trim_matches('.').is_empty();
        if connection.reference.as_ref().is_some_and(is_dots) {
            return Err(SetupError::Invalid("reference"));
        }
        let secrets = Secrets::taught(redactor);
        let is_blank = |token: &Secret<String>| token.expose().trim().is_empty();
        let token = connection.token.clone().filter(|token| !is_blank(token));
        if let Some(token) = &token {
            secrets.add(token.expose());
        }
        Ok(Self {
            door: Door::new("GitHub", secrets, None)?,
            base: Base::parse(&connection.base_url)?,
            token,
            connection,
            current: Mutex::default(),
        })
    }

    /// Returns what removes the secrets from content that was unpacked after its arrival.
    pub(super) fn redactor(&self) -> Redactor {
        self.door.secrets().redactor()
    }

    /// Returns the files at the commit of the reference, which is checked again after one minute.
    pub(super) async fn files(&self, cx: &ToolContext) -> Result<Arc<Files>, Problem> {
        let mut place = self.current.lock().await;
        let is_fresh = |known: &&Current| known.checked.elapsed() < COMMIT_KEPT;
        if let Some(known) = place.as_ref().filter(is_fresh) {
            return known.files();
        }
        let commit = match (self.commit(cx).await, &*place) {
            // The known files are better than none.
            (Err(Problem::RateLimited { .. }), Some(known)) => return known.files(),
            (commit, _) => commit?,
        };
        let files = match &*place {
            Some(known) if known.commit == commit => known.files.clone(),
            _ => match self.unpacked(commit.as_deref(), Deadline::of(cx)).await {
                // Remembered, so that not every call fetches it.
                Err(Problem::TooLarge(_)) => None,
                files => Some(Arc::new(files?)),
            },
        };
        let former = place.replace(Current {
            checked: Instant::now(),
            commit,
            files,
        });
        // Many files may be removed.
        tokio::task::spawn_blocking(move || drop(former));
        place.as_ref().ok_or(Problem::InvalidResponse)?.files()
    }

    /// Fetches and unpacks the files of a commit.
    async fn unpacked(&self, commit: Option<&str>, deadline: Deadline) -> Result<Files, Problem> {
        let packed = match commit {
            Some(commit) => Some(self.archive(commit, deadline).await?),
            None => None,
        };
        let unpack = move || unpacked(packed.as_deref(), deadline);
        let unpacked = tokio::task::spawn_blocking(unpack).await;
        unpacked.map_err(|_| Problem::InvalidResponse)?
    }

    /// Returns the commit of the reference, or `None` for an empty repository.
    async fn commit(&self, cx: &ToolContext) -> Result<Option<String>, Problem> {
        #[derive(Deserialize)]
        struct Commit {
            sha: String,
        }
        let reference = self.connection.reference.as_deref().unwrap_or("HEAD");
        let response = self
            .send(self.request("commit", &["commits", reference]), cx)
            .await?;
        // The status of a repository without commits.
        if response.status.as_u16() == 409 {
            return Ok(None);
        }
        check(&response)?;
        let Commit { sha } = response.json()?;
        let is_id = !sha.is_empty() && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then_some(Some(sha)).ok_or(Problem::InvalidResponse)
    }

    /// Returns the packed files of a commit.
    async fn archive(&self, commit: &str, deadline: Deadline) -> Result<Vec<u8>, Problem> {
        let request = self
            .request("archive", &["tarball", commit])
            .max_bytes(MAX_ARCHIVE)
            // Packed bytes contain no readable secret; files are scrubbed when they are read.
            .unscrubbed();
        let signed = self.signed(request.clone())?;
        let mut response = self.door.send(&signed, deadline).await?;
        if response.status.as_u16() == 302 {
            let url = self.location(&response).filter(|url| self.is_archive(url));
            let url = url.ok_or(Problem::InvalidResponse)?;
            // Links to archives contain their own permission, so the token is not sent.
            response = self.door.send(&request.moved(url), deadline).await?;
        }
        check(&response)?;
        Ok(response.body)
    }

    fn request(&self, operation: &'static str, path: &[&str]) -> Request {
        let (owner, name) = (&self.connection.owner, &self.connection.repository);
        let segments: Vec<&str> = ["repos", owner, name].iter().chain(path).copied().collect();
        Request::get(operation, &self.base, &segments)
            .max_bytes(MAX_JSON)
            .header("accept", JSON)
    }

    /// Sends a request, and follows one redirect within the origin for renamed repositories.
    async fn send(&self, request: Request, cx: &ToolContext) -> Result<Response, Problem> {
        let deadline = Deadline::of(cx);
        let request = self.signed(request)?;
        let mut response = self.door.send(&request, deadline).await?;
        if matches!(response.status.as_u16(), 301 | 307 | 308)
            && let Some(url) = self.location(&response)
            && self.base.has_origin_of(&url)
        {
            response = self.door.send(&request.moved(url), deadline).await?;
        }
        Ok(response)
    }

    fn signed(&self, request: Request) -> Result<Request, Problem> {
        let version = HeaderValue::from_static("2022-11-28");
        let request = request.header("x-github-api-version", version);
        match &self.token {
            Some(token) => request.bearer(token),
            None => Ok(request),
        }
    }

    fn location(&self, response: &Response) -> Option<Url> {
        self.base.as_url().join(response.header("location")?).ok()
    }

    /// Returns whether an archive may be at this address: at the origin of the service, or at
    /// `codeload` next to it, such as `codeload.github.com` for `api.github.com`.
    fn is_archive(&self, url: &Url) -> bool {
        let own = self.base.as_url().host_str().unwrap_or_default();
        let beside = format!("codeload.{}", own.strip_prefix("api.").unwrap_or(own));
        let is_beside = url.scheme() == "https"
            && url.port().is_none()
            && url
                .host_str()
                .is_some_and(|host| host == own || host == beside);
        is_beside || self.base.has_origin_of(url)
    }
}

/// Rejects unsuccessful responses.
fn check(response: &Response) -> Result<(), Problem> {
    if let Some(wait) = limited(response) {
        return Err(Problem::rate_limited(Some(wait)));
    }
    match response.status.as_u16() {
        200 => Ok(()),
        400 | 422 => Err(Problem::Rejected(String::new())),
        // GitHub returns 404 for private repositories, so it may also mean a rejected token.
        401 | 403 | 404 | 410 | 451 => Err(NO_REPOSITORY),
        status @ (408 | 500..) => Err(Problem::Status(status)),
        _ => Err(Problem::InvalidResponse),
    }
}

/// Returns the time to wait if the response is a rejection because of a limit. The service uses the
/// status 403 for limits too.
fn limited(response: &Response) -> Option<Duration> {
    let status = response.status.as_u16();
    if !matches!(status, 403 | 429) {
        return None;
    }
    let is_used_up = response.header("x-ratelimit-remaining") == Some("0");
    let is_secondary = String::from_utf8_lossy(&response.body).contains("secondary rate limit");
    let until_reset = || {
        let reset = response.header("x-ratelimit-reset")?.parse().ok()?;
        let reset = UNIX_EPOCH.checked_add(Duration::from_secs(reset))?;
        reset.duration_since(SystemTime::now()).ok()
    };
    let wait = match response.retry_after() {
        Some(wait) => wait,
        None if is_used_up => until_reset().unwrap_or(LIMITED),
        None if is_secondary || status == 429 => LIMITED,
        None => return None,
    };
    Some(wait.min(LONGEST))
}

/// Returns the error for the model. A repository that cannot be read counts as not connected.
pub(super) fn error(problem: Problem) -> ToolError {
    match problem {
        Problem::NotFound(_) => {
            not_connected().caused_by("the repository is missing or the token is rejected")
        }
        Problem::TooLarge(_) => ToolError::new(
            ErrorCode::from("response_too_large"),
            "The repository is too large to be read",
        )
        .suggest("Tell the user.")
        .with_retryable(false),
        problem => problem.into_error("GitHub"),
    }
}

/// Maximum size of the unpacked files in bytes, so that a small archive cannot fill the disk.
const MAX_UNPACKED: usize = 400 * 1024 * 1024;
const MAX_ENTRIES: usize = 100_000;

/// Unpacks an archive into a directory, which is removed when it is dropped. Without an archive, the
/// repository has no files.
fn unpacked(packed: Option<&[u8]>, deadline: Deadline) -> Result<Files, Problem> {
    let invalid = |error: &(dyn Error + 'static)| {
        tracing::warn!(error, "the archive of the repository cannot be unpacked");
        Problem::InvalidResponse
    };
    let directory = tempfile::tempdir().map_err(|error| invalid(&error))?;
    if let Some(packed) = packed {
        unpack(packed, &directory, deadline).map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge => Problem::TooLarge(MAX_UNPACKED),
            _ => invalid(&error),
        })?;
    }
    // All files are in one directory, which has the name of the repository and the commit. A link
    // in its place could lead anywhere.
    let entries = fs::read_dir(&directory).map_err(|error| invalid(&error))?;
    let mut directories = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let top = directories.next().map(|entry| entry.path());
    let root = top.unwrap_or_else(|| directory.path().to_owned());
    let workspace = Workspace::open(root).map_err(|error| invalid(&error))?;
    Ok(Files {
        workspace,
        _directory: directory,
    })
}

/// Writes files, directories and symbolic links. Links may have any target, because the workspace
/// follows none to the outside, and [`tar::Entry::unpack_in`] writes through none.
fn unpack(packed: &[u8], directory: &TempDir, deadline: Deadline) -> io::Result<()> {
    let mut archive = Archive::new(GzDecoder::new(packed).take(MAX_UNPACKED as u64));
    archive.set_preserve_mtime(false);
    let mut outcome = Ok(());
    for (count, entry) in archive.entries()?.enumerate() {
        if count >= MAX_ENTRIES || deadline.remaining().is_zero() {
            return Err(ErrorKind::FileTooLarge.into());
        }
        outcome = entry.and_then(|mut entry| match entry.header().entry_type() {
            EntryType::Regular | EntryType::Directory | EntryType::Symlink => {
                entry.unpack_in(directory).map(drop)
            }
            _ => Ok(()),
        });
        if outcome.is_err() {
            break;
        }
    }
    if archive.into_inner().limit() == 0 {
        return Err(ErrorKind::FileTooLarge.into());
    }
    outcome
}
