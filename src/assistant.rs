//! A personal assistant from one configuration.

use std::path::PathBuf;

use tool_core::{
    Redactor, RegisterError, Registry, RegistryBuilder, Secret, Toolset, ToolsetError,
};
use tool_mcp::{McpManager, McpServerConfig};
use tools_builtin::web::{BraveSearch, SearchSetupError};
use tools_builtin::workspace::WorkspaceError;
use tools_builtin::{Kit, Workspace};
use tools_connectors::anthropic::AnthropicAdmin;
use tools_connectors::google::{Google, GoogleClient, GoogleEndpoints, SignIn, TokenFolder};
use tools_connectors::linkedin::LinkedIn;
use tools_connectors::{Connectors, ConnectorsError, SetupError, toolsets};

/// Directory of the tokens in the directory for the state of the user. All programs share it, so that one sign-in
/// serves them all.
const APPLICATION: &str = "toolwright";

/// What an assistant works with. A service without a credential has no tools; a blank credential counts as none.
///
/// # Examples
/// See [`assistant`].
#[derive(Debug)]
pub struct AssistantConfig {
    /// Directory of the files and commands. The default is the current one.
    pub working_directory: PathBuf,
    /// OAuth client of the type "Desktop app", for Gmail and Google Calendar.
    pub google_client: Option<GoogleClient>,
    /// Admin key, for the usage reports of Anthropic.
    pub anthropic_admin_api_key: Option<Secret<String>>,
    /// Key of Brave Search, for `web_search`.
    pub brave_api_key: Option<Secret<String>>,
    /// MCP servers, for example those of an [`McpConfig`](tool_mcp::McpConfig).
    pub mcp_servers: Vec<(String, McpServerConfig)>,
    /// How users sign in to Google. The default opens the browser at the first call that needs it.
    pub sign_in: SignIn,
    /// Directory of the tokens of Google. The default is `toolwright` in the directory for the state of the user.
    pub token_directory: Option<PathBuf>,
    /// Other addresses of the services.
    pub base_urls: BaseUrls,
    /// Redactor that learns all keys and tokens. The registry uses it.
    pub redactor: Redactor,
    /// Settings of the registry, such as its approver. Without an approver, no mail is sent.
    pub registry: RegistryBuilder,
}

impl Default for AssistantConfig {
    fn default() -> Self {
        Self {
            working_directory: PathBuf::from("."),
            google_client: None,
            anthropic_admin_api_key: None,
            brave_api_key: None,
            mcp_servers: Vec::new(),
            sign_in: SignIn::browser(),
            token_directory: None,
            base_urls: BaseUrls::default(),
            redactor: Redactor::new(),
            registry: Registry::builder(),
        }
    }
}

/// Other addresses of the services, such as servers for tests: `https`, or `http` with a loopback address.
///
/// # Examples
/// ```
/// use toolwright::BaseUrls;
///
/// let urls = BaseUrls { google: Some("http://127.0.0.1:4002".to_owned()), ..BaseUrls::default() };
/// assert!(urls.brave.is_none());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaseUrls {
    /// Sign-in, Gmail and Google Calendar.
    pub google: Option<String>,
    /// Usage reports of Anthropic.
    pub anthropic: Option<String>,
    /// LinkedIn.
    pub linkedin: Option<String>,
    /// Brave Search.
    pub brave: Option<String>,
}

/// An assistant that is ready for a model.
///
/// # Examples
/// See [`assistant`].
#[derive(Debug)]
pub struct Assistant {
    /// All tools.
    pub registry: Registry,
    /// The MCP servers, which end when it is dropped. [`McpManager::status`] says which of them could not be used.
    pub servers: McpManager,
    /// The Google account, if it is configured: for a sign-in at the start, or a sign-out.
    pub google: Option<Google>,
}

/// Reason why an assistant cannot be created.
///
/// # Examples
/// ```
/// use toolwright::{AssistantConfig, AssistantError, assistant};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let config = AssistantConfig { working_directory: "no/such/directory".into(), ..AssistantConfig::default() };
/// assert!(matches!(assistant(config).await, Err(AssistantError::Workspace(_))));
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssistantError {
    /// The working directory cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The search key or its address is invalid.
    #[error(transparent)]
    Search(#[from] SearchSetupError),
    /// The settings of another service are invalid.
    #[error(transparent)]
    Connectors(#[from] ConnectorsError),
    /// Two tools have one name.
    #[error(transparent)]
    Toolset(#[from] ToolsetError),
    /// A tool cannot be registered, because the builder of the configuration already has one of its name.
    #[error(transparent)]
    Register(#[from] RegisterError),
}

impl From<SetupError> for AssistantError {
    fn from(error: SetupError) -> Self {
        Self::Connectors(error.into())
    }
}

/// Creates a personal assistant: tools for files, commands, the web and jobs, then those of the services with
/// credentials, and last those of the MCP servers.
///
/// Starts the MCP servers, each within its own time limit; a server that fails doesn't affect the others. Nothing else
/// is sent, and the browser opens when a call needs the sign-in, or with
/// [`Google::sign_in`](tools_connectors::google::Google::sign_in).
///
/// # Errors
/// Returns [`AssistantError`] if the directory or the settings of a service cannot be used.
///
/// # Examples
/// ```
/// use toolwright::connectors::google::GoogleClient;
/// use toolwright::{AssistantConfig, Secret, assistant};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let secret = |text: &str| Secret::new(text.to_owned());
/// let assistant = assistant(AssistantConfig {
///     google_client: Some(GoogleClient::new("123.apps.googleusercontent.com").with_secret(secret("GOCSPX-1"))),
///     brave_api_key: Some(secret("BSA-1")),
///     # token_directory: Some(std::env::temp_dir().join("no-tokens")),
///     ..AssistantConfig::default()
/// })
/// .await?;
/// assert!(assistant.registry.get("gmail_search").is_some());
/// // There is no admin key, so there are no usage reports.
/// assert!(assistant.registry.get("anthropic_usage").is_none());
/// # Ok(()) }
/// ```
pub async fn assistant(config: AssistantConfig) -> Result<Assistant, AssistantError> {
    let mut kit = Kit::new(Workspace::open(&config.working_directory)?);
    if let Some(brave) = config.search()? {
        kit = kit.with_search(std::sync::Arc::new(brave));
    }
    let google = config.google()?;
    let toolset = config.toolset(&kit, google.clone())?;
    let builder = config.registry.redactor(config.redactor);
    let registry = builder.toolset(&toolset)?.build();
    let servers = McpManager::builder();
    let servers = servers
        .servers(config.mcp_servers)
        .registry(&registry)
        .build();
    servers.connect().await;
    Ok(Assistant {
        registry,
        servers,
        google,
    })
}

impl AssistantConfig {
    /// Reads the credentials from the environment: `GOOGLE_CLIENT_ID` with `GOOGLE_CLIENT_SECRET`,
    /// `ANTHROPIC_ADMIN_API_KEY` and `BRAVE_API_KEY`.
    ///
    /// # Examples
    /// ```
    /// use toolwright::AssistantConfig;
    ///
    /// let config = AssistantConfig { working_directory: "notes".into(), ..AssistantConfig::from_env() };
    /// assert!(config.mcp_servers.is_empty());
    /// ```
    #[must_use]
    pub fn from_env() -> Self {
        let variable = |name| filled(std::env::var(name).ok().map(Secret::new));
        let id = variable("GOOGLE_CLIENT_ID");
        let client = id.zip(variable("GOOGLE_CLIENT_SECRET"));
        Self {
            google_client: client
                .map(|(id, secret)| GoogleClient::new(id.into_exposed()).with_secret(secret)),
            anthropic_admin_api_key: variable("ANTHROPIC_ADMIN_API_KEY"),
            brave_api_key: variable("BRAVE_API_KEY"),
            ..Self::default()
        }
    }

    /// Returns the Google account of the configuration, or `None` without a client. It shares its tokens with the
    /// assistant, so a program can sign in before an assistant exists.
    ///
    /// # Errors
    /// Returns [`AssistantError`] if the address is invalid, or if no directory for the tokens is known.
    ///
    /// # Examples
    /// ```
    /// use toolwright::AssistantConfig;
    ///
    /// assert!(AssistantConfig::default().google()?.is_none());
    /// # Ok::<_, toolwright::AssistantError>(())
    /// ```
    pub fn google(&self) -> Result<Option<Google>, AssistantError> {
        let is_filled = |client: &&GoogleClient| !client.id.is_empty();
        let Some(client) = self.google_client.as_ref().filter(is_filled) else {
            return Ok(None);
        };
        let tokens = match &self.token_directory {
            Some(directory) => TokenFolder::new(directory),
            None => TokenFolder::in_state_folder(APPLICATION)?,
        };
        let mut google = Google::new(client.clone(), tokens)
            .with_sign_in(self.sign_in.clone())
            .with_redactor(self.redactor.clone());
        if let Some(url) = &self.base_urls.google {
            google = google.with_endpoints(GoogleEndpoints::at(url)?);
        }
        Ok(Some(google))
    }

    /// Returns the tools of an assistant over `kit`, without those of MCP servers. Use it instead of [`assistant`] if
    /// the tools need another [`Kit`], such as one with a sandbox. `google` is the account of [`google`](Self::google).
    ///
    /// # Errors
    /// Returns [`AssistantError`] if the settings of a service cannot be used.
    ///
    /// # Examples
    /// ```
    /// use toolwright::builtin::{Kit, Workspace};
    /// use toolwright::AssistantConfig;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let toolset = AssistantConfig::default().toolset(&Kit::new(Workspace::open(".")?), None)?;
    /// assert_eq!(toolset.tools()[0].definition().name(), "bash");
    /// # Ok(()) }
    /// ```
    pub fn toolset(&self, kit: &Kit, google: Option<Google>) -> Result<Toolset, AssistantError> {
        let mut connectors = Connectors::new();
        if let Some(google) = google {
            connectors = connectors.with_google(google);
        }
        if let Some(key) = filled(self.anthropic_admin_api_key.clone()) {
            let mut admin = AnthropicAdmin::new(&key)?.with_redactor(self.redactor.clone());
            if let Some(url) = &self.base_urls.anthropic {
                admin = admin.with_base_url(url)?;
            }
            connectors = connectors.with_anthropic(admin);
        }
        if let Some(url) = &self.base_urls.linkedin {
            connectors = connectors.with_linkedin(LinkedIn::new().with_base_url(url)?);
        }
        let base = tools_builtin::toolsets::assistant(kit)?;
        Ok(toolsets::assistant_with(&base, &connectors)?)
    }

    /// Returns the client of Brave Search, if there is a key.
    fn search(&self) -> Result<Option<BraveSearch>, AssistantError> {
        let Some(key) = filled(self.brave_api_key.clone()) else {
            return Ok(None);
        };
        // Keys that are too short for a redactor would match ordinary text.
        let _ = self.redactor.learn(&key);
        let brave = BraveSearch::new(&key)?;
        Ok(Some(match &self.base_urls.brave {
            Some(url) => brave.with_base_url(url)?,
            None => brave,
        }))
    }
}

/// Returns a credential without surrounding whitespace, unless it is blank.
fn filled(value: Option<Secret<String>>) -> Option<Secret<String>> {
    let value = value?.into_exposed().trim().to_owned();
    (!value.is_empty()).then(|| Secret::new(value))
}
