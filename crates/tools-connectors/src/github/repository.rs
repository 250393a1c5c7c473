//! Requests for one repository.

mod archive;
mod contents;
mod head;

use std::sync::{Arc, Mutex};

use reqwest::header::HeaderValue;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;
use tool_core::{Redactor, Secret, ToolContext};
use url::Url;

pub(super) use self::head::Head;
use self::head::{Info, Kept};
use super::cache::Cache;
use super::connection::GitHubConnection;
use super::rate::RateLimit;
use super::tree::{Tree, WireTree};
use crate::door::{Base, Deadline, Door, Missing, Problem, Request, Response, Secrets};

const MEGABYTE: usize = 1024 * 1024;
const MAX_JSON: usize = 64 * MEGABYTE;
const MAX_TARBALL: usize = 100 * MEGABYTE;
const BLOB_CACHE: usize = 64 * MEGABYTE;
const TREE_CACHE: usize = 32 * MEGABYTE;
/// Largest blob that is kept.
pub(super) const MAX_KEPT_BLOB: usize = MEGABYTE;
const CONCURRENT: usize = 4;
const JSON: &str = "application/vnd.github+json";
const RAW: &str = "application/vnd.github.raw+json";

const NO_REPOSITORY: Problem = Problem::NotFound(Missing {
    code: "unavailable",
    what: "The repository",
    is_deleted: false,
});

/// Repository of one connection, with its caches.
#[derive(Debug)]
pub(super) struct Repository {
    pub(super) connection: GitHubConnection,
    door: Door,
    base: Base,
    token: Option<Secret<String>>,
    places: Semaphore,
    rate: RateLimit,
    info: Mutex<Option<Kept<Info>>>,
    head: Mutex<Option<Kept<Head>>>,
    pub(super) trees: Cache<Option<Tree>>,
    pub(super) blobs: Cache<Arc<Vec<u8>>>,
}

impl Repository {
    /// Opens a connection without a request.
    pub(super) fn open(connection: GitHubConnection) -> Result<Self, crate::SetupError> {
        let is_name = |name: &str| {
            !name.trim_matches('.').is_empty()
                && name.len() <= 100
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        if !is_name(&connection.owner) || !is_name(&connection.repository) {
            return Err(crate::SetupError::Invalid("name of the repository"));
        }
        let secrets = Secrets::default();
        let token = connection
            .token
            .clone()
            .filter(|token| !token.expose().trim().is_empty());
        if let Some(token) = &token {
            secrets.add(token.expose());
        }
        Ok(Self {
            door: Door::new("GitHub", secrets, None)?,
            base: Base::parse(&connection.base_url)?,
            token,
            connection,
            places: Semaphore::new(CONCURRENT),
            rate: RateLimit::default(),
            info: Mutex::default(),
            head: Mutex::default(),
            trees: Cache::new(TREE_CACHE),
            blobs: Cache::new(BLOB_CACHE),
        })
    }

    /// Passes the token to `redactor`.
    pub(super) fn teach(&self, redactor: Redactor) {
        self.door.secrets().teach(redactor);
    }

    /// Sets the delays.
    #[cfg(test)]
    pub(super) fn with_pace(mut self, pace: crate::door::Pace) -> Self {
        self.door = self.door.with_pace(pace);
        self
    }

    fn request(&self, operation: &'static str, path: &[&str]) -> Request {
        let (owner, name) = (&self.connection.owner, &self.connection.repository);
        let segments: Vec<&str> = ["repos", owner, name].iter().chain(path).copied().collect();
        Request::get(operation, &self.base, &segments).max_bytes(MAX_JSON)
    }

    /// Sends a request, and follows one redirect within the origin for renamed repositories.
    async fn send(&self, request: Request, cx: &ToolContext) -> Result<Response, Problem> {
        self.rate.check()?;
        let _place = self.places.acquire().await;
        let deadline = Deadline::of(cx);
        let response = self
            .door
            .send(&self.signed(request.clone())?, deadline)
            .await?;
        let response = match self.renamed(&response) {
            Some(url) => {
                self.door
                    .send(&self.signed(request.moved(url))?, deadline)
                    .await?
            }
            None => response,
        };
        self.rate.read(&response)?;
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

    fn renamed(&self, response: &Response) -> Option<Url> {
        if !matches!(response.status.as_u16(), 301 | 307 | 308) {
            return None;
        }
        let url = self.base.as_url().join(response.header("location")?).ok()?;
        self.base.has_origin_of(&url).then_some(url)
    }

    async fn json<T: DeserializeOwned>(
        &self,
        request: Request,
        cx: &ToolContext,
    ) -> Result<T, Problem> {
        let response = self
            .send(request.header("accept", HeaderValue::from_static(JSON)), cx)
            .await?;
        check(&response)?;
        response.json()
    }

    /// Returns `content` without the token.
    pub(super) fn scrubbed(&self, content: Vec<u8>) -> Vec<u8> {
        self.door.secrets().scrub_bytes(content)
    }

    /// Returns whether all entries of a tree are known.
    fn knows(&self, tree: &str) -> bool {
        matches!(self.trees.get(&all_of(tree)), Some(Some(_)))
    }

    /// Returns all entries of a tree, or `None` if the service truncates them.
    pub(super) async fn tree(&self, id: &str, cx: &ToolContext) -> Result<Option<Tree>, Problem> {
        let key = all_of(id);
        if let Some(known) = self.trees.get(&key) {
            return Ok(known);
        }
        let request = self
            .request("tree", &["git", "trees", id])
            .query("recursive", "1");
        let wire: WireTree = self.json(request, cx).await?;
        let tree = (!wire.truncated).then(|| Tree::of(wire));
        self.trees.put(
            &key,
            tree.clone(),
            tree.as_ref().map_or(0, |tree| tree.bytes),
        );
        Ok(tree)
    }

    /// Returns the entries of one directory.
    pub(super) async fn directory(&self, id: &str, cx: &ToolContext) -> Result<Tree, Problem> {
        let key = format!("one {id}");
        if let Some(Some(known)) = self.trees.get(&key) {
            return Ok(known);
        }
        let wire = self
            .json(self.request("directory", &["git", "trees", id]), cx)
            .await?;
        let tree = Tree::of(wire);
        self.trees.put(&key, Some(tree.clone()), tree.bytes);
        Ok(tree)
    }

    /// Returns the first `limit` bytes of a blob.
    pub(super) async fn blob(
        &self,
        id: &str,
        limit: usize,
        cx: &ToolContext,
    ) -> Result<Arc<Vec<u8>>, Problem> {
        if let Some(known) = self.blobs.get(id) {
            return Ok(known);
        }
        let read = limit.clamp(MAX_KEPT_BLOB, 2 * MAX_TARBALL);
        let request = self
            .request("blob", &["git", "blobs", id])
            .header("accept", HeaderValue::from_static(RAW))
            .cut_at(read + 1);
        let response = self.send(request, cx).await?;
        check(&response)?;
        let blob = Arc::new(response.body);
        if blob.len() <= MAX_KEPT_BLOB {
            self.blobs.put(id, Arc::clone(&blob), blob.len());
        }
        Ok(blob)
    }
}

/// Returns the key of all entries of a tree.
fn all_of(tree: &str) -> String {
    format!("all {tree}")
}

/// Rejects unsuccessful responses.
fn check(response: &Response) -> Result<(), Problem> {
    match response.status.as_u16() {
        200 => Ok(()),
        400 | 422 => Err(Problem::Rejected(message(response))),
        401 | 403 | 404 | 410 | 451 => Err(NO_REPOSITORY),
        status @ (408 | 429 | 500..) => Err(Problem::Status(status)),
        _ => Err(Problem::InvalidResponse),
    }
}

/// Returns the message of an unsuccessful response.
fn message(response: &Response) -> String {
    #[derive(Default, Deserialize)]
    struct Rejection {
        message: String,
    }
    let rejection: Rejection = response.json().unwrap_or_default();
    rejection.message
}
