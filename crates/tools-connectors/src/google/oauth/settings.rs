//! Settings of a sign-in.

use std::time::Duration;

use super::prompt::SignIn;

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
