//! One sign-in: the ways to show its URL, and the steps from its start to the tokens.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, io, thread};

use async_trait::async_trait;

use super::flow::{Failure, OAuthFlow, Started};
use super::loopback::{Loopback, Reading, Redirect, read_address};
use super::{Grant, SignInSettings};
use crate::door::{Deadline, Problem};

/// Shows the URL of a sign-in to the user, such as on a terminal.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tools_connectors::google::SignInPrompt;
///
/// #[derive(Debug)]
/// struct Terminal;
///
/// #[async_trait]
/// impl SignInPrompt for Terminal {
///     async fn show(&self, service: &str, url: &str) {
///         println!("Open this address to sign in to {service}:\n{url}");
///     }
/// }
/// ```
#[async_trait]
pub trait SignInPrompt: fmt::Debug + Send + Sync {
    /// Shows the URL. The model never receives it.
    async fn show(&self, service: &str, url: &str);

    /// Returns the address that the browser shows after the sign-in, for [`SignIn::Pasted`]. The
    /// default returns `None`.
    async fn pasted(&self) -> Option<String> {
        None
    }
}

/// Way to sign in.
///
/// # Examples
/// ```
/// use tools_connectors::google::SignIn;
///
/// assert!(matches!(SignIn::browser(), SignIn::Browser(_)));
/// assert!(matches!(SignIn::default(), SignIn::Disabled));
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum SignIn {
    /// Opens the user's browser. If there is none, the prompt shows the URL.
    Browser(Arc<dyn SignInPrompt>),
    /// Shows the URL with the prompt.
    Printing(Arc<dyn SignInPrompt>),
    /// Shows the URL with the prompt, and reads the final address from it. For users whose browser
    /// runs on another machine.
    Pasted(Arc<dyn SignInPrompt>),
    /// Fails calls that need a sign-in. Use this on servers, after a sign-in elsewhere.
    #[default]
    Disabled,
}

impl SignIn {
    /// Opens the user's browser. If there is none, the URL is printed to standard error.
    pub fn browser() -> Self {
        Self::Browser(Arc::new(StandardError))
    }
}

/// Prompt of programs on a terminal, whose standard output may be data.
#[derive(Debug)]
struct StandardError;

#[async_trait]
impl SignInPrompt for StandardError {
    async fn show(&self, service: &str, url: &str) {
        // A closed standard error must not end the sign-in.
        let _ = writeln!(
            io::stderr(),
            "Open this address to sign in to {service}:\n{url}"
        );
    }
}

/// Time for the exchange of the code.
const EXCHANGE: Duration = Duration::from_secs(30);

/// Signs in and returns the tokens.
pub(super) async fn sign_in(flow: &OAuthFlow, settings: &SignInSettings) -> Result<Grant, Problem> {
    let loopback = Loopback::bind(settings.port).await;
    let loopback = loopback
        .map_err(|_| Problem::SignInRequired("the port for the sign-in is not available"))?;
    let started = flow.start(loopback.port(), settings);
    let started = started.ok_or(Problem::InvalidResponse)?;
    let redirect = tokio::time::timeout(settings.patience, redirect(loopback, settings, &started));
    let expired = Problem::SignInRequired("the last sign-in was not finished in time");
    let code = redirect.await.ok().flatten().ok_or(expired)?;
    let code = code.ok_or(Problem::SIGN_IN_DENIED)?;
    let deadline = Deadline::after(EXCHANGE);
    let grant = flow.exchange(started, &code, deadline).await;
    grant.map_err(|failure| match failure {
        Failure::InvalidGrant => Problem::SignInRequired("Google rejected the sign-in"),
        Failure::Problem(problem) => problem,
    })
}

/// Shows the URL and waits for the redirect.
async fn redirect(
    loopback: Loopback,
    settings: &SignInSettings,
    started: &Started,
) -> Option<Redirect> {
    match &settings.way {
        SignIn::Browser(fallback) => {
            let url = started.url.clone();
            let opened = tokio::task::spawn_blocking(move || open_browser(&url)).await;
            if !opened.unwrap_or(false) {
                fallback.show(settings.service, &started.url).await;
            }
            loopback.wait(&started.state).await
        }
        SignIn::Printing(prompt) => {
            prompt.show(settings.service, &started.url).await;
            loopback.wait(&started.state).await
        }
        SignIn::Pasted(prompt) => {
            prompt.show(settings.service, &started.url).await;
            pasted(prompt, &started.state).await
        }
        SignIn::Disabled => None,
    }
}

async fn pasted(prompt: &Arc<dyn SignInPrompt>, state: &str) -> Option<Redirect> {
    // A wrong address may be a mistake, so the user can try again.
    for _ in 0..5 {
        let address = prompt.pasted().await?;
        if let Reading::End(redirect) = read_address(&address, state) {
            return Some(redirect);
        }
    }
    None
}

/// Time in which a failed start is detected.
const STARTED: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

/// Opens a URL in the user's browser and returns whether that worked. Blocks for at most 2 seconds.
fn open_browser(url: &str) -> bool {
    if cfg!(all(unix, not(target_os = "macos"))) && !has_display() {
        return false;
    }
    let (program, first): (&str, Option<&str>) = if cfg!(windows) {
        ("rundll32", Some("url.dll,FileProtocolHandler"))
    } else if cfg!(target_os = "macos") {
        ("open", None)
    } else {
        ("xdg-open", None)
    };
    start(program, first, url)
}

/// Starts a program with the URL as one argument, without a shell.
fn start(program: &str, first: Option<&str>, url: &str) -> bool {
    // Without a shell, the URL cannot be read as a command.
    let mut command = Command::new(program);
    command.args(first).arg(url);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().is_ok_and(is_started)
}

fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Returns whether the program runs for 2 seconds or ends without an error.
fn is_started(mut child: Child) -> bool {
    let end = Instant::now() + STARTED;
    while Instant::now() < end {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => thread::sleep(PAUSE),
            Err(_) => return false,
        }
    }
    // Reap the program when it ends, which may be much later.
    let reaper = thread::Builder::new().name("browser".to_owned());
    let _ = reaper.spawn(move || child.wait());
    true
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn missing_or_failing_program_is_not_started() {
        for (program, is_started) in [
            ("no-such-program-for-tests", false),
            ("false", false),
            ("true", true),
        ] {
            assert_eq!(start(program, None, "http://127.0.0.1"), is_started);
        }
        // A program that runs for 2 seconds counts as started.
        assert!(start("sleep", Some("3"), "0"));
    }
}
