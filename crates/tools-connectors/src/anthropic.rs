//! Usage and cost reports of an Anthropic organization.

mod amount;
mod input;
mod usage;

use reqwest::header::HeaderValue;
use serde_json::Value;
use tool_core::Secret;

use crate::SetupError;
use crate::door::{Base, Deadline, Door, Problem, Request, Response, Secrets};

pub(crate) use usage::AnthropicUsage;

const BASE_URL: &str = "https://api.anthropic.com/v1/organizations";
/// Path for base URLs without a path.
const PATH: &str = "/v1/organizations";
const VERSION: &str = "2023-06-01";
/// Maximum size of a response in bytes.
const MAX_RESPONSE: usize = 16 * 1024 * 1024;
/// Parameters that an error of the service may name.
const PARAMETERS: [&str; 5] = [
    "group_by",
    "bucket_width",
    "ending_at",
    "starting_at",
    "limit",
];

/// Client of Anthropic's Admin API.
///
/// Errors and debug output do not contain the key.
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tools_connectors::anthropic::AnthropicAdmin;
///
/// let admin = AnthropicAdmin::new(&Secret::new("sk-ant-admin01-123".to_owned()))?
///     .with_base_url("http://127.0.0.1:8080/v1/organizations")?;
/// assert!(!format!("{admin:?}").contains("sk-ant"));
/// # Ok::<_, tools_connectors::SetupError>(())
/// ```
#[derive(Clone)]
pub struct AnthropicAdmin {
    door: Door,
    base: Base,
    key: HeaderValue,
}

impl AnthropicAdmin {
    /// Creates a client with this admin key, without surrounding whitespace.
    ///
    /// # Errors
    /// Returns [`SetupError`] if the key is empty or not a valid header value.
    pub fn new(key: &Secret<String>) -> Result<Self, SetupError> {
        let key = key.expose().trim();
        if key.is_empty() {
            return Err(SetupError::Empty("admin key"));
        }
        // A common mistake whose error from the service is hard to understand.
        if key.starts_with("sk-ant-api") {
            tracing::warn!("the key of Anthropic's Admin API begins like a key of another API");
        }
        let secrets = Secrets::default();
        secrets.add(key);
        let mut header =
            HeaderValue::from_str(key).map_err(|_| SetupError::Invalid("admin key"))?;
        header.set_sensitive(true);
        Ok(Self {
            door: Door::new("Anthropic", secrets, None)?,
            base: Base::parse(BASE_URL)?,
            key: header,
        })
    }

    /// Sets another server, such as one for tests: `https`, or `http` with a loopback address. The default path is
    /// `/v1/organizations`.
    ///
    /// # Errors
    /// Returns [`SetupError::InvalidEndpoint`] for other URLs.
    pub fn with_base_url(mut self, url: &str) -> Result<Self, SetupError> {
        self.base = Base::parse(url)?.or_path(PATH)?;
        Ok(self)
    }

    /// Passes the key to `redactor`, which removes it from the results and the audit log of a
    /// registry.
    #[must_use]
    pub fn with_redactor(mut self, redactor: tool_core::Redactor) -> Self {
        let secrets = Secrets::taught(Some(redactor));
        secrets.add(self.key.to_str().unwrap_or_default());
        self.door = self.door.with_secrets(secrets);
        self
    }

    /// Returns a request for a report.
    fn report(&self, path: &[&str]) -> Request {
        Request::get("report", &self.base, path)
            .max_bytes(MAX_RESPONSE)
            .header("x-api-key", self.key.clone())
            .header("anthropic-version", HeaderValue::from_static(VERSION))
    }

    /// Sends a request, and rejects all statuses except 200.
    async fn send(&self, request: &Request, deadline: Deadline) -> Result<Response, Problem> {
        let response = self.door.send(request, deadline).await?;
        match response.status.as_u16() {
            200 => Ok(response),
            401 => Err(Problem::KEY_REJECTED),
            403 => Err(Problem::PERMISSION_DENIED),
            429 => Err(Problem::rate_limited(response.retry_after())),
            400 | 422 => Err(rejected(&response)),
            status @ (408 | 500..) => Err(Problem::Status(status)),
            _ => Err(Problem::InvalidResponse),
        }
    }

    fn service(&self) -> &'static str {
        self.door.service()
    }
}

/// Returns the problem with the parameter that the service names.
fn rejected(response: &Response) -> Problem {
    let body: Value = response.json().unwrap_or_default();
    let message = body
        .pointer("/error/message")
        .and_then(Value::as_str)
        .unwrap_or_default();
    match PARAMETERS.iter().find(|name| message.contains(**name)) {
        Some(parameter) => Problem::InvalidParameter(parameter, message.to_owned()),
        None => Problem::Rejected(message.to_owned()),
    }
}

tool_core::debug_fields!(AnthropicAdmin, this => base: this.base);
