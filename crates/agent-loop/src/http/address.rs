//! URLs of a provider's endpoint.

use std::net::IpAddr;

use provider_adapters::Endpoint;
use reqwest::Url;

/// URLs of one model.
#[derive(Clone)]
pub(super) struct Address {
    complete: Url,
    streamed: Url,
}

impl Address {
    /// Returns the URLs of `model` under a base URL, or `None` if the base URL is invalid.
    pub(super) fn parse(endpoint: &Endpoint, model: &str, base_url: &str) -> Option<Self> {
        let mut base = Url::parse(base_url.trim()).ok()?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return None;
        }
        // A fragment is not sent, but `Url` would keep it after the path.
        base.set_fragment(None);
        let last = base.path_segments()?.rfind(|segment| !segment.is_empty());
        let has_version = endpoint.version.is_some() && last == endpoint.version;
        let mut path = base.path_segments_mut().ok()?;
        path.pop_if_empty();
        path.extend(endpoint.version.filter(|_| !has_version));
        drop(path);
        let streamed = endpoint.stream_path.unwrap_or(endpoint.path);
        Some(Self {
            complete: extended(&base, endpoint.path, model)?,
            streamed: extended(&base, streamed, model)?,
        })
    }

    /// Returns the URL for a complete or a streamed response.
    pub(super) fn url(&self, streams: bool) -> Url {
        if streams {
            self.streamed.clone()
        } else {
            self.complete.clone()
        }
    }

    /// Returns scheme, host and port. The other parts may contain secrets.
    pub(super) fn origin(&self) -> String {
        self.complete.origin().ascii_serialization()
    }

    /// Returns host and port.
    pub(super) fn server(&self) -> Option<(&str, u16)> {
        let host = self.complete.host_str()?;
        Some((host, self.complete.port_or_known_default()?))
    }

    /// Returns whether the connection uses TLS.
    pub(super) fn is_encrypted(&self) -> bool {
        self.complete.scheme() == "https"
    }

    /// Returns whether the server is on this machine.
    pub(super) fn is_local(&self) -> bool {
        let host = self.complete.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || address
                .parse::<IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }
}

/// Appends a path with `{model}` placeholders and an optional query.
fn extended(base: &Url, template: &str, model: &str) -> Option<Url> {
    let mut url = base.clone();
    let (path, query) = template.split_once('?').unwrap_or((template, ""));
    // Model names may repeat the segment before the placeholder: `models/some-model`.
    let prefix = path.split_once("{model}").map(|(before, _)| before);
    let model = prefix
        .filter(|prefix| !prefix.is_empty())
        .and_then(|prefix| model.strip_prefix(prefix))
        .unwrap_or(model);
    url.path_segments_mut().ok()?.extend(
        path.split('/')
            .map(|segment| segment.replace("{model}", model)),
    );
    if let Some((key, value)) = query.split_once('=') {
        url.query_pairs_mut().append_pair(key, value);
    }
    Some(url)
}

#[cfg(test)]
mod tests {
    use provider_adapters::Provider;

    use super::*;

    #[test]
    fn appends_path_to_base_url_with_or_without_version() {
        for (provider, base, endpoint) in [
            (
                Provider::OpenAi,
                "http://h:1/v1",
                "http://h:1/v1/chat/completions",
            ),
            (
                Provider::OpenAi,
                "http://h:1/v1/",
                "http://h:1/v1/chat/completions",
            ),
            (
                Provider::OpenAi,
                "https://h/x?api-version=1",
                "https://h/x/chat/completions?api-version=1",
            ),
            (Provider::Anthropic, "http://h", "http://h/v1/messages"),
            (Provider::Anthropic, "http://h/v1/", "http://h/v1/messages"),
            (
                Provider::Gemini,
                "http://h",
                "http://h/v1beta/models/m%2F1:generateContent",
            ),
            (
                Provider::Gemini,
                "http://h/v1beta",
                "http://h/v1beta/models/m%2F1:generateContent",
            ),
            (
                Provider::Ollama,
                "http://h/proxy",
                "http://h/proxy/api/chat",
            ),
            (Provider::Ollama, " http://h/api ", "http://h/api/chat"),
            (
                Provider::OpenAiResponses,
                "http://h/v1",
                "http://h/v1/responses",
            ),
            (
                Provider::Groq,
                "http://h/v1",
                "http://h/v1/chat/completions",
            ),
            (Provider::Cohere, "http://h", "http://h/v2/chat"),
            (Provider::Cohere, "http://h/v2", "http://h/v2/chat"),
            (
                Provider::Bedrock,
                "http://h",
                "http://h/model/m%2F1/converse",
            ),
        ] {
            let address = Address::parse(provider.endpoint(), "m/1", base).unwrap();

            assert_eq!(address.url(false).as_str(), endpoint, "{provider} {base}");
        }
    }

    #[test]
    fn streams_from_separate_path() {
        for (provider, base, endpoint) in [
            (
                Provider::Gemini,
                "http://h",
                "http://h/v1beta/models/m%2F1:streamGenerateContent?alt=sse",
            ),
            (
                Provider::GeminiOpenApi,
                "http://h?key=k",
                "http://h/v1beta/models/m%2F1:streamGenerateContent?key=k&alt=sse",
            ),
            (Provider::Anthropic, "http://h", "http://h/v1/messages"),
        ] {
            let address = Address::parse(provider.endpoint(), "m/1", base).unwrap();

            assert_eq!(address.url(true).as_str(), endpoint, "{provider} {base}");
        }
    }

    #[test]
    fn rejects_invalid_base_urls() {
        for base in [
            "",
            "localhost:80",
            "h/v1",
            "ftp://h",
            "http://",
            "unix:/run/x",
        ] {
            assert!(
                Address::parse(Provider::OpenAi.endpoint(), "m", base).is_none(),
                "{base}"
            );
        }
    }

    #[test]
    fn origin_contains_no_secret() {
        let base = "http://user:secret@h:1/secret?key=secret";

        let address = Address::parse(Provider::OpenAi.endpoint(), "m", base).unwrap();

        assert_eq!(address.origin(), "http://h:1");
    }

    #[test]
    fn detects_local_addresses() {
        for (base, local) in [
            ("http://127.0.0.1:1", true),
            ("http://[::1]:1", true),
            ("http://localhost", true),
            ("http://localhost.example.org", false),
            ("https://api.openai.com", false),
        ] {
            let address = Address::parse(Provider::OpenAi.endpoint(), "m", base).unwrap();

            assert_eq!(address.is_local(), local, "{base}");
        }
    }
}
