//! Addresses of remote servers.

use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::error::ServerError;
use super::server::Server;
use crate::wire::HttpTarget;

/// Prefix of values whose rest is the secret.
const BEARER: &str = "Bearer ";

/// Expanded address of a server.
#[derive(Clone)]
pub(crate) struct Address {
    url: Url,
    headers: HeaderMap,
    secrets: Vec<String>,
}

impl Address {
    /// Expands the address of a server.
    pub(crate) fn expand(server: &Server) -> Result<Self, ServerError> {
        let failed = |rest: String| ServerError::failed(&server.name, format!(": {rest}"));
        let expand = |template: &str| {
            let expanded = server.shared.variables.expand(template);
            expanded.map_err(|reason| failed(reason.to_string()))
        };
        let invalid =
            |reason: &str| failed(format!("the address in \"url\" is invalid: {reason}."));
        let config = &server.config;
        let text = expand(config.url.as_deref().unwrap_or_default())?;
        let url = Url::parse(&text).map_err(|error| invalid(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid("only http and https are supported"));
        }
        let mut address = Self {
            url,
            headers: HeaderMap::new(),
            secrets: Vec::new(),
        };
        for (header, value) in &config.headers {
            let value = expand(value.expose())?;
            address.add_header(header, &value).ok_or_else(|| {
                failed(format!(
                    "the header \"{header}\" is invalid. Use a value of one line in ASCII."
                ))
            })?;
        }
        Ok(address)
    }

    fn add_header(&mut self, name: &str, value: &str) -> Option<()> {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        let mut header = HeaderValue::from_str(value).ok()?;
        header.set_sensitive(true);
        self.headers.append(name, header);
        let secret = value.strip_prefix(BEARER).unwrap_or(value);
        self.secrets.push(secret.to_owned());
        Some(())
    }

    /// Returns the address without credentials and query, which may hold secrets.
    pub(crate) fn shown(&self) -> String {
        let origin = self.url.origin().ascii_serialization();
        format!("{origin}{}", self.url.path())
    }

    /// Returns host and port for spans.
    pub(crate) fn peer(&self) -> (String, u16) {
        let host = self.url.host_str().unwrap_or_default().to_owned();
        (host, self.url.port_or_known_default().unwrap_or_default())
    }

    /// Returns the values of its headers.
    pub(crate) fn secrets(&self) -> Vec<String> {
        self.secrets.clone()
    }

    #[cfg(feature = "http-client")]
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Returns `true` if the configuration has a token.
    #[cfg(feature = "http-client")]
    pub(crate) fn is_authorized(&self) -> bool {
        self.headers.contains_key(http::header::AUTHORIZATION)
    }

    /// Returns the target of a connection.
    pub(crate) fn target(&self, server: &Server) -> HttpTarget {
        let config = &server.config;
        HttpTarget {
            server: server.name.as_str().into(),
            url: self.url.clone(),
            headers: self.headers.clone(),
            call_headers: server.shared.call_headers.clone(),
            max_message: config.max_message,
            max_parallel: config.max_parallel,
            #[cfg(feature = "http-client")]
            tokens: None,
        }
    }
}
