//! Allowed and rejected URLs in all notations.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::{ranges, *};

/// Replaces placeholders for control characters, which a text file cannot contain.
fn with_controls(line: &str) -> String {
    [
        ("<TAB>", "\t"),
        ("<LF>", "\n"),
        ("<CR>", "\r"),
        ("<NUL>", "\0"),
    ]
    .iter()
    .fold(line.to_owned(), |line, (name, control)| {
        line.replace(name, control)
    })
}

#[test]
fn rejects_harmful_urls_with_expected_rule() {
    let guard = AddressGuard::new();
    let mut checked = 0;
    for line in include_str!("tests/harmful.txt").lines() {
        let (rule, url) = line.split_once(' ').unwrap();
        let url = with_controls(url);

        let found = guard.check(&url).err().map(|refusal| refusal.rule().id());

        assert_eq!(found, Some(rule), "{url:?}");
        checked += 1;
    }
    assert!(checked >= 150, "{checked}");
}

#[test]
fn allows_ordinary_urls() {
    let guard = AddressGuard::new();
    let urls: Vec<&str> = include_str!("tests/public.txt").lines().collect();
    for url in &urls {
        assert_eq!(guard.check(url), Ok(()), "{url:?}");
    }
    assert!(urls.len() >= 60, "{}", urls.len());
}

#[test]
fn rejects_long_urls() {
    let guard = AddressGuard::new();
    let url = |length: usize| format!("https://example.com/{}", "a".repeat(length));

    assert!(guard.check(&url(16_000)).is_ok());
    assert_eq!(
        guard.check(&url(17_000)).unwrap_err().rule(),
        UrlRule::Invalid
    );
}

#[test]
fn allows_only_configured_exceptions() {
    let guard = AddressGuard::new()
        .allow_host("LOCALHOST")
        .and_then(|guard| guard.allow_host("wiki.internal."))
        .and_then(|guard| guard.allow_host("10.0.0.7"))
        .and_then(|guard| guard.allow_host("fd00::7"))
        .unwrap()
        .allow_range("192.168.1.0/24".parse().unwrap());
    for (url, is_allowed) in [
        ("http://localhost/", true),
        ("http://localhost.:8080/", true),
        ("http://a.localhost/", false),
        ("http://wiki.internal/", true),
        ("http://secret.wiki.internal/", false),
        ("http://other.internal/", false),
        ("http://10.0.0.7/", true),
        ("http://[::ffff:10.0.0.7]/", true),
        ("http://10.0.0.8/", false),
        ("http://[fd00::7]/", true),
        ("http://[fd00::8]/", false),
        ("http://192.168.1.99:8080/", true),
        ("http://192.168.1.99:6665/", false),
        ("http://192.168.2.1/", false),
        ("http://user@localhost/", false),
        ("ftp://localhost/", false),
        ("http://127.0.0.1/", false),
    ] {
        assert_eq!(guard.check(url).is_ok(), is_allowed, "{url}");
    }
}

#[test]
fn metadata_service_requires_exact_address() {
    let metadata: IpAddr = Ipv4Addr::new(169, 254, 169, 254).into();
    let url = "http://169.254.169.254/";
    let by_range = AddressGuard::new().allow_range("0.0.0.0/0".parse().unwrap());
    let by_name = AddressGuard::new().allow_host("meta.internal").unwrap();
    let by_address = AddressGuard::new().allow_host("169.254.169.254").unwrap();

    assert_eq!(by_range.check(url).unwrap_err().rule(), UrlRule::Metadata);
    assert!(by_range.check("http://169.254.1.1/").is_ok());
    assert!(by_name.check_address("meta.internal", metadata).is_err());
    assert!(
        by_name
            .check_address("meta.internal", Ipv4Addr::LOCALHOST.into())
            .is_ok()
    );
    assert!(by_address.check(url).is_ok());
    assert!(by_address.check("http://169.254.1.1/").is_err());
    let inside = "http://[64:ff9b::a9fe:a9fe]/";
    let translated = AddressGuard::new().allow_range("64:ff9b::/96".parse().unwrap());
    assert_eq!(
        translated.check(inside).unwrap_err().rule(),
        UrlRule::Metadata
    );
    assert!(translated.check("http://[64:ff9b::a00:1]/").is_ok());
}

#[test]
fn resolved_addresses_are_checked_and_not_revealed() {
    let guard = AddressGuard::new();
    for (address, is_public) in [
        ("93.184.216.34", true),
        ("2606:2800:220:1::1", true),
        ("64:ff9b::5db8:d822", true),
        ("127.0.0.1", false),
        ("10.0.0.1", false),
        ("::ffff:10.0.0.1", false),
        ("fd00::1", false),
        ("64:ff9b::a00:1", false),
    ] {
        let checked = guard.check_address("example.com", address.parse().unwrap());

        assert_eq!(checked.is_ok(), is_public, "{address}");
        assert!(
            checked.err().is_none_or(|refusal| refusal.is_by_name()),
            "{address}"
        );
    }
}

#[test]
fn allow_host_rejects_invalid_hosts() {
    for host in ["", ".", "a b", "http://a", "a/b", "a:80", "[::1", "a@b"] {
        assert!(AddressGuard::new().allow_host(host).is_err(), "{host:?}");
    }
}

/// Returns all notations of an IPv4 address.
fn notations(address: Ipv4Addr) -> Vec<String> {
    let bits = address.to_bits();
    let [a, b, c, d] = address.octets();
    let (low_16, low_24) = (bits & 0xffff, bits & 0xff_ffff);
    let decimal = address.to_string();
    let full_width: String = decimal.chars().map(wide).collect();
    let escaped: Vec<String> = decimal.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let (high, low) = (bits >> 16, low_16);
    vec![
        decimal.clone(),
        format!("{decimal}."),
        decimal.replace('.', "。"),
        decimal.replace('.', "%2e"),
        full_width,
        escaped.concat(),
        format!("{bits}"),
        format!("0x{bits:x}"),
        format!("0{bits:o}"),
        format!("{a}.{low_24}"),
        format!("{a}.{b}.{low_16}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("0x{a:x}.0X{b:X}.{c}.0{d:o}"),
        format!("[::ffff:{decimal}]"),
        format!("[::{high:x}:{low:x}]"),
        format!("[::ffff:0:{decimal}]"),
        format!("[64:ff9b::{decimal}]"),
        format!("[64:ff9b:1::{decimal}]"),
        format!("[2002:{high:x}:{low:x}::1]"),
        format!("[2001:0:808:808::{:x}:{:x}]", !high & 0xffff, !low & 0xffff),
        format!("[2001:0:{high:x}:{low:x}::f7f7:f7f7]"),
        format!("[2a00:1450::5efe:{decimal}]"),
    ]
}

fn wide(letter: char) -> char {
    match letter {
        '0'..='9' => char::from_u32(u32::from(letter) - 0x30 + 0xff10).unwrap(),
        _ => '．',
    }
}

fn in_range(range: usize, random: u128) -> IpAddr {
    let (network, _) = ranges::all().nth(range).unwrap();
    let text = network.to_string();
    let (first, prefix) = text.split_once('/').unwrap();
    let prefix: u32 = prefix.parse().unwrap();
    match first.parse().unwrap() {
        IpAddr::V4(first) => {
            let rest = u32::try_from(random & u128::from(u32::MAX)).unwrap();
            let mask = u32::MAX.checked_shr(prefix).unwrap_or(0);
            Ipv4Addr::from_bits(first.to_bits() | (rest & mask)).into()
        }
        IpAddr::V6(first) => {
            let mask = u128::MAX.checked_shr(prefix).unwrap_or(0);
            Ipv6Addr::from_bits(first.to_bits() | (random & mask)).into()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_notation_bypasses_rejection(range in 0..ranges::all().count(), random: u128) {
        let address = in_range(range, random);
        let guard = AddressGuard::new();
        // Translated addresses are checked by the embedded address, which may be public.
        prop_assume!(ranges::addresses(address).is_empty());
        prop_assume!(!ranges::is_public(address));

        let written = match address {
            IpAddr::V4(address) => notations(address),
            IpAddr::V6(address) => {
                let parts = address.segments().map(|part| format!("{part:X}"));
                vec![format!("[{address}]"), format!("[{}]", parts.join(":"))]
            }
        };

        for host in written {
            let url = format!("http://{host}/");
            prop_assert!(guard.check(&url).is_err(), "{url}");
        }
        prop_assert!(guard.check_address("example.com", address).is_err());
    }

    #[test]
    fn guard_does_not_panic_and_allows_only_public_addresses(text in "(https?:[/\\\\]{0,3})?[0-9a-fx.:@%\\[\\]#?/\\\\。①-⑨]{0,40}") {
        if let Ok(url) = AddressGuard::new().admit(&text) {
            prop_assert!(matches!(url.scheme(), "http" | "https"));
            prop_assert!(url.username().is_empty());
            match url.host() {
                Some(url::Host::Ipv4(address)) => prop_assert!(!address.is_loopback() && !address.is_private()),
                Some(url::Host::Ipv6(address)) => prop_assert!(!address.is_loopback()),
                Some(url::Host::Domain(name)) => prop_assert!(name.contains('.')),
                None => prop_assert!(false),
            }
        }
    }
}

#[test]
fn name_is_checked_by_all_addresses() {
    let guard = AddressGuard::new().allow_host("wiki.example.com").unwrap();
    let answers = |texts: &'static [&'static str]| {
        move |_: &str| -> Vec<IpAddr> { texts.iter().map(|text| text.parse().unwrap()).collect() }
    };
    for (url, resolved, refused) in [
        ("https://example.com/", &["93.184.216.34"][..], None),
        (
            "https://example.com/",
            &["93.184.216.34", "10.0.0.1"],
            Some("private_address"),
        ),
        (
            "https://example.com/",
            &["::ffff:127.0.0.1"],
            Some("loopback_address"),
        ),
        (
            "https://EXAMPLE.com./",
            &["169.254.169.254"],
            Some("metadata_address"),
        ),
        ("https://wiki.example.com/", &["10.0.0.1"], None),
        ("http://93.184.216.34/", &["10.0.0.1"], None),
        ("http://localhost/", &[], Some("special_use_name")),
    ] {
        let checked = guard.check_resolved(url, answers(resolved));

        let rule = checked.err().map(|refusal| refusal.rule().id());
        assert_eq!(rule, refused, "{url} {resolved:?}");
    }
}

#[test]
fn error_names_rule_without_url() {
    let refusal = AddressGuard::new()
        .check("http://10.0.0.1/secret")
        .unwrap_err();

    assert_eq!(
        refusal.to_string(),
        "the URL refers to an address of a private network (private_address)"
    );
}

#[test]
fn name_is_resolved_in_lowercase_without_dot() {
    let mut asked = Vec::new();

    let checked = AddressGuard::new().check_resolved("https://EXAMPLE.com./a", |name| {
        asked.push(name.to_owned());
        Vec::new()
    });

    assert!(checked.is_ok());
    assert_eq!(asked, ["example.com"]);
}

#[test]
fn list_is_sorted_for_binary_search() {
    assert!(BLOCKED_PORTS.is_sorted());
}

#[test]
fn allows_ports_of_web_servers() {
    let rule = |port: u16| {
        let url = format!("http://example.com:{port}/");
        let refusal = AddressGuard::new().check(&url).err();
        refusal.map(|refusal| refusal.rule())
    };
    for port in [80, 443, 3000, 5000, 8000, 8080, 8443, 8888, 9000, 65535] {
        assert_eq!(rule(port), None, "{port}");
    }
    for port in [0, 22, 25, 6000, 10080] {
        assert_eq!(rule(port), Some(UrlRule::Port), "{port}");
    }
}
