//! Facts about a repository that change: its default branch and its commit.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::HeaderValue;
use serde::Deserialize;
use tool_core::ToolContext;

use super::{JSON, Repository, check};
use crate::door::{Problem, Request, Response};

const INFO_KEPT: Duration = Duration::from_mins(5);
const HEAD_KEPT: Duration = Duration::from_mins(1);

/// Value with the time of its last check.
#[derive(Debug, Clone)]
pub(super) struct Kept<V> {
    value: V,
    etag: Option<HeaderValue>,
    /// `None` if it must be checked again.
    checked: Option<Instant>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(in crate::github) struct Info {
    default_branch: String,
    /// Size in KB.
    pub(in crate::github) size: u64,
}

/// Commit and its root tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::github) struct Head {
    pub(in crate::github) commit: String,
    /// `None` for an empty repository.
    pub(in crate::github) tree: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WireCommit {
    sha: String,
    commit: WireCommitData,
}

#[derive(Debug, Deserialize)]
struct WireCommitData {
    tree: WireTreeId,
}

#[derive(Debug, Deserialize)]
struct WireTreeId {
    sha: String,
}

impl<V> Kept<V> {
    fn is_fresh(&self, time: Duration) -> bool {
        self.checked.is_some_and(|checked| checked.elapsed() < time)
    }
}

impl Repository {
    /// Lets all facts be checked again.
    #[cfg(test)]
    pub(in crate::github) fn age(&self) {
        if let Some(info) = self.info.lock().unwrap().as_mut() {
            info.checked = None;
        }
        if let Some(head) = self.head.lock().unwrap().as_mut() {
            head.checked = None;
        }
    }

    /// Returns facts about the repository.
    pub(in crate::github) async fn info(&self, cx: &ToolContext) -> Result<Info, Problem> {
        let known = kept(&self.info);
        if let Some(known) = &known
            && known.is_fresh(INFO_KEPT)
        {
            return Ok(known.value.clone());
        }
        let request = self.request("repository", &[]);
        let read = |response: &Response| {
            check(response)?;
            response.json()
        };
        self.revalidated(&self.info, known, request, cx, read).await
    }

    /// Returns the commit of the reference.
    pub(in crate::github) async fn head(&self, cx: &ToolContext) -> Result<Head, Problem> {
        let known = kept(&self.head);
        if let Some(known) = &known
            && known.is_fresh(HEAD_KEPT)
        {
            return Ok(known.value.clone());
        }
        let reference = match &self.connection.reference {
            Some(reference) => reference.clone(),
            None => self.info(cx).await?.default_branch,
        };
        if reference.trim_matches('.').is_empty() {
            return Err(Problem::InvalidResponse);
        }
        let request = self.request("commit", &["commits", &reference]);
        self.revalidated(&self.head, known, request, cx, head_of)
            .await
    }

    /// Sends a conditional request. If the limit is exhausted, the known value is used.
    async fn revalidated<V: Clone>(
        &self,
        place: &Mutex<Option<Kept<V>>>,
        known: Option<Kept<V>>,
        request: Request,
        cx: &ToolContext,
        read: impl Fn(&Response) -> Result<V, Problem>,
    ) -> Result<V, Problem> {
        let mut request = request.header("accept", HeaderValue::from_static(JSON));
        if let Some(etag) = known.as_ref().and_then(|known| known.etag.clone()) {
            request = request.header("if-none-match", etag);
        }
        let response = match (self.send(request, cx).await, &known) {
            (Err(Problem::RateLimited { .. }), Some(known)) => return Ok(known.value.clone()),
            (response, _) => response?,
        };
        let kept = match known {
            Some(known) if response.status.as_u16() == 304 => Kept {
                checked: Some(Instant::now()),
                ..known
            },
            _ => Kept {
                value: read(&response)?,
                etag: response.headers.get("etag").cloned(),
                checked: Some(Instant::now()),
            },
        };
        let value = kept.value.clone();
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        Ok(value)
    }
}

fn kept<V: Clone>(place: &Mutex<Option<Kept<V>>>) -> Option<Kept<V>> {
    place.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn head_of(response: &Response) -> Result<Head, Problem> {
    // An empty repository has no commit.
    if response.status.as_u16() == 409 {
        return Ok(Head {
            commit: String::new(),
            tree: None,
        });
    }
    check(response)?;
    let commit: WireCommit = response.json()?;
    let is_id = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_id(&commit.sha) || !is_id(&commit.commit.tree.sha) {
        return Err(Problem::InvalidResponse);
    }
    Ok(Head {
        commit: commit.sha,
        tree: Some(commit.commit.tree.sha),
    })
}
