//! Hosts that tools may reach.

use clap::Args;
use tools_builtin::Kit;

use crate::failure::Failure;

/// Reachable hosts in addition to the public Internet.
#[derive(Debug, Args)]
pub(crate) struct NetworkOptions {
    /// Range of non-public addresses from which pages may be fetched, such as 127.0.0.0/8; may be
    /// repeated.
    #[cfg(feature = "full")]
    #[arg(long, value_name = "CIDR")]
    allow_net: Vec<tools_builtin::web::Network>,
}

impl NetworkOptions {
    /// Applies the options to the tool that fetches pages.
    #[cfg(feature = "full")]
    pub(crate) fn add_to(&self, kit: Kit) -> Result<Kit, Failure> {
        use std::net::{IpAddr, Ipv4Addr};

        let mut guard = tools_builtin::web::AddressGuard::new();
        for network in &self.allow_net {
            guard = guard.allow_range(*network);
            if network.contains(IpAddr::V4(Ipv4Addr::LOCALHOST)) {
                // `localhost`, which many programs print instead of the address.
                guard = guard
                    .allow_host("localhost")
                    .map_err(|error| Failure::input("--allow-net", error))?;
            }
        }
        Ok(kit.with_web(tools_builtin::web::WebFetch::new().with_guard(guard)))
    }

    /// Returns `kit` unchanged, because it has no web tools.
    #[cfg(not(feature = "full"))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "same signature with `full`"
    )]
    pub(crate) fn add_to(&self, kit: Kit) -> Result<Kit, Failure> {
        Ok(kit)
    }
}
