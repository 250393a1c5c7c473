//! Remote servers: their addresses, and the logins at them.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use tool_core::Secret;
use url::Url;

use super::login::LoginError;
use super::report::ServerError;
use super::server::Server;
use crate::config::{OAuthConfig, Transport};
use crate::wire::Tokens;

/// Prefix of values whose rest is the secret.
const BEARER: &str = "Bearer ";

/// Expanded address of a server.
pub(crate) struct Address {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
}

impl Address {
    /// Expands the address of a server.
    pub(crate) fn expand(server: &Server) -> Result<Self, ServerError> {
        let invalid = |reason: &str| {
            server.failed(format_args!(
                ": the address in \"url\" is invalid: {reason}."
            ))
        };
        let config = &server.config;
        let text = server.expand(config.url.as_deref().unwrap_or_default())?;
        let url = Url::parse(&text).map_err(|error| invalid(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid("only http and https are supported"));
        }
        let mut headers = HeaderMap::new();
        for (name, value) in &config.headers {
            let value = server.expand(value.expose())?;
            server.learn(value.strip_prefix(BEARER).unwrap_or(&value));
            let (name, value) = header(name, &value).ok_or_else(|| {
                server.failed(format_args!(
                    ": the header \"{name}\" is invalid. Use a value of one line in ASCII."
                ))
            })?;
            headers.append(name, value);
        }
        Ok(Self { url, headers })
    }

    /// Returns the address without credentials and query, which may hold secrets.
    pub(crate) fn shown(&self) -> String {
        let origin = self.url.origin().ascii_serialization();
        format!("{origin}{}", self.url.path())
    }
}

fn header(name: &str, value: &str) -> Option<(HeaderName, HeaderValue)> {
    let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
    let mut value = HeaderValue::from_str(value).ok()?;
    // Keeps it out of debug output and of the tables of HTTP/2.
    value.set_sensitive(true);
    Some((name, value))
}

impl Server {
    /// Returns the credentials, or `None` if logins are not configured, or if the configuration has a token.
    pub(crate) async fn tokens(
        &self,
        address: &Address,
    ) -> Result<Option<Arc<Tokens>>, LoginError> {
        let has_token = address.headers.contains_key(http::header::AUTHORIZATION);
        let Some(login) = self.shared.login.as_ref().filter(|_| !has_token) else {
            return Ok(None);
        };
        let load = || async {
            let redactor = self.shared.redactor().cloned();
            let tokens = Tokens::load(&self.name, &address.url, login, redactor).await;
            tokens.map(Arc::new)
        };
        self.tokens.get_or_try_init(load).await.cloned().map(Some)
    }

    /// Logs in with the browser of the user.
    pub(crate) async fn log_in(&self) -> Result<(), LoginError> {
        let no_server = || LoginError::NoServer {
            server: self.name.clone(),
        };
        if self.config.check(&self.name) != Ok(Transport::Http) {
            return Err(no_server());
        }
        let address = Address::expand(self).map_err(|_| no_server())?;
        let oauth = self.oauth().map_err(|_| no_server())?;
        let tokens = self.tokens(&address).await?;
        let tokens = tokens.ok_or(LoginError::NotConfigured)?;
        Box::pin(tokens.log_in(&oauth)).await
    }

    /// Expands the client of the configuration.
    fn oauth(&self) -> Result<OAuthConfig, ServerError> {
        let mut oauth = self.config.oauth.clone();
        if let Some(id) = &mut oauth.client_id {
            *id = self.expand(id)?;
        }
        if let Some(secret) = &mut oauth.client_secret {
            *secret = Secret::new(self.expand(secret.expose())?);
            self.learn(secret.expose());
        }
        Ok(oauth)
    }
}
