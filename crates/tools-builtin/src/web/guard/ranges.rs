//! Address ranges that are not public, from the IANA registries.

use std::net::IpAddr;

use super::inner;
use super::network::Network;
use super::refusal::UrlRule::{
    self, Benchmark, Broadcast, Documentation, LinkLocal, Loopback, Metadata, Multicast, Private,
    Reserved, Shared, Unspecified,
};

/// Metadata services of clouds. Some are outside all ranges below.
const METADATA: [Network; 14] = [
    Network::v4([169, 254, 169, 254], 32),
    // Time and DNS of Amazon, containers and pods of Amazon, Scaleway, Tencent.
    Network::v4([169, 254, 169, 123], 32),
    Network::v4([169, 254, 169, 253], 32),
    Network::v4([169, 254, 170, 2], 32),
    Network::v4([169, 254, 170, 23], 32),
    Network::v4([169, 254, 42, 42], 32),
    Network::v4([169, 254, 0, 23], 32),
    // Alibaba, Oracle, Azure.
    Network::v4([100, 100, 100, 200], 32),
    Network::v4([192, 0, 0, 192], 32),
    Network::v4([168, 63, 129, 16], 32),
    // Amazon, Amazon's pods, Google, Scaleway.
    Network::v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128),
    Network::v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23], 128),
    Network::v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128),
    Network::v6([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128),
];

/// Public addresses inside the ranges below.
const PUBLIC: [Network; 8] = [
    // Anycast addresses of PCP, TURN and DNS-SD registration.
    Network::v4([192, 0, 0, 9], 32),
    Network::v4([192, 0, 0, 10], 32),
    Network::v6([0x2001, 1, 0, 0, 0, 0, 0, 1], 128),
    Network::v6([0x2001, 1, 0, 0, 0, 0, 0, 2], 128),
    Network::v6([0x2001, 1, 0, 0, 0, 0, 0, 3], 128),
    // AMT multicast, and AS112 DNS.
    Network::v6([0x2001, 3, 0, 0, 0, 0, 0, 0], 32),
    Network::v6([0x2001, 4, 0x112, 0, 0, 0, 0, 0], 48),
    // ORCHIDv2 identifiers.
    Network::v6([0x2001, 0x20, 0, 0, 0, 0, 0, 0], 28),
];

/// The first range that contains an address decides.
const RANGES: [(Network, UrlRule); 33] = [
    (Network::v4([0, 0, 0, 0], 8), Unspecified),
    (Network::v4([10, 0, 0, 0], 8), Private),
    (Network::v4([100, 64, 0, 0], 10), Shared),
    (Network::v4([127, 0, 0, 0], 8), Loopback),
    (Network::v4([169, 254, 0, 0], 16), LinkLocal),
    (Network::v4([172, 16, 0, 0], 12), Private),
    (Network::v4([192, 0, 0, 0], 24), Reserved),
    (Network::v4([192, 0, 2, 0], 24), Documentation),
    (Network::v4([192, 88, 99, 0], 24), Reserved),
    (Network::v4([192, 168, 0, 0], 16), Private),
    (Network::v4([198, 18, 0, 0], 15), Benchmark),
    (Network::v4([198, 51, 100, 0], 24), Documentation),
    (Network::v4([203, 0, 113, 0], 24), Documentation),
    (Network::v4([224, 0, 0, 0], 4), Multicast),
    (Network::v4([255, 255, 255, 255], 32), Broadcast),
    (Network::v4([240, 0, 0, 0], 4), Reserved),
    (Network::v6([0, 0, 0, 0, 0, 0, 0, 0], 128), Unspecified),
    (Network::v6([0, 0, 0, 0, 0, 0, 0, 1], 128), Loopback),
    (Network::v6([0x0100, 0, 0, 0, 0, 0, 0, 0], 64), Reserved),
    (Network::v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48), Benchmark),
    // IETF protocol assignments.
    (Network::v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), Reserved),
    (
        Network::v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
        Documentation,
    ),
    (Network::v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), Reserved),
    (
        Network::v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
        Documentation,
    ),
    // The former 6bone.
    (Network::v6([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16), Reserved),
    (Network::v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), Private),
    (Network::v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), LinkLocal),
    (Network::v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), Private),
    (Network::v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), Multicast),
    // Only 2000::/3 is allocated.
    (Network::v6([0, 0, 0, 0, 0, 0, 0, 0], 3), Reserved),
    (Network::v6([0x4000, 0, 0, 0, 0, 0, 0, 0], 2), Reserved),
    (Network::v6([0x8000, 0, 0, 0, 0, 0, 0, 0], 2), Reserved),
    (Network::v6([0xc000, 0, 0, 0, 0, 0, 0, 0], 2), Reserved),
];

/// Returns the rule that rejects an address, if any. The application allows the ranges in
/// `widened`.
pub(super) fn refused(address: IpAddr, widened: &[Network]) -> Option<UrlRule> {
    let inner = inner::addresses(address);
    if inner.is_empty() {
        return refused_untranslated(address, widened);
    }
    // The outer address may be allowed too, but never if it is translated to a metadata service.
    let is_widened = widened.iter().any(|range| range.contains(address));
    inner
        .into_iter()
        .filter_map(|inner| refused_untranslated(inner.into(), widened))
        .find(|rule| *rule == Metadata || !is_widened)
}

/// Returns [`Metadata`] for a metadata service, unless `widened` contains its exact address.
pub(super) fn refused_always(address: IpAddr, widened: &[Network]) -> Option<UrlRule> {
    let inner = inner::addresses(address).into_iter().map(IpAddr::V4);
    inner
        .chain([address])
        .any(|address| is_metadata(address, widened))
        .then_some(Metadata)
}

fn refused_untranslated(address: IpAddr, widened: &[Network]) -> Option<UrlRule> {
    if is_metadata(address, widened) {
        return Some(Metadata);
    }
    let mut allowed = widened.iter().chain(&PUBLIC);
    if allowed.any(|range| range.contains(address)) {
        return None;
    }
    let row = RANGES.iter().find(|(range, _)| range.contains(address));
    row.map(|(_, rule)| *rule)
}

fn is_metadata(address: IpAddr, widened: &[Network]) -> bool {
    let is_named = || widened.iter().any(|range| range.is_exactly(address));
    METADATA.iter().any(|range| range.contains(address)) && !is_named()
}

#[cfg(test)]
pub(super) fn is_public(address: IpAddr) -> bool {
    PUBLIC.iter().any(|range| range.contains(address))
}

#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = (Network, UrlRule)> {
    let metadata = METADATA.into_iter().map(|range| (range, Metadata));
    metadata.chain(RANGES)
}
