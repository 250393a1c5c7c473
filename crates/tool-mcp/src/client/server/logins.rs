//! Logins at a remote server.

use std::sync::Arc;

use tool_core::Secret;

use super::Server;
use crate::client::address::Address;
use crate::client::error::ServerError;
use crate::config::{OAuthConfig, Transport};
use crate::login::LoginError;
use crate::wire::Tokens;

impl Server {
    /// Returns the credentials, or `None` if logins are not configured.
    pub(crate) async fn tokens(
        &self,
        address: &Address,
    ) -> Result<Option<Arc<Tokens>>, LoginError> {
        let Some(login) = self
            .shared
            .login
            .as_ref()
            .filter(|_| !address.is_authorized())
        else {
            return Ok(None);
        };
        let load = || async {
            let redactor = self.shared.redactor.clone();
            let tokens = Tokens::load(&self.name, address.url(), login, redactor).await;
            tokens.map(Arc::new)
        };
        self.tokens.get_or_try_init(load).await.cloned().map(Some)
    }

    /// Logs in with the browser of the user.
    pub(crate) async fn log_in(&self) -> Result<(), LoginError> {
        let no_server = |_: ServerError| LoginError::NoServer {
            server: self.name.clone(),
        };
        let transport = self.config.check(&self.name);
        if transport.map_err(|error| no_server(error.into()))? != Transport::Http {
            return Err(LoginError::NoServer {
                server: self.name.clone(),
            });
        }
        let address = Address::expand(self).map_err(no_server)?;
        let oauth = self.oauth().map_err(no_server)?;
        let tokens = self.tokens(&address).await?;
        let tokens = tokens.ok_or(LoginError::NotConfigured)?;
        Box::pin(tokens.log_in(&oauth)).await
    }

    /// Expands the client of the configuration.
    fn oauth(&self) -> Result<OAuthConfig, ServerError> {
        let expand = |text: &String| {
            let failed = |reason| ServerError::failed(&self.name, format!(": {reason}"));
            self.shared.variables.expand(text).map_err(failed)
        };
        let mut oauth = self.config.oauth.clone();
        oauth.client_id = oauth.client_id.as_ref().map(expand).transpose()?;
        let secret = oauth.client_secret.as_ref().map(Secret::expose);
        let secret = secret.map(expand).transpose()?;
        if let (Some(redactor), Some(secret)) = (&self.shared.redactor, &secret) {
            // Short values would match ordinary text.
            let _ = redactor.learn(&secret.clone().into());
        }
        oauth.client_secret = secret.map(Secret::new);
        Ok(oauth)
    }
}
