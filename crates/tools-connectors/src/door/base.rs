//! Base URLs of services.

use std::fmt;

use url::{Host, Url};

use super::SetupError;

/// Base URL of a service. All requests of the service have its origin.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Base(Url);

impl Base {
    /// Parses an `https` URL, or an `http` URL with a loopback address.
    pub(crate) fn parse(url: &str) -> Result<Self, SetupError> {
        let url = Url::parse(url.trim_end_matches('/')).map_err(|_| SetupError::InvalidEndpoint)?;
        let is_plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        let is_allowed = match url.scheme() {
            "https" => url.has_host(),
            "http" => is_loopback(&url),
            _ => false,
        };
        if is_plain && is_allowed {
            Ok(Self(url))
        } else {
            Err(SetupError::InvalidEndpoint)
        }
    }

    /// Returns this URL, or the one with `path` if it has none.
    pub(crate) fn or_path(self, path: &str) -> Result<Self, SetupError> {
        match self.0.path() {
            "/" => Self::parse(&format!("{}{path}", self.0.as_str().trim_end_matches('/'))),
            _ => Ok(self),
        }
    }

    /// Returns the URL of a resource. Each segment is percent-encoded.
    pub(crate) fn url(&self, segments: &[&str]) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// Returns whether `url` has the same scheme, host and port.
    pub(crate) fn has_origin_of(&self, url: &Url) -> bool {
        self.0.origin() == url.origin()
    }

    /// Returns the base URL.
    pub(crate) fn as_url(&self) -> &Url {
        &self.0
    }
}

/// Returns whether the host is a loopback address. Names do not count, because they can resolve to
/// other addresses.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(_)) | None => false,
    }
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Base({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_https_and_loopback_only() {
        for url in [
            "https://api.example.com/v1",
            "https://127.0.0.1:8443",
            "http://127.0.0.1:4002/",
            "http://[::1]:4002",
        ] {
            assert!(Base::parse(url).is_ok(), "{url}");
        }
        for url in [
            "http://example.com",
            "http://localhost:80",
            "http://10.0.0.1",
            "ftp://127.0.0.1",
            "https://user@example.com",
            "https://example.com/?q=1",
            "https://example.com/#a",
            "example.com",
            "",
        ] {
            assert!(Base::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn segments_are_encoded() {
        let base = Base::parse("https://api.example.com/v1/").unwrap();

        let url = base.url(&["a/b", "c#d@e.f", "ä?"]);

        assert_eq!(
            url.as_str(),
            "https://api.example.com/v1/a%2Fb/c%23d@e.f/%C3%A4%3F"
        );
        assert!(base.has_origin_of(&url));
        assert!(!base.has_origin_of(&Url::parse("https://api.example.com:444/v1").unwrap()));
    }
}
