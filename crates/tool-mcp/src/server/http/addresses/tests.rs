use http::Request;

use super::*;

fn addresses() -> Addresses {
    let hosts = ["mcp.example.com", "other.example.com:8443"].map(str::to_owned);
    let origins = [
        "https://app.example.com",
        "http://dev.example.com:3000",
        "https://any.example.com:*",
    ];
    let mut addresses = Addresses::new(&hosts, &origins.map(str::to_owned)).unwrap();
    addresses.allow_loopback_origins();
    addresses
}

fn check(host: Option<&str>, origin: Option<&str>) -> Result<(), Foreign> {
    let mut request = Request::new(());
    for (name, value) in [(HOST, host), (ORIGIN, origin)] {
        if let Some(value) = value {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
    }
    addresses().check(&request.into_parts().0)
}

#[test]
fn hosts_are_matched_by_name_and_port() {
    for (host, expected) in [
        ("localhost", true),
        ("localhost:8080", true),
        ("LOCALHOST:1", true),
        ("127.0.0.1:8080", true),
        ("[::1]:8080", true),
        ("mcp.example.com", true),
        ("MCP.example.com:9", true),
        ("other.example.com:8443", true),
        ("other.example.com", false),
        ("other.example.com:8444", false),
        ("localhost.evil.example", false),
        ("evil.example", false),
        ("evil.example:8080", false),
        ("127.0.0.2", false),
        ("0.0.0.0:8080", false),
        ("[::2]:8080", false),
        ("localhost:99999", false),
        ("localhost/mcp", false),
        ("", false),
        ("user@localhost", false),
    ] {
        let checked = check(Some(host), None);

        assert_eq!(checked.is_ok(), expected, "{host}");
    }
    assert_eq!(check(None, None), Err(Foreign::Host));
}

#[test]
fn origins_are_matched_by_scheme_name_and_port() {
    for (origin, expected) in [
        ("https://app.example.com", true),
        ("https://app.example.com:443", true),
        ("HTTPS://APP.example.com", true),
        ("http://dev.example.com:3000", true),
        ("https://any.example.com:5", true),
        ("https://any.example.com", true),
        ("http://localhost:5173", true),
        ("http://127.0.0.1", true),
        ("http://[::1]:1", true),
        ("http://app.example.com", false),
        ("https://app.example.com:444", false),
        ("http://dev.example.com", false),
        ("http://any.example.com", false),
        ("https://localhost:5173", false),
        ("https://evil.example", false),
        ("https://app.example.com.evil.example", false),
        ("https://app.example.com@evil.example", false),
        ("https://user@app.example.com", false),
        ("null", false),
        ("", false),
        ("app.example.com", false),
        ("://app.example.com", false),
    ] {
        let checked = check(Some("localhost"), Some(origin));

        assert_eq!(checked.is_ok(), expected, "{origin}");
    }
}

#[test]
fn repeated_headers_are_rejected() {
    for (name, value, expected) in [
        (HOST, "localhost", Foreign::Host),
        (ORIGIN, "http://localhost", Foreign::Origin),
    ] {
        let mut request = Request::new(());
        let headers = request.headers_mut();
        headers.insert(HOST, "localhost".parse().unwrap());
        headers.insert(ORIGIN, "http://localhost".parse().unwrap());
        headers.append(name, value.parse().unwrap());

        assert_eq!(addresses().check(&request.into_parts().0), Err(expected));
    }
}

#[test]
fn invalid_entries_are_returned() {
    for (hosts, origins) in [
        (vec!["a b"], vec![]),
        (vec![], vec!["example.com"]),
        (vec![], vec!["https://example.com:1:*"]),
        (vec![], vec!["https://example.com/path"]),
    ] {
        let expected = *hosts.first().or(origins.first()).unwrap();
        let owned = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };

        let error = Addresses::new(&owned(&hosts), &owned(&origins)).unwrap_err();

        assert_eq!(error, expected);
    }
}
