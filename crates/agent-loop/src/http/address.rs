//! Where a provider's endpoint is.

use std::net::IpAddr;

use provider_adapters::Provider;
use reqwest::Url;

/// The base URL of a provider's own service; for Ollama, of a server on this machine.
///
/// `None` where every customer has a URL of their own (Azure, and Bedrock by its region), and for what has no HTTP API.
///
/// # Examples
/// ```
/// use agent_loop::default_base_url;
/// use provider_adapters::Provider;
///
/// assert_eq!(default_base_url(Provider::Ollama), Some("http://127.0.0.1:11434"));
/// assert_eq!(default_base_url(Provider::Azure), None);
/// ```
#[must_use]
pub fn default_base_url(provider: Provider) -> Option<&'static str> {
    Some(match provider {
        Provider::OpenAi | Provider::OpenAiResponses => "https://api.openai.com/v1",
        Provider::Copilot => "https://api.githubcopilot.com",
        Provider::Groq => "https://api.groq.com/openai/v1",
        Provider::DeepSeek => "https://api.deepseek.com",
        Provider::Xai => "https://api.x.ai/v1",
        Provider::OpenRouter => "https://openrouter.ai/api/v1",
        Provider::Mistral => "https://api.mistral.ai/v1",
        Provider::Cohere => "https://api.cohere.com",
        Provider::Anthropic => "https://api.anthropic.com",
        Provider::Gemini | Provider::GeminiOpenApi => "https://generativelanguage.googleapis.com",
        Provider::Ollama => "http://127.0.0.1:11434",
        _ => return None,
    })
}

/// Whether requests can be sent to the provider: a form of definitions or a protocol of its own has no endpoint.
pub(super) fn has_http_api(provider: Provider) -> bool {
    !matches!(provider, Provider::OpenAiFlat | Provider::Mcp)
}

/// Where requests go.
#[derive(Clone)]
pub(super) struct Address {
    whole: Url,
    streamed: Url,
}

impl Address {
    /// The endpoint of `model` under a base URL; `None` when that is not one.
    pub(super) fn parse(provider: Provider, model: &str, base_url: &str) -> Option<Self> {
        let mut url = Url::parse(base_url.trim()).ok()?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return None;
        }
        url.set_fragment(None);
        let (version, rest) = path_of(provider, model);
        let has_version = version.is_some() && last_segment(&url) == version;
        let mut path = url.path_segments_mut().ok()?;
        path.pop_if_empty();
        if !has_version {
            path.extend(version);
        }
        path.extend(rest);
        drop(path);
        Some(Self {
            streamed: streamed(provider, &url),
            whole: url,
        })
    }

    /// Where a request goes whose response comes whole, or as a stream.
    pub(super) fn url(&self, streams: bool) -> Url {
        if streams {
            self.streamed.clone()
        } else {
            self.whole.clone()
        }
    }

    /// Scheme, host and port: what may be shown, as the rest may hold a secret.
    pub(super) fn origin(&self) -> String {
        self.whole.origin().ascii_serialization()
    }

    /// Whether the server is only reached through TLS.
    pub(super) fn needs_tls(&self) -> bool {
        self.whole.scheme() == "https"
    }

    /// Whether the server is on this machine.
    pub(super) fn is_local(&self) -> bool {
        let host = self.whole.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || address
                .parse::<IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }
}

/// The endpoint for a stream: another one for Gemini, where it also is told the form.
fn streamed(provider: Provider, whole: &Url) -> Url {
    let mut url = whole.clone();
    if matches!(provider, Provider::Gemini | Provider::GeminiOpenApi)
        && let Some(start) = whole.path().strip_suffix(":generateContent")
    {
        url.set_path(&format!("{start}:streamGenerateContent"));
        url.query_pairs_mut().append_pair("alt", "sse");
    }
    url
}

fn last_segment(url: &Url) -> Option<&str> {
    url.path_segments()?.rfind(|segment| !segment.is_empty())
}

/// The version that people write into a base URL or leave out, and what comes after it.
fn path_of(provider: Provider, model: &str) -> (Option<&'static str>, Vec<String>) {
    let owned = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect();
    match provider {
        Provider::Anthropic => (Some("v1"), owned(&["messages"])),
        Provider::Gemini | Provider::GeminiOpenApi => {
            let name = model.strip_prefix("models/").unwrap_or(model);
            let action = format!("{name}:generateContent");
            (Some("v1beta"), vec!["models".to_owned(), action])
        }
        Provider::Ollama => (Some("api"), owned(&["chat"])),
        Provider::Cohere => (Some("v2"), owned(&["chat"])),
        Provider::Bedrock => (None, owned(&["model", model, "converse"])),
        Provider::OpenAiResponses => (None, owned(&["responses"])),
        // Servers that speak this wire have their own ideas of a version, so the base URL says it.
        _ => (None, owned(&["chat", "completions"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_is_found_however_the_base_is_written() {
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
            let address = Address::parse(provider, "m/1", base).unwrap();

            assert_eq!(address.url(false).as_str(), endpoint, "{provider} {base}");
        }
    }

    #[test]
    fn gemini_streams_from_an_endpoint_of_its_own() {
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
            let address = Address::parse(provider, "m/1", base).unwrap();

            assert_eq!(address.url(true).as_str(), endpoint, "{provider} {base}");
        }
    }

    #[test]
    fn what_is_no_address_is_none() {
        for base in [
            "",
            "localhost:80",
            "h/v1",
            "ftp://h",
            "http://",
            "unix:/run/x",
        ] {
            assert!(
                Address::parse(Provider::OpenAi, "m", base).is_none(),
                "{base}"
            );
        }
    }

    #[test]
    fn the_origin_holds_no_secret() {
        let base = "http://user:secret@h:1/secret?key=secret";

        let address = Address::parse(Provider::OpenAi, "m", base).unwrap();

        assert_eq!(address.origin(), "http://h:1");
    }

    #[test]
    fn only_this_machine_is_local() {
        for (base, local) in [
            ("http://127.0.0.1:1", true),
            ("http://[::1]:1", true),
            ("http://localhost", true),
            ("http://localhost.example.org", false),
            ("https://api.openai.com", false),
        ] {
            let address = Address::parse(Provider::OpenAi, "m", base).unwrap();

            assert_eq!(address.is_local(), local, "{base}");
        }
    }
}
