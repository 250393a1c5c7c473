//! Ways to show the URL of a sign-in to the user.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

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

    /// Returns the address that the browser shows after the sign-in, for [`SignIn::pasted`]. The
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
/// assert_eq!(format!("{:?}", SignIn::disabled()), "SignIn(Disabled)");
/// ```
#[derive(Clone)]
pub struct SignIn(pub(super) Way);

#[derive(Clone)]
pub(super) enum Way {
    Browser(Arc<dyn SignInPrompt>),
    Printing(Arc<dyn SignInPrompt>),
    Pasted(Arc<dyn SignInPrompt>),
    Disabled,
}

impl SignIn {
    /// Opens the user's browser. If there is none, `fallback` shows the URL.
    #[must_use]
    pub fn browser(fallback: Arc<dyn SignInPrompt>) -> Self {
        Self(Way::Browser(fallback))
    }

    /// Shows the URL with `prompt`.
    #[must_use]
    pub fn printing(prompt: Arc<dyn SignInPrompt>) -> Self {
        Self(Way::Printing(prompt))
    }

    /// Shows the URL with `prompt`, and reads the final address from it. For users whose browser runs
    /// on another machine.
    #[must_use]
    pub fn pasted(prompt: Arc<dyn SignInPrompt>) -> Self {
        Self(Way::Pasted(prompt))
    }

    /// Fails calls that need a sign-in. Use this on servers, after a sign-in elsewhere.
    #[must_use]
    pub fn disabled() -> Self {
        Self(Way::Disabled)
    }

    pub(super) fn is_disabled(&self) -> bool {
        matches!(self.0, Way::Disabled)
    }
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = match &self.0 {
            Way::Browser(_) => "Browser",
            Way::Printing(_) => "Printing",
            Way::Pasted(_) => "Pasted",
            Way::Disabled => "Disabled",
        };
        write!(f, "SignIn({way})")
    }
}

/// Settings of a sign-in.
#[derive(Debug, Clone)]
pub(crate) struct SignInSettings {
    pub(crate) way: SignIn,
    pub(crate) service: &'static str,
    pub(crate) scopes: Vec<&'static str>,
    pub(crate) login_hint: Option<String>,
    pub(crate) port: u16,
    /// Time for the user.
    pub(crate) patience: Duration,
}
