//! Archive of a commit, and the index of the service.

use std::net::SocketAddr;

use reqwest::header::HeaderValue;
use serde::Deserialize;
use tokio::sync::mpsc;
use tool_core::ToolContext;
use tools_builtin::web::AddressGuard;
use url::Url;

use super::{MAX_JSON, MAX_TARBALL, Repository, check, message};
use crate::door::{Deadline, Door, Problem, Request};

const TEXT_MATCH: &str = "application/vnd.github.text-match+json";

impl Repository {
    /// Passes the packed files of a commit to `sink`.
    pub(in crate::github) async fn tarball(
        &self,
        commit: &str,
        sink: mpsc::Sender<Vec<u8>>,
        cx: &ToolContext,
    ) -> Result<(), Problem> {
        let request = self
            .request("tarball", &["tarball", commit])
            .max_bytes(MAX_TARBALL)
            .streamed_to(sink.clone());
        let response = self.send(request, cx).await?;
        if response.status.as_u16() != 302 {
            return check(&response);
        }
        let url = response
            .header("location")
            .and_then(|url| self.base.as_url().join(url).ok());
        let url = url.ok_or(Problem::InvalidResponse)?;
        let door = if self.base.has_origin_of(&url) {
            self.door.clone()
        } else {
            self.checked(&url).await?
        };
        // Links to archives contain their own permission, so the token is not sent.
        let request = Request::checked("archive", url)
            .max_bytes(MAX_TARBALL)
            .streamed_to(sink);
        check(&door.send(&request, Deadline::of(cx)).await?)
    }

    /// Checks the host of an archive, and returns a client that connects to the checked addresses only.
    /// The host of an Enterprise Server may be private.
    async fn checked(&self, url: &Url) -> Result<Door, Problem> {
        let host = url.host_str().filter(|_| url.scheme() == "https");
        let host = host.ok_or(Problem::InvalidResponse)?;
        if Some(host) == self.base.as_url().host_str() {
            return Ok(self.door.clone());
        }
        AddressGuard::new()
            .check(url.as_str())
            .map_err(|_| Problem::InvalidResponse)?;
        let port = url.port_or_known_default().unwrap_or(443);
        let found = tokio::net::lookup_host((host, port)).await;
        let addresses: Vec<SocketAddr> = found.map_err(|_| Problem::Status(502))?.collect();
        self.pinned(host, &addresses)
    }

    /// Returns a client that connects to these addresses of a host. All of them must be public.
    pub(in crate::github) fn pinned(
        &self,
        host: &str,
        addresses: &[SocketAddr],
    ) -> Result<Door, Problem> {
        let guard = AddressGuard::new();
        let is_allowed = |address: &SocketAddr| guard.check_address(host, address.ip()).is_ok();
        if addresses.is_empty() || !addresses.iter().all(is_allowed) {
            return Err(Problem::InvalidResponse);
        }
        let door = self.door.pinned(host, addresses);
        door.map_err(|_| Problem::InvalidResponse)
    }

    /// Returns the paths that the index of the service finds.
    pub(in crate::github) async fn indexed(
        &self,
        text: &str,
        cx: &ToolContext,
    ) -> Result<Vec<String>, Problem> {
        #[derive(Deserialize)]
        struct Found {
            items: Vec<Item>,
        }
        #[derive(Deserialize)]
        struct Item {
            path: String,
        }
        if self.token.is_none() {
            let message = "The repository is too large to search without a token.";
            return Err(Problem::Rejected(message.to_owned()));
        }
        let (owner, name) = (&self.connection.owner, &self.connection.repository);
        let quoted = text.replace(['"', '\\'], " ");
        let request = Request::get("search", &self.base, &["search", "code"])
            .max_bytes(MAX_JSON)
            .query("q", &format!("\"{quoted}\" repo:{owner}/{name}"))
            .query("per_page", "100")
            .header("accept", HeaderValue::from_static(TEXT_MATCH));
        let response = self.send(request, cx).await?;
        if response.status.as_u16() == 422 {
            return Err(Problem::InvalidParameter("query", message(&response)));
        }
        check(&response)?;
        let found: Found = response.json()?;
        Ok(found.items.into_iter().map(|item| item.path).collect())
    }
}
