//! Sign-in and requests that Gmail and Google Calendar share.

mod account;
mod arguments;
mod doubles;
mod oauth;
#[cfg(test)]
pub(crate) mod testing;
mod writing;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::tz::TimeZone;
use tool_core::{Redactor, ToolError};

use self::oauth::{AccountTokens, OAuthFlow, SignInSettings};
use crate::SetupError;
use crate::door::{Base, Door, Problem, Secrets};

pub(crate) use account::{Account, Purpose, Tokens, problem};
pub(crate) use arguments::{UNKNOWN_DOMAIN, outsider, people, zone};
pub(crate) use doubles::{Doubles, Fingerprint};
pub(crate) use writing::{Outcome, failed, happened, unique_id};

pub use oauth::{
    GoogleClient, GoogleEndpoints, SignIn, SignInPrompt, TokenFolder, TokenKey, TokenLock,
    TokenStore, TokenStoreError,
};

/// Default time for the user to sign in.
const PATIENCE: Duration = Duration::from_mins(5);

/// Google account of the user. Clones share the sign-in.
///
/// Nothing is sent before the first call of a tool. A call that needs a sign-in waits up to 120
/// seconds for the user, and then fails with `sign_in_pending` while the sign-in continues.
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tools_connectors::google::{Google, GoogleClient, GoogleEndpoints, SignIn, TokenFolder};
///
/// let client = GoogleClient::new("123.apps.googleusercontent.com").with_secret(Secret::new("GOCSPX-1".to_owned()));
/// let google = Google::new(client, TokenFolder::new("/var/lib/my-agent"))
///     .with_sign_in(SignIn::Disabled)
///     .with_time_zone("Europe/Berlin")?
///     .with_endpoints(GoogleEndpoints::at("http://127.0.0.1:4002")?);
/// # drop(google);
/// # Ok::<_, tools_connectors::SetupError>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Google {
    settings: Settings,
    accounts: Arc<OnceLock<Accounts>>,
}

impl Google {
    /// Creates an account of the application `client` whose tokens are kept in `store`. Sign-in is
    /// disabled until [`with_sign_in`](Self::with_sign_in).
    pub fn new(client: GoogleClient, store: impl TokenStore + 'static) -> Self {
        let settings = Settings {
            client,
            store: Arc::new(store),
            sign_in: SignInSettings {
                way: SignIn::Disabled,
                service: "",
                scopes: Vec::new(),
                port: 0,
                patience: PATIENCE,
            },
            endpoints: None,
            zone: None,
            access: GmailAccess::default(),
            proxy: None,
            redactor: None,
        };
        Self {
            settings,
            accounts: Arc::default(),
        }
    }

    fn change(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        // Clones with other settings have their own accounts.
        self.accounts = Arc::default();
        self
    }

    /// Sets the way to sign in.
    pub fn with_sign_in(self, sign_in: SignIn) -> Self {
        self.change(|settings| settings.sign_in.way = sign_in)
    }

    /// Sets the port on 127.0.0.1 to which the browser is redirected. By default, the system chooses
    /// a free port.
    pub fn with_redirect_port(self, port: u16) -> Self {
        self.change(|settings| settings.sign_in.port = port)
    }

    /// Sets the time zone of calls that state none. The default is the zone of the calendar.
    ///
    /// # Errors
    /// Returns [`SetupError::UnknownZone`] if the name is not in the IANA database.
    pub fn with_time_zone(self, name: &str) -> Result<Self, SetupError> {
        let zone = zone(name).ok_or_else(|| SetupError::UnknownZone(name.to_owned()))?;
        Ok(self.change(|settings| settings.zone = Some(zone)))
    }

    /// Sets the addresses of the services.
    pub fn with_endpoints(self, endpoints: GoogleEndpoints) -> Self {
        self.change(|settings| settings.endpoints = Some(endpoints))
    }

    /// Sets the permissions for Gmail.
    pub fn with_gmail_access(self, access: GmailAccess) -> Self {
        self.change(|settings| settings.access = access)
    }

    /// Sets an HTTP proxy, which is not used otherwise.
    pub fn with_proxy(self, url: impl Into<String>) -> Self {
        let url = url.into();
        self.change(|settings| settings.proxy = Some(url))
    }

    /// Passes all tokens to `redactor`, which removes them from the results and the audit log of a
    /// registry.
    pub fn with_redactor(self, redactor: Redactor) -> Self {
        self.change(|settings| settings.redactor = Some(redactor))
    }

    /// Signs in now unless the stored tokens are valid, so that no call has to.
    ///
    /// # Errors
    /// Returns an error if the user declines or does not finish the sign-in in time, or if the
    /// tokens cannot be stored.
    pub async fn sign_in(&self, service: GoogleService) -> Result<(), ToolError> {
        let (_, tokens) = self.account(service).map_err(setup)?;
        let outcome = tokens
            .sign_in()
            .await
            .unwrap_or(Err(Problem::SIGN_IN_PENDING));
        outcome
            .map(drop)
            .map_err(|problem| problem.into_error("Google"))
    }

    /// Revokes and removes the tokens of a service.
    ///
    /// # Errors
    /// Returns an error if the tokens cannot be removed, or if Google could not be informed.
    pub async fn sign_out(&self, service: GoogleService) -> Result<(), ToolError> {
        let (_, tokens) = self.account(service).map_err(setup)?;
        tokens
            .sign_out()
            .await
            .map_err(|problem| problem.into_error("Google"))
    }

    /// Returns whether the client has an ID, and no blank secret.
    pub(crate) fn is_configured(&self) -> bool {
        let client = &self.settings.client;
        let is_blank = |secret: &tool_core::Secret<String>| secret.expose().is_empty();
        !client.id.is_empty() && !client.secret.as_ref().is_some_and(is_blank)
    }

    /// Returns the permissions for Gmail.
    pub(crate) fn gmail_access(&self) -> GmailAccess {
        self.settings.access
    }

    /// Returns the access to a service.
    pub(crate) fn access(&self, service: GoogleService) -> Result<Account, SetupError> {
        Ok(self.account(service)?.0)
    }

    fn account(&self, service: GoogleService) -> Result<(Account, Arc<AccountTokens>), SetupError> {
        let accounts = if let Some(accounts) = self.accounts.get() {
            accounts
        } else {
            let built = self.settings.accounts()?;
            self.accounts.get_or_init(|| built)
        };
        Ok(match service {
            GoogleService::Gmail => accounts.gmail.clone(),
            GoogleService::Calendar => accounts.calendar.clone(),
        })
    }
}

fn setup(error: SetupError) -> ToolError {
    ToolError::failed("The Google account is configured incorrectly").caused_by(error)
}

tool_core::debug_fields!(Google, this =>
    client: this.settings.client, store: this.settings.store, sign_in: this.settings.sign_in.way);

/// Settings of an account.
#[derive(Clone)]
struct Settings {
    client: GoogleClient,
    store: Arc<dyn TokenStore>,
    /// Settings without a service and its scopes.
    sign_in: SignInSettings,
    endpoints: Option<GoogleEndpoints>,
    zone: Option<TimeZone>,
    access: GmailAccess,
    proxy: Option<String>,
    redactor: Option<Redactor>,
}

/// Accounts of the services, which share a client and its secrets.
#[derive(Clone)]
struct Accounts {
    gmail: (Account, Arc<AccountTokens>),
    calendar: (Account, Arc<AccountTokens>),
}

impl Settings {
    fn accounts(&self) -> Result<Accounts, SetupError> {
        if self.client.id.is_empty() {
            return Err(SetupError::Empty("client ID"));
        }
        let endpoints = match &self.endpoints {
            Some(endpoints) => endpoints.clone(),
            None => GoogleEndpoints::google()?,
        };
        let secrets = Secrets::taught(self.redactor.clone());
        let door = Door::new("Gmail", secrets, self.proxy.as_deref())?;
        let flow = OAuthFlow::new(self.client.clone(), endpoints.clone(), &door);
        // Google reviews public apps that ask for more scopes, so an app that only reads asks for one.
        let scopes = match self.access {
            GmailAccess::ReadAndSend => vec![GMAIL_READ, GMAIL_SEND],
            GmailAccess::ReadOnly => vec![GMAIL_READ],
        };
        let (gmail, calendar) = (door.clone(), door.named("Google Calendar"));
        let id = &self.client.id;
        Ok(Accounts {
            gmail: self.account(gmail, endpoints.gmail, &flow, TokenKey::gmail(id), scopes),
            calendar: self.account(
                calendar,
                endpoints.calendar,
                &flow,
                TokenKey::calendar(id),
                vec![CALENDAR],
            ),
        })
    }

    fn account(
        &self,
        door: Door,
        base: Base,
        flow: &OAuthFlow,
        key: TokenKey,
        scopes: Vec<&'static str>,
    ) -> (Account, Arc<AccountTokens>) {
        let settings = SignInSettings {
            service: door.service(),
            scopes,
            ..self.sign_in.clone()
        };
        let tokens = AccountTokens::new(flow.clone(), Arc::clone(&self.store), key, settings);
        let tokens = Arc::new(tokens);
        let account = Account {
            door,
            base,
            tokens: tokens.clone(),
            zone: self.zone.clone(),
        };
        (account, tokens)
    }
}

/// Scope that reads mail.
pub(crate) const GMAIL_READ: &str = "https://www.googleapis.com/auth/gmail.readonly";
/// Scope that sends mail.
pub(crate) const GMAIL_SEND: &str = "https://www.googleapis.com/auth/gmail.send";
/// Scope that reads and changes events.
pub(crate) const CALENDAR: &str = "https://www.googleapis.com/auth/calendar.events";

/// Service of Google, each with its own sign-in.
///
/// # Examples
/// ```
/// use tools_connectors::google::GoogleService;
///
/// assert_ne!(GoogleService::Gmail, GoogleService::Calendar);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GoogleService {
    /// Gmail.
    Gmail,
    /// Google Calendar.
    Calendar,
}

/// Permissions for Gmail.
///
/// # Examples
/// ```
/// use tools_connectors::google::GmailAccess;
///
/// assert_eq!(GmailAccess::default(), GmailAccess::ReadAndSend);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GmailAccess {
    /// Reads and sends.
    #[default]
    ReadAndSend,
    /// Only reads. The tool that sends is not registered.
    ReadOnly,
}
