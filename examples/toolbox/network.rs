//! Which hosts the tools may reach.

use std::net::{IpAddr, Ipv4Addr};

use clap::Args;
use tools_builtin::web::{AddressGuard, Network, WebFetch};

use crate::failure::Failure;

/// Which hosts the tools may reach beside the public Internet.
#[derive(Debug, Args)]
pub(crate) struct NetworkOptions {
    /// A range of addresses that pages may be fetched from though they are not public, such as 127.0.0.0/8; may be given more
    /// than once.
    #[arg(long, value_name = "CIDR")]
    allow_net: Vec<Network>,
}

impl NetworkOptions {
    /// The engine that fetches pages.
    pub(crate) fn web_fetch(&self) -> Result<WebFetch, Failure> {
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let mut guard = AddressGuard::new();
        for network in &self.allow_net {
            guard = guard.allow_range(*network);
            if network.contains(here) {
                // Its own name for this computer, which many programs print.
                guard = guard
                    .allow_host("localhost")
                    .map_err(|error| Failure::input("--allow-net", error))?;
            }
        }
        Ok(WebFetch::new().with_guard(guard))
    }
}
