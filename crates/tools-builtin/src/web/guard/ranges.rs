//! Address ranges that are not public, from the IANA registries, and IPv4 addresses embedded in IPv6
//! addresses, which would otherwise bypass them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use super::refusal::UrlRule::{
    self, Benchmark, Broadcast, Documentation, LinkLocal, Loopback, Metadata, Multicast, Private,
    Reserved, Shared, Unspecified,
};

const fn v4(octets: [u8; 4], prefix: u8) -> IpNet {
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::from_octets(octets), prefix))
}

const fn v6(segments: [u16; 8], prefix: u8) -> IpNet {
    IpNet::V6(Ipv6Net::new_assert(
        Ipv6Addr::from_segments(segments),
        prefix,
    ))
}

/// Metadata services of clouds. Some are outside all ranges below.
const METADATA: [IpNet; 14] = [
    v4([169, 254, 169, 254], 32),
    // Time and DNS of Amazon, containers and pods of Amazon, Scaleway, Tencent.
    v4([169, 254, 169, 123], 32),
    v4([169, 254, 169, 253], 32),
    v4([169, 254, 170, 2], 32),
    v4([169, 254, 170, 23], 32),
    v4([169, 254, 42, 42], 32),
    v4([169, 254, 0, 23], 32),
    // Alibaba, Oracle, Azure.
    v4([100, 100, 100, 200], 32),
    v4([192, 0, 0, 192], 32),
    v4([168, 63, 129, 16], 32),
    // Amazon, Amazon's pods, Google, Scaleway.
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128),
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23], 128),
    v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128),
    v6([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128),
];

/// Public addresses inside the ranges below.
const PUBLIC: [IpNet; 8] = [
    // Anycast addresses of PCP, TURN and DNS-SD registration.
    v4([192, 0, 0, 9], 32),
    v4([192, 0, 0, 10], 32),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 1], 128),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 2], 128),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 3], 128),
    // AMT multicast, and AS112 DNS.
    v6([0x2001, 3, 0, 0, 0, 0, 0, 0], 32),
    v6([0x2001, 4, 0x112, 0, 0, 0, 0, 0], 48),
    // ORCHIDv2 identifiers.
    v6([0x2001, 0x20, 0, 0, 0, 0, 0, 0], 28),
];

/// The first range that contains an address decides.
const RANGES: [(IpNet, UrlRule); 33] = [
    (v4([0, 0, 0, 0], 8), Unspecified),
    (v4([10, 0, 0, 0], 8), Private),
    (v4([100, 64, 0, 0], 10), Shared),
    (v4([127, 0, 0, 0], 8), Loopback),
    (v4([169, 254, 0, 0], 16), LinkLocal),
    (v4([172, 16, 0, 0], 12), Private),
    (v4([192, 0, 0, 0], 24), Reserved),
    (v4([192, 0, 2, 0], 24), Documentation),
    (v4([192, 88, 99, 0], 24), Reserved),
    (v4([192, 168, 0, 0], 16), Private),
    (v4([198, 18, 0, 0], 15), Benchmark),
    (v4([198, 51, 100, 0], 24), Documentation),
    (v4([203, 0, 113, 0], 24), Documentation),
    (v4([224, 0, 0, 0], 4), Multicast),
    (v4([255, 255, 255, 255], 32), Broadcast),
    (v4([240, 0, 0, 0], 4), Reserved),
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 128), Unspecified),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), Loopback),
    (v6([0x0100, 0, 0, 0, 0, 0, 0, 0], 64), Reserved),
    (v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48), Benchmark),
    // IETF protocol assignments.
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), Reserved),
    (v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), Documentation),
    (v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), Reserved),
    (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), Documentation),
    // The former 6bone.
    (v6([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16), Reserved),
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), Private),
    (v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), LinkLocal),
    (v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), Private),
    (v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), Multicast),
    // Only 2000::/3 is allocated.
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 3), Reserved),
    (v6([0x4000, 0, 0, 0, 0, 0, 0, 0], 2), Reserved),
    (v6([0x8000, 0, 0, 0, 0, 0, 0, 0], 2), Reserved),
    (v6([0xc000, 0, 0, 0, 0, 0, 0, 0], 2), Reserved),
];

/// Returns the rule that rejects an address, if any. The application allows the ranges in
/// `widened`.
pub(super) fn refused(address: IpAddr, widened: &[IpNet]) -> Option<UrlRule> {
    let inner = addresses(address);
    if inner.is_empty() {
        return refused_untranslated(address, widened);
    }
    // The outer address may be allowed too, but never if it is translated to a metadata service.
    let is_widened = widened.iter().any(|range| range.contains(&address));
    inner
        .into_iter()
        .filter_map(|inner| refused_untranslated(inner.into(), widened))
        .find(|rule| *rule == Metadata || !is_widened)
}

/// Returns [`Metadata`] for a metadata service, unless `widened` contains its exact address.
pub(super) fn refused_always(address: IpAddr, widened: &[IpNet]) -> Option<UrlRule> {
    let inner = addresses(address).into_iter().map(IpAddr::V4);
    inner
        .chain([address])
        .any(|address| is_metadata(address, widened))
        .then_some(Metadata)
}

fn refused_untranslated(address: IpAddr, widened: &[IpNet]) -> Option<UrlRule> {
    if is_metadata(address, widened) {
        return Some(Metadata);
    }
    let mut allowed = widened.iter().chain(&PUBLIC);
    if allowed.any(|range| range.contains(&address)) {
        return None;
    }
    let row = RANGES.iter().find(|(range, _)| range.contains(&address));
    row.map(|(_, rule)| *rule)
}

fn is_metadata(address: IpAddr, widened: &[IpNet]) -> bool {
    let is_named = || widened.iter().any(|range| *range == IpNet::from(address));
    METADATA.iter().any(|range| range.contains(&address)) && !is_named()
}

#[cfg(test)]
pub(super) fn is_public(address: IpAddr) -> bool {
    PUBLIC.iter().any(|range| range.contains(&address))
}

#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = (IpNet, UrlRule)> {
    let metadata = METADATA.into_iter().map(|range| (range, Metadata));
    metadata.chain(RANGES)
}

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
