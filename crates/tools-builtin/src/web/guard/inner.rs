//! IPv4 addresses embedded in IPv6 addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns the embedded IPv4 addresses under every translation that a router may apply.
pub(super) fn addresses(address: IpAddr) -> Vec<Ipv4Addr> {
    let IpAddr::V6(address) = address else {
        return Vec::new();
    };
    let mut inner = by_prefix(address);
    // ISATAP marks the second half of an address with any prefix.
    if let [.., 0 | 0x200, 0x5efe, high, low] = address.segments() {
        inner.push(joined(high, low));
    }
    inner
}

fn by_prefix(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    match address.segments() {
        // The unspecified and the loopback address are not translations.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Vec::new(),
        // IPv4-compatible, IPv4-mapped, IPv4-translated, and the well-known prefix of NAT64.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => vec![joined(high, low)],
        [0x64, 0xff9b, 1, ..] => in_local_nat64(address),
        // Teredo: the server, and the client with all bits inverted.
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            vec![joined(server_high, server_low), joined(!high, !low)]
        }
        _ => Vec::new(),
    }
}

/// Decodes the local-use NAT64 prefix of 48, 56, 64 or 96 bits. Byte 8 is always skipped.
fn in_local_nat64(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let [.., b6, b7, _, b9, b10, b11, b12, b13, b14, b15] = address.octets();
    let after_96 = [b12, b13, b14, b15];
    if [b6, b7, b9, b10, b11] == [0; 5] {
        return vec![Ipv4Addr::from(after_96)];
    }
    let after_48 = [b6, b7, b9, b10];
    let after_56 = [b7, b9, b10, b11];
    let after_64 = [b9, b10, b11, b12];
    // The address doesn't say which length its network uses, so all of them are checked.
    [after_48, after_56, after_64, after_96]
        .map(Ipv4Addr::from)
        .to_vec()
}

fn joined(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_every_translation() {
        for (address, inner) in [
            ("127.0.0.1", vec![]),
            ("::", vec![]),
            ("::1", vec![]),
            ("2606:4700::1111", vec![]),
            ("::7f00:1", vec!["127.0.0.1"]),
            ("::ffff:127.0.0.1", vec!["127.0.0.1"]),
            ("::ffff:0:127.0.0.1", vec!["127.0.0.1"]),
            ("64:ff9b::127.0.0.1", vec!["127.0.0.1"]),
            ("2002:7f00:1::", vec!["127.0.0.1"]),
            ("2001:0:808:808::80ff:fffe", vec!["8.8.8.8", "127.0.0.1"]),
            ("2606:4700::5efe:a00:1", vec!["10.0.0.1"]),
            ("2002:808:808::5efe:a00:1", vec!["8.8.8.8", "10.0.0.1"]),
            ("64:ff9b:1::a00:1", vec!["10.0.0.1"]),
            (
                "64:ff9b:1:a00:0:100::",
                vec!["10.0.0.1", "0.0.1.0", "0.1.0.0", "0.0.0.0"],
            ),
        ] {
            let found: Vec<String> = addresses(address.parse().unwrap())
                .iter()
                .map(Ipv4Addr::to_string)
                .collect();

            assert_eq!(found, inner, "{address}");
        }
    }
}
