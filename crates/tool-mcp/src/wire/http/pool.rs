//! Pooled connections to remote servers.

use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use url::{Host, Url};

/// Time limit of a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Time after which an idle connection is closed. Servers close theirs after 5 s or later, and a request that is sent at
/// this moment is lost.
const IDLE_LIMIT: Duration = Duration::from_secs(4);

/// Maximum number of redirects within the server.
const MAX_REDIRECTS: usize = 5;

/// Client with pooled connections, shared by all servers.
#[derive(Clone, Debug)]
pub(crate) struct HttpPool {
    client: reqwest::Client,
    /// Client without a proxy, for servers of this machine.
    local: reqwest::Client,
}

impl HttpPool {
    /// Creates a client.
    ///
    /// # Errors
    /// Returns the reason if TLS cannot be initialized.
    pub(crate) fn new() -> Result<Self, String> {
        let builder = || {
            reqwest::Client::builder()
                .redirect(Policy::custom(redirect))
                .connect_timeout(CONNECT_LIMIT)
                .pool_idle_timeout(IDLE_LIMIT)
                .tcp_nodelay(true)
                .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")))
        };
        let build = |builder: reqwest::ClientBuilder| {
            let client = builder.build();
            client.map_err(|error| error.to_string())
        };
        Ok(Self {
            client: build(builder())?,
            local: build(builder().no_proxy())?,
        })
    }

    pub(super) fn client(&self, url: &Url) -> reqwest::Client {
        if is_local(url) {
            self.local.clone()
        } else {
            self.client.clone()
        }
    }
}

/// Returns `true` for servers of this machine.
fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Follows redirects that keep the method, to the same origin only: headers may hold secrets.
fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let first = attempt.previous().first();
    let keeps_origin = first.is_some_and(|first| first.origin() == attempt.url().origin());
    let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
    if keeps_origin && keeps_method && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_this_machine_use_no_proxy() {
        for (url, expected) in [
            ("http://localhost:8080/mcp", true),
            ("http://mcp.localhost/mcp", true),
            ("http://127.0.0.1:1/", true),
            ("http://127.9.9.9/", true),
            ("http://[::1]/", true),
            ("http://10.0.0.1/", false),
            ("https://localhost.example.com/", false),
            ("https://notlocalhost/", false),
        ] {
            assert_eq!(is_local(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
