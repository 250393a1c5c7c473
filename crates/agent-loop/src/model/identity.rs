/// Name of a model and its provider, for telemetry.
///
/// # Examples
/// ```
/// use agent_loop::ModelIdentity;
///
/// let identity = ModelIdentity::new("ollama", "qwen3").with_server("127.0.0.1", 11434);
/// assert_eq!(identity.server, Some(("127.0.0.1", 11434)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelIdentity<'m> {
    /// Name of the provider in the OpenTelemetry conventions, such as `openai`.
    pub provider: &'m str,
    /// Name of the model.
    pub model: &'m str,
    /// Host and port of the server.
    pub server: Option<(&'m str, u16)>,
}

impl<'m> ModelIdentity<'m> {
    /// Creates an identity without a server.
    #[must_use]
    pub fn new(provider: &'m str, model: &'m str) -> Self {
        Self {
            provider,
            model,
            server: None,
        }
    }

    /// Sets host and port of the server.
    #[must_use]
    pub fn with_server(self, host: &'m str, port: u16) -> Self {
        Self {
            server: Some((host, port)),
            ..self
        }
    }
}
