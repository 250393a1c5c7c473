//! Allowed values of the headers `Host` and `Origin`, against DNS rebinding.

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue};

/// Names of this machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Allowed hosts and origins.
#[derive(Debug, Clone, Default)]
pub(super) struct Addresses {
    hosts: Vec<Pattern>,
    origins: Vec<(String, Pattern)>,
}

/// Host with a port, or with any port.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    host: String,
    port: Option<u16>,
}

/// Reason for a rejected request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    /// The host is missing, invalid or not allowed.
    Host,
    /// The origin is invalid or not allowed.
    Origin,
}

impl Addresses {
    /// Creates addresses with the loopback names as hosts. Returns the first invalid entry as an error.
    pub(super) fn new(hosts: &[String], origins: &[String]) -> Result<Self, String> {
        let mut allowed = Self::default();
        for host in LOOPBACK
            .iter()
            .copied()
            .chain(hosts.iter().map(String::as_str))
        {
            let authority: Authority = host.parse().map_err(|_| host.to_owned())?;
            allowed.hosts.push(Pattern::of(&authority, None));
        }
        for origin in origins {
            let pattern = origin_pattern(origin).ok_or_else(|| origin.clone())?;
            allowed.origins.push(pattern);
        }
        Ok(allowed)
    }

    /// Allows the origins of this machine.
    pub(super) fn allow_loopback_origins(&mut self) {
        for host in LOOPBACK {
            let pattern = Pattern {
                host: host.to_owned(),
                port: None,
            };
            self.origins.push(("http".to_owned(), pattern));
        }
    }

    /// Allows an address on which the server listens.
    pub(super) fn allow_host(&mut self, host: &str) {
        if let Ok(authority) = host.parse() {
            self.hosts.push(Pattern::of(&authority, None));
        }
    }

    /// Checks a request.
    pub(super) fn check(&self, request: &Parts) -> Result<(), Foreign> {
        let authority = match single(&request.headers, &HOST).map_err(|()| Foreign::Host)? {
            Some(host) => parse::<Authority>(host).ok_or(Foreign::Host)?,
            None => request.uri.authority().cloned().ok_or(Foreign::Host)?,
        };
        if !self.hosts.iter().any(|host| host.matches(&authority, None)) {
            return Err(Foreign::Host);
        }
        let Some(origin) = single(&request.headers, &ORIGIN).map_err(|()| Foreign::Origin)? else {
            return Ok(());
        };
        let origin = origin.to_str().map_err(|_| Foreign::Origin)?;
        let (scheme, authority) = split_origin(origin).ok_or(Foreign::Origin)?;
        let is_allowed = self.origins.iter().any(|(known, host)| {
            *known == scheme && host.matches(&authority, default_port(&scheme))
        });
        is_allowed.then_some(()).ok_or(Foreign::Origin)
    }
}

impl Pattern {
    fn of(authority: &Authority, default: Option<u16>) -> Self {
        Self {
            host: authority.host().to_ascii_lowercase(),
            port: authority.port_u16().or(default),
        }
    }

    fn matches(&self, authority: &Authority, default: Option<u16>) -> bool {
        let is_port = self.port.is_none() || self.port == authority.port_u16().or(default);
        let rest = authority.as_str().strip_prefix(authority.host());
        // Credentials and invalid ports are not accepted.
        let is_plain = rest.is_some_and(|rest| rest.is_empty() || authority.port_u16().is_some());
        is_port && is_plain && self.host.eq_ignore_ascii_case(authority.host())
    }
}

/// Returns the value of a header that must not be repeated.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h HeaderValue>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    values.next().is_none().then_some(first).ok_or(())
}

fn parse<T: std::str::FromStr>(value: &HeaderValue) -> Option<T> {
    value.to_str().ok()?.parse().ok()
}

/// Parses an allowed origin, in which `:*` stands for any port.
fn origin_pattern(text: &str) -> Option<(String, Pattern)> {
    if let Some(base) = text.strip_suffix(":*") {
        let (scheme, authority) = split_origin(base)?;
        let is_without_port = authority.port().is_none();
        return is_without_port.then(|| (scheme, Pattern::of(&authority, None)));
    }
    let (scheme, authority) = split_origin(text)?;
    let default = default_port(&scheme);
    Some((scheme, Pattern::of(&authority, default)))
}

/// Splits an origin. Opaque origins such as `null` are invalid.
fn split_origin(text: &str) -> Option<(String, Authority)> {
    let (scheme, authority) = text.split_once("://")?;
    let authority: Authority = authority.parse().ok()?;
    (!scheme.is_empty()).then(|| (scheme.to_ascii_lowercase(), authority))
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
