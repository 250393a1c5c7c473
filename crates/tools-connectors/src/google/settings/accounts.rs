//! Accounts of the services, built from the settings.

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use tool_core::Redactor;

use crate::SetupError;
use crate::door::{Base, Door, Secrets};
use crate::google::oauth::{
    AccountTokens, GoogleClient, GoogleEndpoints, OAuthFlow, SignIn, SignInSettings, TokenKey,
    TokenStore,
};
use crate::google::service::{CALENDAR, GMAIL_READ, GMAIL_SEND};
use crate::google::{Account, GmailAccess};

/// Settings of an account.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) client: GoogleClient,
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) sign_in: SignIn,
    pub(super) endpoints: Option<GoogleEndpoints>,
    pub(super) zone: Option<TimeZone>,
    pub(super) access: GmailAccess,
    pub(super) login_hint: Option<String>,
    pub(super) port: u16,
    pub(super) patience: Duration,
    pub(super) proxy: Option<String>,
    pub(super) redactor: Option<Redactor>,
    #[cfg(test)]
    pub(super) is_quick: bool,
}

/// Accounts of the services, which share a client and its secrets.
#[derive(Clone)]
pub(super) struct Accounts {
    pub(super) gmail: (Account, Arc<AccountTokens>),
    pub(super) calendar: (Account, Arc<AccountTokens>),
}

impl Settings {
    pub(super) fn accounts(&self) -> Result<Accounts, SetupError> {
        if self.client.id.is_empty() {
            return Err(SetupError::Empty("client ID"));
        }
        let endpoints = match &self.endpoints {
            Some(endpoints) => endpoints.clone(),
            None => GoogleEndpoints::google()?,
        };
        let secrets = Secrets::default();
        if let Some(redactor) = &self.redactor {
            secrets.teach(redactor.clone());
        }
        let door = Door::new("Gmail", secrets, self.proxy.as_deref())?;
        #[cfg(test)]
        let door = if self.is_quick {
            door.with_pace(crate::door::testing::quick())
        } else {
            door
        };
        let flow = OAuthFlow::new(self.client.clone(), endpoints.clone(), &door);
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
            way: self.sign_in.clone(),
            service: door.service(),
            scopes,
            login_hint: self.login_hint.clone(),
            port: self.port,
            patience: self.patience,
        };
        let tokens = AccountTokens::new(flow.clone(), Arc::clone(&self.store), key, settings);
        let tokens = Arc::new(tokens);
        let mut account = Account::new(door, base, tokens.clone());
        account.zone.clone_from(&self.zone);
        (account, tokens)
    }
}
