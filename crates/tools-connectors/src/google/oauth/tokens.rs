//! Tokens of one account: one refresh and one sign-in for all calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::task::AbortHandle;
use tool_core::Secret;

use super::flow::{Failure, OAuthFlow};
use super::sign_in::{SignIn, sign_in};
use super::store::{TokenKey, TokenStore, TokenStoreError};
use super::{Grant, SignInSettings};
use crate::door::{Deadline, Problem};
use crate::google::Tokens;

/// Time for a refresh, including the wait for other processes.
const REFRESH: Duration = Duration::from_secs(40);

const MISSING: &str = "no user has signed in yet, or the sign-in was revoked or has expired. Sign-ins to apps in testing end \
                       after 7 days; others end after 6 months without use, a changed password or too many sign-ins";

type Outcome = Result<Secret<String>, Problem>;

/// Tokens of one service. The sign-in ends when the value is dropped.
pub(crate) struct AccountTokens(Arc<Service>);

struct Service {
    flow: OAuthFlow,
    store: Arc<dyn TokenStore>,
    key: TokenKey,
    settings: SignInSettings,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    grant: Option<Grant>,
    refresh: Option<Job>,
    sign_in: Option<Job>,
}

/// Running work that several calls wait for.
#[derive(Clone)]
struct Job {
    result: Shared<BoxFuture<'static, Outcome>>,
    handle: AbortHandle,
}

impl Job {
    fn start(work: impl Future<Output = Outcome> + Send + 'static) -> Self {
        // Its own task, so that a dropped call does not end the work that others wait for.
        let task = tokio::spawn(work);
        Self {
            handle: task.abort_handle(),
            // The work may panic, or is aborted.
            result: task
                .map(|ended| ended.unwrap_or(Err(Problem::InvalidResponse)))
                .boxed()
                .shared(),
        }
    }

    fn is_running(&self) -> bool {
        !self.handle.is_finished()
    }

    /// Waits for the end, or returns `None` after `time`.
    async fn wait(self, time: Duration) -> Option<Outcome> {
        tokio::time::timeout(time, self.result).await.ok()
    }
}

impl AccountTokens {
    pub(crate) fn new(
        flow: OAuthFlow,
        store: Arc<dyn TokenStore>,
        key: TokenKey,
        settings: SignInSettings,
    ) -> Self {
        Self(Arc::new(Service {
            flow,
            store,
            key,
            settings,
            state: Mutex::default(),
        }))
    }

    /// Starts a refresh, or joins the running one.
    fn refresh(&self, rejected: Option<&Secret<String>>) -> Job {
        let mut state = self.0.state();
        if let Some(job) = state.refresh.clone().filter(Job::is_running) {
            return job;
        }
        let (shared, rejected) = (Arc::clone(&self.0), rejected.cloned());
        let job = Job::start(async move { shared.refreshed(rejected.as_ref()).await });
        state.refresh = Some(job.clone());
        job
    }

    /// Starts a sign-in, or joins the running one.
    pub(crate) fn sign_in(&self) -> impl Future<Output = Option<Outcome>> + use<> {
        let mut state = self.0.state();
        let job = state.sign_in.clone().filter(Job::is_running);
        let job = job.unwrap_or_else(|| {
            let shared = Arc::clone(&self.0);
            let job = Job::start(async move { shared.signed_in().await });
            state.sign_in = Some(job.clone());
            job
        });
        drop(state);
        let patience = self.0.settings.patience.saturating_add(REFRESH);
        job.wait(patience)
    }

    /// Revokes and removes the tokens.
    pub(crate) async fn sign_out(&self) -> Result<(), Problem> {
        let shared = &self.0;
        let _lock = shared.in_store(|store, key| store.lock(key)).await?;
        let known = shared.stored().await?;
        shared.state().grant = None;
        let revoked = match &known {
            Some(grant) => {
                let token = grant.refresh_token.as_ref().unwrap_or(&grant.access_token);
                shared.flow.revoke(token, Deadline::after(REFRESH)).await
            }
            None => Ok(()),
        };
        shared.in_store(|store, key| store.remove(key)).await?;
        revoked
    }
}

impl Drop for AccountTokens {
    fn drop(&mut self) {
        let mut state = self.0.state();
        for job in [state.refresh.take(), state.sign_in.take()]
            .into_iter()
            .flatten()
        {
            job.handle.abort();
        }
    }
}

impl Service {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the token in memory if it is fresh and not rejected.
    fn fresh(&self, rejected: Option<&Secret<String>>) -> Option<Secret<String>> {
        let state = self.state();
        let grant = state.grant.as_ref()?;
        let is_usable = grant.is_fresh() && Some(&grant.access_token) != rejected;
        is_usable.then(|| grant.access_token.clone())
    }

    fn adopt(&self, grant: Grant) -> Secret<String> {
        self.flow.learn(&grant);
        let token = grant.access_token.clone();
        self.state().grant = Some(grant);
        token
    }

    /// Uses the store on a thread that may block.
    async fn in_store<T: Send + 'static>(
        &self,
        run: impl FnOnce(&dyn TokenStore, &TokenKey) -> Result<T, TokenStoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        let (store, key) = (Arc::clone(&self.store), self.key.clone());
        let done = tokio::task::spawn_blocking(move || run(&*store, &key)).await;
        let done = done.map_err(|_| Problem::InvalidResponse)?;
        done.map_err(|error| Problem::TokenStore(error.message()))
    }

    /// Reads the store. Unreadable text counts as missing, and the next sign-in replaces it.
    async fn stored(&self) -> Result<Option<Grant>, Problem> {
        let text = self.in_store(|store, key| store.get(key)).await?;
        let grant = text.and_then(|text| parse(&text, self.flow.client_id()));
        if let Some(grant) = &grant {
            self.flow.learn(grant);
        }
        Ok(grant)
    }

    async fn keep(&self, grant: &Grant) -> Result<(), Problem> {
        let text = text_of(grant, self.flow.client_id()).ok_or(Problem::InvalidResponse)?;
        self.in_store(move |store, key| store.put(key, &text)).await
    }

    /// Uses the tokens of another process, or refreshes the own ones.
    async fn refreshed(&self, rejected: Option<&Secret<String>>) -> Outcome {
        let _lock = self.in_store(|store, key| store.lock(key)).await?;
        // After the lock: another process may have refreshed while this one waited.
        let grant = self.stored().await?;
        let grant = grant.ok_or(Problem::SignInRequired(MISSING))?;
        if grant.is_fresh() && Some(&grant.access_token) != rejected {
            return Ok(self.adopt(grant));
        }
        match self.flow.refresh(&grant, Deadline::after(REFRESH)).await {
            Ok(fresh) => {
                // Stored before it is used: Google may have replaced the refresh token, and a crash would lose it.
                self.keep(&fresh).await?;
                Ok(self.adopt(fresh))
            }
            Err(Failure::InvalidGrant) => {
                self.state().grant = None;
                // No process tries the dead token again.
                self.in_store(|store, key| store.remove(key)).await?;
                Err(Problem::SignInRequired(MISSING))
            }
            Err(Failure::Problem(problem)) => Err(problem),
        }
    }

    async fn signed_in(&self) -> Outcome {
        let is_complete = |grant: &Grant| {
            let mut scopes = self.settings.scopes.iter();
            grant.refresh_token.is_some() && !scopes.any(|scope| grant.lacks(scope))
        };
        // An application may sign in at each start, and should not bother the user then.
        if self.stored().await?.as_ref().is_some_and(is_complete) {
            match self.refreshed(None).await {
                Err(Problem::SignInRequired(_)) => {}
                known => return known,
            }
        }
        let grant = sign_in(&self.flow, &self.settings).await?;
        if grant.refresh_token.is_none() {
            tracing::warn!("the sign-in has no refresh token, so it ends with its first token");
        }
        let _lock = self.in_store(|store, key| store.lock(key)).await?;
        self.keep(&grant).await?;
        Ok(self.adopt(grant))
    }
}

#[async_trait]
impl Tokens for AccountTokens {
    async fn token(&self, deadline: Deadline, rejected: Option<&Secret<String>>) -> Outcome {
        if let Some(token) = self.0.fresh(rejected) {
            return Ok(token);
        }
        let time = deadline.remaining();
        let refreshed = self.refresh(rejected).wait(time).await;
        let cause = match refreshed {
            None => return Err(Problem::Timeout(time)),
            Some(Err(Problem::SignInRequired(cause))) => cause,
            Some(outcome) => return outcome,
        };
        if matches!(self.0.settings.way, SignIn::Disabled) {
            return Err(Problem::SignInRequired(cause));
        }
        let signed_in = self.sign_in();
        match tokio::time::timeout(deadline.remaining(), signed_in).await {
            Ok(Some(outcome)) => outcome,
            _ => Err(Problem::SIGN_IN_PENDING),
        }
    }

    async fn without_sign_in(&self, deadline: Deadline) -> Option<Secret<String>> {
        if let Some(token) = self.0.fresh(None) {
            return Some(token);
        }
        self.refresh(None).wait(deadline.remaining()).await?.ok()
    }

    fn lacks(&self, scope: &str) -> bool {
        let state = self.0.state();
        state.grant.as_ref().is_some_and(|grant| grant.lacks(scope))
    }
}

const VERSION: u32 = 1;

/// Returns the content of a token file.
pub(super) fn text_of(grant: &Grant, client: &str) -> Option<Secret<String>> {
    let stored = Stored {
        version: VERSION,
        client_id: client.to_owned(),
        access_token: grant.access_token.expose().clone(),
        refresh_token: grant.refresh_token.clone().map(Secret::into_exposed),
        expires_at: grant.expires_at.to_string(),
        scopes: grant.scopes.clone(),
    };
    serde_json::to_string(&stored).ok().map(Secret::new)
}

/// Content of a token file.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    client_id: String,
    access_token: String,
    refresh_token: Option<String>,
    #[serde(default)]
    expires_at: String,
    #[serde(default)]
    scopes: Vec<String>,
}

/// Reads a token file. `None` means that it is unreadable or of another client.
fn parse(text: &Secret<String>, client: &str) -> Option<Grant> {
    let stored: Stored = serde_json::from_str(text.expose()).ok()?;
    let is_own = stored.version == VERSION && stored.client_id == client;
    is_own.then(|| Grant {
        access_token: Secret::new(stored.access_token),
        refresh_token: stored.refresh_token.map(Secret::new),
        expires_at: stored.expires_at.parse().unwrap_or(Timestamp::UNIX_EPOCH),
        scopes: stored.scopes,
    })
}
