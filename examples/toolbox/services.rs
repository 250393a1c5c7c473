//! The web and the services of others. Their credentials are in the environment, because options are visible to other
//! users of the machine.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tool_core::{Redactor, Secret, Toolset};
use tools_builtin::Kit;
use tools_builtin::toolsets::{ToolsetName, repo_explorer};
use tools_builtin::web::{AddressGuard, BraveSearch, IpNet, WebFetch};
use toolwright::connectors::github::{GitHubConnection, GitHubSource};
use toolwright::connectors::google::SignIn;
use toolwright::{AssistantConfig, BaseUrls};

use crate::failure::Failure;

/// Reachable hosts in addition to the public Internet.
#[derive(Debug, Args)]
pub(crate) struct NetworkOptions {
    /// Range of non-public addresses from which pages may be fetched, such as 127.0.0.0/8; may be
    /// repeated.
    #[arg(long, value_name = "CIDR", value_parser = range)]
    allow_net: Vec<IpNet>,
}

fn range(text: &str) -> Result<IpNet, String> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    let range = text.parse().or_else(|_| address());
    range.map_err(|_| "use the form 10.0.0.0/8 or fd00::/8".to_owned())
}

impl NetworkOptions {
    /// Applies the options to the tool that fetches pages.
    pub(crate) fn add_to(&self, kit: Kit) -> Result<Kit, Failure> {
        let mut guard = AddressGuard::new();
        for network in &self.allow_net {
            guard = guard.allow_range(*network);
            if network.contains(&IpAddr::V4(Ipv4Addr::LOCALHOST)) {
                // `localhost`, which many programs print instead of the address.
                guard = guard
                    .allow_host("localhost")
                    .map_err(|error| Failure::input("--allow-net", error))?;
            }
        }
        Ok(kit.with_web(WebFetch::new().with_guard(guard)))
    }
}

/// Service with another address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Service {
    Anthropic,
    Brave,
    Github,
    Google,
    Linkedin,
}

/// Addresses of services.
#[derive(Debug, Args)]
pub(crate) struct Addresses {
    /// Another address of `anthropic`, `brave`, `github`, `google` or `linkedin`; may be repeated.
    #[arg(long = "base-url", value_name = "SERVICE=URL", value_parser = base_url)]
    base_urls: Vec<(Service, String)>,
}

impl Addresses {
    /// Returns the last address of a service.
    fn of(&self, service: Service) -> Option<String> {
        let mut last = self.base_urls.iter().rev();
        Some(last.find(|(known, _)| *known == service)?.1.clone())
    }

    /// Returns the configuration of the connectors, with the credentials of the environment.
    pub(crate) fn config(&self) -> AssistantConfig {
        AssistantConfig {
            base_urls: BaseUrls {
                google: self.of(Service::Google),
                anthropic: self.of(Service::Anthropic),
                linkedin: self.of(Service::Linkedin),
                brave: self.of(Service::Brave),
            },
            // A call must not open a browser; `sign-in` does.
            sign_in: SignIn::Disabled,
            ..AssistantConfig::from_env()
        }
    }
}

/// Parses `SERVICE=URL`.
fn base_url(text: &str) -> Result<(Service, String), String> {
    let (service, url) = text
        .split_once('=')
        .ok_or("must be SERVICE=URL, such as google=http://127.0.0.1:4002")?;
    Ok((Service::from_str(service, true)?, url.to_owned()))
}

/// Services of the tools.
#[derive(Debug, Args)]
pub(crate) struct ServiceOptions {
    #[command(flatten)]
    addresses: Addresses,
    /// Repository on GitHub, which `repo_explorer` reads instead of the workspace. Other toolsets get its tools in
    /// addition. The token of private repositories is read from `GITHUB_TOKEN`.
    #[arg(long, value_name = "OWNER/REPO", value_parser = repository)]
    github: Option<(String, String)>,
    /// File with a Brave Search API key, instead of the variable `BRAVE_API_KEY`; adds the tool `web_search`.
    #[arg(long = "search-key-file", value_name = "F")]
    key_file: Option<PathBuf>,
    /// Base URL of the search server, instead of Brave's; the default path is appended if it has
    /// none.
    #[arg(long = "search-url", value_name = "U")]
    search_url: Option<String>,
}

impl ServiceOptions {
    /// Adds the search service and the repository. `redactor` learns the keys.
    pub(crate) fn add_to(&self, kit: Kit, redactor: &Redactor) -> Result<Kit, Failure> {
        let kit = self.with_search(kit, redactor)?;
        let Some((owner, name)) = &self.github else {
            return Ok(kit);
        };
        let mut connection = GitHubConnection::new(owner, name);
        if let Some(token) = std::env::var("GITHUB_TOKEN")
            .ok()
            .filter(|token| !token.trim().is_empty())
        {
            connection = connection.with_token(Secret::new(token.trim().to_owned()));
        }
        if let Some(url) = self.addresses.of(Service::Github) {
            connection = connection.with_base_url(url);
        }
        let source = GitHubSource::new(connection).with_redactor(redactor.clone());
        Ok(kit.with_repository(Arc::new(source)))
    }

    fn with_search(&self, kit: Kit, redactor: &Redactor) -> Result<Kit, Failure> {
        let key = match &self.key_file {
            Some(file) => Some(
                std::fs::read_to_string(file)
                    .map(Secret::new)
                    .map_err(|error| Failure::input("the search key cannot be read", error))?,
            ),
            None => self.addresses.config().brave_api_key,
        };
        let Some(key) = key else {
            return match &self.search_url {
                Some(_) => Err(Failure::input(
                    "--search-url",
                    "there is no key; pass --search-key-file, or set `BRAVE_API_KEY`",
                )),
                None => Ok(kit),
            };
        };
        // Keys that are too short for a redactor would match ordinary text.
        let _ = redactor.learn(&Secret::new(key.expose().trim().to_owned()));
        let unusable = |error| Failure::input("the search cannot be used", error);
        let mut provider = BraveSearch::new(&key).map_err(unusable)?;
        if let Some(url) = self
            .search_url
            .clone()
            .or_else(|| self.addresses.of(Service::Brave))
        {
            provider = provider.with_base_url(&url).map_err(unusable)?;
        }
        Ok(kit.with_search(Arc::new(provider)))
    }

    /// Adds the tools of the services to a toolset over `kit`.
    pub(crate) fn with_tools(
        &self,
        contract: ToolsetName,
        toolset: Toolset,
        kit: &Kit,
        redactor: &Redactor,
    ) -> Result<Toolset, Failure> {
        let toolset = match contract {
            ToolsetName::Assistant => {
                let mut config = self.addresses.config();
                config.redactor = redactor.clone();
                let google = config.google();
                let all = google.and_then(|google| config.toolset(kit, google));
                all.map_err(|error| Failure::input("the connectors cannot be used", error))?
            }
            _ => toolset,
        };
        if self.github.is_none() || contract == ToolsetName::RepoExplorer {
            return Ok(toolset);
        }
        let readers = repo_explorer(kit).map_err(wrong_set)?;
        let mut readers = readers.tools().iter().take(READERS).cloned();
        readers
            .try_fold(toolset, Toolset::with_tool)
            .map_err(wrong_set)
    }
}

/// Number of tools of `repo_explorer` that read the repository. They are the first.
const READERS: usize = 4;

fn wrong_set(error: tool_core::ToolsetError) -> Failure {
    Failure::input(
        "--github cannot be combined with this toolset; use `--contract repo_explorer`",
        error,
    )
}

/// Parses `OWNER/REPO`.
fn repository(text: &str) -> Result<(String, String), String> {
    match text.split_once('/') {
        Some((owner, name)) if !owner.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok((owner.to_owned(), name.to_owned()))
        }
        _ => Err("must be OWNER/REPO, such as rust-lang/log".to_owned()),
    }
}
