//! Sign-in to Google with OAuth 2.

mod account_tokens;
mod browser;
mod client;
mod endpoints;
mod flow;
mod grant;
mod loopback;
mod prompt;
mod sign_in;
mod store;
mod token_folder;

pub(crate) use account_tokens::AccountTokens;
pub use client::GoogleClient;
pub use endpoints::GoogleEndpoints;
pub(crate) use flow::OAuthFlow;
pub(crate) use prompt::SignInSettings;
pub use prompt::{SignIn, SignInPrompt};
pub use store::{TokenKey, TokenLock, TokenStore, TokenStoreError};
pub use token_folder::TokenFolder;

#[cfg(test)]
mod tests;
