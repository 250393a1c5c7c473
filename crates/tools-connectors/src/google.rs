//! Sign-in and requests that Gmail and Google Calendar share.

mod account;
mod oauth;
mod outcome;
mod people;
mod random;
mod rejection;
mod service;
mod settings;
#[cfg(test)]
pub(crate) mod testing;
mod tokens;
mod zones;

pub(crate) use service::{CALENDAR, GMAIL_READ, GMAIL_SEND};
pub use service::{GmailAccess, GoogleService};
pub use settings::Google;

pub use oauth::{
    GoogleClient, GoogleEndpoints, SignIn, SignInPrompt, TokenFolder, TokenKey, TokenLock,
    TokenStore, TokenStoreError,
};

pub(crate) use account::{Account, TIMEOUT};
pub(crate) use outcome::{Outcome, happened, hints_of_writing};
pub(crate) use people::{UNKNOWN_DOMAIN, ascii_address, check_line, invalid_address, outsider};
pub(crate) use random::{event_id, hex_id};
pub(crate) use rejection::{Purpose, problem};
pub(crate) use tokens::Tokens;
pub(crate) use zones::zone;
