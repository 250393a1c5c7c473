//! Requests in the name of a signed-in user.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use reqwest::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_core::{ToolContext, ToolError};

use super::people::domain_of;
use super::rejection::{Purpose, is_rate_limit, problem};
use super::tokens::Tokens;
use crate::door::{Base, Deadline, Door, Problem, Request, Response};

/// Time for the requests of a call, in addition to the time for a sign-in.
const REQUESTS: Duration = Duration::from_mins(1);
/// Time to find out the domain of the user. A registry gives the whole preview two seconds.
const PREVIEW: Duration = Duration::from_secs(1);
/// Longest wait for a sign-in within a call.
const SIGN_IN: Duration = Duration::from_mins(2);

/// Timeout of a call that may wait for a sign-in.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(3);

/// Access to one service of a signed-in user. Clones share the sign-in.
#[derive(Clone)]
pub(crate) struct Account {
    pub(crate) door: Door,
    pub(crate) base: Base,
    pub(crate) tokens: Arc<dyn Tokens>,
    /// Time zone that the application configured.
    pub(crate) zone: Option<TimeZone>,
}

impl Account {
    pub(crate) fn new(door: Door, base: Base, tokens: Arc<dyn Tokens>) -> Self {
        Self {
            door,
            base,
            tokens,
            zone: None,
        }
    }

    /// Sends a request with a token, again with a new token if the service rejects the first, and
    /// returns the response with any other status. Sends nothing if the user did not grant the scope.
    pub(crate) async fn exchange(
        &self,
        request: Request,
        purpose: Purpose,
        cx: &ToolContext,
    ) -> Result<Response, Problem> {
        let deadline = Deadline::of(cx);
        let request = request.rate_limit(is_rate_limit);
        let token = self.tokens.token(deadline.at_most(SIGN_IN), None).await;
        let token = token.map_err(Problem::before)?;
        if self.tokens.lacks(purpose.scope) {
            return Err(Problem::ScopeMissing(purpose.permission));
        }
        let signed = request.clone().bearer(&token)?;
        let response = self.door.send(&signed, deadline.at_most(REQUESTS)).await?;
        if response.status != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        // The service did nothing, so writing requests are repeated too.
        let fresh = deadline.at_most(SIGN_IN);
        let token = self.tokens.token(fresh, Some(&token)).await;
        let token = token.map_err(Problem::before)?;
        let signed = request.bearer(&token)?;
        self.door.send(&signed, deadline.at_most(REQUESTS)).await
    }

    /// Like [`exchange`](Self::exchange), but rejects all statuses except 200.
    pub(crate) async fn fetch<T: DeserializeOwned>(
        &self,
        request: Request,
        purpose: Purpose,
        cx: &ToolContext,
    ) -> Result<T, Problem> {
        let response = self.exchange(request, purpose, cx).await?;
        if response.status == StatusCode::OK {
            return response.json();
        }
        Err(problem(&response, purpose))
    }

    /// Returns the domain of the signed-in user, whose address is at `pointer` in the response.
    ///
    /// It is for the text that an approver reads, so it takes at most one second and never starts a
    /// sign-in; `None` if it cannot be found out that way. It is not kept, because the application
    /// may sign in another user at any time.
    pub(crate) async fn domain(&self, request: Request, pointer: &str) -> Option<String> {
        let deadline = Deadline::after(PREVIEW);
        let token = self.tokens.without_sign_in(deadline).await?;
        let request = request.bearer(&token).ok()?;
        let response = self.door.send(&request, deadline).await.ok()?;
        let body: Value = response.json().ok()?;
        domain_of(body.pointer(pointer)?.as_str()?)
    }

    /// Returns the error for the model.
    pub(crate) fn error(&self, problem: Problem) -> ToolError {
        problem.into_error(self.door.service())
    }

    /// Returns text of the service without secrets, for text that was decoded after its arrival.
    pub(crate) fn scrub(&self, text: String) -> String {
        match self.door.secrets().scrub(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(scrubbed) => scrubbed,
        }
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account")
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}
