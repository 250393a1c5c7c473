//! Address ranges.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Address range, written as `10.0.0.0/8`, `fd00::/8`, or as one address.
///
/// # Examples
/// ```
/// use tools_builtin::web::Network;
///
/// let network: Network = "192.168.1.0/24".parse()?;
/// assert!(network.contains("192.168.1.77".parse()?));
/// assert!(!network.contains("192.168.2.1".parse()?));
/// assert_eq!(network.to_string(), "192.168.1.0/24");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network(IpNet);

/// Error for an invalid address range.
///
/// # Examples
/// ```
/// use tools_builtin::web::Network;
///
/// let error = "10.0.0.1/40".parse::<Network>().unwrap_err();
/// assert_eq!(error.to_string(), "invalid address range `10.0.0.1/40`; use the form 10.0.0.0/8 or fd00::/8");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid address range `{0}`; use the form 10.0.0.0/8 or fd00::/8")]
pub struct InvalidNetwork(String);

impl Network {
    pub(super) const fn v4(octets: [u8; 4], prefix: u8) -> Self {
        let address = Ipv4Addr::from_octets(octets);
        Self(IpNet::V4(Ipv4Net::new_assert(address, prefix)))
    }

    pub(super) const fn v6(segments: [u16; 8], prefix: u8) -> Self {
        let address = Ipv6Addr::from_segments(segments);
        Self(IpNet::V6(Ipv6Net::new_assert(address, prefix)))
    }

    /// Returns whether the range contains the address. IPv4 and IPv6 ranges are disjoint.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }

    /// Returns whether the range contains only this address.
    pub(super) fn is_exactly(&self, address: IpAddr) -> bool {
        self.0 == IpNet::from(address)
    }
}

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        Self(address.into())
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let range = text.parse::<IpAddr>().map(IpNet::from);
        let range = range.or_else(|_| text.parse::<IpNet>());
        let range = range.map_err(|_| InvalidNetwork(text.to_owned()))?;
        Ok(Self(range.trunc()))
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_addresses_with_same_prefix() {
        for (network, address, is_inside) in [
            ("0.0.0.0/0", "255.255.255.255", true),
            ("0.0.0.0/0", "::1", false),
            ("::/0", "ffff::1", true),
            ("::/0", "127.0.0.1", false),
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("192.168.1.77/24", "192.168.1.1", true),
            ("fc00::/7", "fdff::", true),
            ("fc00::/7", "fe00::", false),
            ("::1/128", "::1", true),
        ] {
            let network: Network = network.parse().unwrap();

            let found = network.contains(address.parse().unwrap());

            assert_eq!(found, is_inside, "{network} {address}");
        }
    }

    #[test]
    fn rejects_invalid_ranges() {
        for text in [
            "",
            "/",
            "10",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0.0/+8",
            "10.0.0.0/-1",
            "::/129",
            "10.0.0.0/8/8",
            "localhost",
            "10.0.0.0/256",
            " 10.0.0.0/8",
        ] {
            let error = text.parse::<Network>().unwrap_err();

            assert_eq!(error, InvalidNetwork(text.to_owned()));
        }
    }
}
