//! One sign-in from its start to the stored tokens.

use std::sync::Arc;
use std::time::Duration;

use super::browser;
use super::flow::{Failure, OAuthFlow, Started};
use super::grant::Grant;
use super::loopback::{Loopback, Reading, Redirect, Waiting, read_address};
use super::prompt::{SignInPrompt, SignInSettings, Way};
use crate::door::{Deadline, Problem};

/// Time for the exchange of the code.
const EXCHANGE: Duration = Duration::from_secs(30);

/// Signs in and returns the tokens.
pub(super) async fn sign_in(
    flow: &OAuthFlow,
    settings: &SignInSettings,
    asks_again: bool,
) -> Result<Grant, Problem> {
    let loopback = Loopback::bind(settings.port).await;
    let loopback = loopback
        .map_err(|_| Problem::SignInRequired("the port for the sign-in is not available"))?;
    let started = flow.start(loopback.port(), settings, asks_again);
    let started = started.ok_or(Problem::InvalidResponse)?;
    let waiting = tokio::time::timeout(settings.patience, redirect(&loopback, settings, &started));
    let expired = Problem::SignInRequired("the last sign-in was not finished in time");
    let waiting = waiting.await.ok().flatten().ok_or(expired)?;
    let code = match &waiting.redirect {
        Redirect::Code(code) => code.clone(),
        Redirect::Denied => {
            waiting.finish(false).await;
            return Err(Problem::SignInDenied);
        }
    };
    let grant = flow
        .exchange(started, &code, Deadline::after(EXCHANGE))
        .await;
    waiting.finish(grant.is_ok()).await;
    grant.map_err(|failure| match failure {
        Failure::InvalidGrant => Problem::SignInRequired("Google rejected the sign-in"),
        Failure::Problem(problem) => problem,
    })
}

/// Shows the URL and waits for the redirect.
async fn redirect(
    loopback: &Loopback,
    settings: &SignInSettings,
    started: &Started,
) -> Option<Waiting> {
    match &settings.way.0 {
        Way::Browser(fallback) => {
            let url = started.url.clone();
            let opened = tokio::task::spawn_blocking(move || browser::open(&url)).await;
            if !opened.unwrap_or(false) {
                fallback.show(settings.service, &started.url).await;
            }
            loopback.wait(&started.state).await
        }
        Way::Printing(prompt) => {
            prompt.show(settings.service, &started.url).await;
            loopback.wait(&started.state).await
        }
        Way::Pasted(prompt) => {
            prompt.show(settings.service, &started.url).await;
            pasted(prompt, &started.state).await
        }
        Way::Disabled => None,
    }
}

async fn pasted(prompt: &Arc<dyn SignInPrompt>, state: &str) -> Option<Waiting> {
    // A wrong address may be a mistake, so the user can try again.
    for _ in 0..5 {
        let address = prompt.pasted().await?;
        if let Reading::End(redirect) = read_address(&address, state) {
            return Some(Waiting::pasted(redirect));
        }
    }
    None
}
