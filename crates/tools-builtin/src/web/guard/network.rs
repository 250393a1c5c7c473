//! Address ranges.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

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
pub struct Network {
    /// First address, without the bits after the prefix.
    address: IpAddr,
    prefix: u8,
}

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
        let address = IpAddr::V4(Ipv4Addr::from_octets(octets));
        Self { address, prefix }
    }

    pub(super) const fn v6(segments: [u16; 8], prefix: u8) -> Self {
        let address = IpAddr::V6(Ipv6Addr::from_segments(segments));
        Self { address, prefix }
    }

    /// Returns whether the range contains the address. IPv4 and IPv6 ranges are disjoint.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4()
            && without_rest(address, self.prefix) == self.address
    }

    /// Returns whether the range contains only this address.
    pub(super) fn is_exactly(&self, address: IpAddr) -> bool {
        self.prefix == bits(address) && self.contains(address)
    }
}

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        let prefix = bits(address);
        Self { address, prefix }
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        parse(text).ok_or_else(|| InvalidNetwork(text.to_owned()))
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

fn parse(text: &str) -> Option<Network> {
    let Some((address, prefix)) = text.split_once('/') else {
        return text.parse::<IpAddr>().ok().map(Network::from);
    };
    let address: IpAddr = address.parse().ok()?;
    // `parse` alone would accept `+8`.
    if !prefix.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let prefix: u8 = prefix.parse().ok()?;
    let is_possible = prefix <= bits(address);
    let address = without_rest(address, prefix);
    is_possible.then_some(Network { address, prefix })
}

fn bits(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn without_rest(address: IpAddr, prefix: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let rest = 32_u32.saturating_sub(prefix.into());
            // Prefix 0: a shift by the full width overflows.
            let mask = u32::MAX.checked_shl(rest).unwrap_or(0);
            Ipv4Addr::from_bits(address.to_bits() & mask).into()
        }
        IpAddr::V6(address) => {
            let rest = 128_u32.saturating_sub(prefix.into());
            let mask = u128::MAX.checked_shl(rest).unwrap_or(0);
            Ipv6Addr::from_bits(address.to_bits() & mask).into()
        }
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
