//! Options shared by several commands.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tool_core::approval::Policy;
use tool_core::output_store::MemoryStore;
use tool_core::{CancellationToken, Redactor, Registry, RegistryBuilder, ToolDefinition, Toolset};
use tools_builtin::shell::{Environment, Sandbox};
use tools_builtin::toolsets::{ToolGroup, ToolsetName};
use tools_builtin::workspace::WorkspaceBuilder;
use tools_builtin::{Kit, Workspace};

use crate::failure::Failure;
#[cfg(feature = "full")]
use crate::services::{NetworkOptions, ServiceOptions};
use crate::{input, mcp, tools};

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

/// Built-in tools and their workspace.
#[derive(Debug, Args)]
pub(crate) struct ToolsetOptions {
    /// Toolset: `standard`, `coding_gpt`, `dracode`, `repo_explorer`, `ryan`, `cli_agent` or `assistant`.
    #[arg(long, value_name = "C", default_value_t)]
    pub(crate) contract: ToolsetName,
    /// Further tools: `plan`, `validate_output`, `apply_patch`, `delete`, `move` or `web`; may be repeated.
    #[arg(long, value_name = "GROUP")]
    group: Vec<ToolGroup>,
    /// Directory that the tools work in; may be repeated. Relative paths are resolved in the first
    /// one.
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: Vec<PathBuf>,
    /// File with MCP servers, whose tools follow; as Claude, Cursor, VS Code and Gemini use it.
    #[arg(long, value_name = "FILE")]
    mcp: Option<PathBuf>,
    /// File with a policy, instead of that of the toolset.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    #[cfg(feature = "full")]
    #[command(flatten)]
    services: ServiceOptions,
    #[cfg(feature = "full")]
    #[command(flatten)]
    network: NetworkOptions,
}

/// Definitions from a file or a toolset.
#[derive(Debug, Args)]
pub(crate) struct DefinitionOptions {
    /// File with definitions: a JSON array, or one per line.
    #[arg(long, value_name = "FILE", conflicts_with = "contract")]
    tools: Option<PathBuf>,
    /// Toolset: `standard`, `coding_gpt`, `dracode`, `repo_explorer`, `ryan`, `cli_agent` or `assistant`.
    #[arg(long, value_name = "C")]
    contract: Option<ToolsetName>,
}

/// Sandbox and environment of commands. By default, commands run in the sandbox if this system can enforce it.
#[derive(Debug, Default, Args)]
pub(crate) struct SandboxOptions {
    /// Let commands fail if the sandbox cannot be enforced.
    #[arg(long, conflicts_with = "no_sandbox")]
    sandbox: bool,
    /// Run commands without the sandbox.
    #[arg(long)]
    no_sandbox: bool,
    /// Variable of the environment of commands, with the value of this process if none is given; may
    /// be repeated.
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
}

impl SandboxOptions {
    fn add_to(&self, kit: Kit) -> Kit {
        let host = Environment::of_host();
        let added = self.env.iter().fold(host, |environment, variable| {
            match variable.split_once('=') {
                Some((name, value)) => environment.with(name, value),
                None => environment.inherit(variable),
            }
        });
        let kit = kit.with_environment(added);
        if self.sandbox {
            kit.with_sandbox(Sandbox::workspace())
        } else if self.no_sandbox {
            kit.unconfined()
        } else {
            kit
        }
    }
}

impl Switch {
    pub(crate) fn is_on(self) -> bool {
        self == Self::On
    }
}

impl ToolsetOptions {
    /// Returns the directory for relative paths.
    pub(crate) fn first_folder(&self) -> &Path {
        self.workspace
            .first()
            .map_or(Path::new("."), PathBuf::as_path)
    }

    fn toolset(&self, kit: &Kit, redactor: &Redactor) -> Result<Toolset, Failure> {
        let toolset = toolset(self.contract, kit)?;
        #[cfg(feature = "full")]
        let toolset = self
            .services
            .with_tools(self.contract, toolset, kit, redactor)?;
        #[cfg(not(feature = "full"))]
        let _ = redactor;
        let mut groups = self.group.iter();
        groups
            .try_fold(toolset, |toolset, group| group.add_to(toolset, kit))
            .map_err(|error| Failure::input("the toolset cannot be created", error))
    }

    /// Adds the tools and the policy, but not the tools of MCP servers, which [`with_servers`](Self::with_servers) adds.
    pub(crate) fn add_to(
        &self,
        builder: RegistryBuilder,
        sandbox: &SandboxOptions,
    ) -> Result<RegistryBuilder, Failure> {
        let redactor = Redactor::new();
        let kit = sandbox.add_to(kit(&self.workspace)?);
        #[cfg(feature = "full")]
        let kit = self.services.add_to(self.network.add_to(kit)?, &redactor)?;
        let builder = match &kit.output_store {
            Some(store) => builder.output_store(Arc::clone(store)),
            None => builder,
        };
        let toolset = self.toolset(&kit, &redactor)?;
        builder
            .policy(self.policy()?)
            .redactor(redactor)
            .toolset(&toolset)
            .map_err(|error| Failure::input("the toolset cannot be used", error))
    }

    fn policy(&self) -> Result<Policy, Failure> {
        match &self.policy {
            Some(path) => Policy::from_json(&input::file(path)?)
                .map_err(|error| Failure::input(path.display(), error)),
            None => Ok(self.contract.policy()),
        }
    }

    /// Runs `work` while the MCP servers are connected. Returns `None` if an interrupt came first.
    pub(crate) async fn with_servers<T>(
        &self,
        registry: &Registry,
        interrupt: &CancellationToken,
        work: impl AsyncFnOnce() -> T,
    ) -> Result<Option<T>, Failure> {
        match &self.mcp {
            Some(file) => mcp::with_servers(file, registry, interrupt, work).await,
            None => Ok(Some(work().await)),
        }
    }
}

impl DefinitionOptions {
    /// Returns the selected definitions, or `None` if neither a file nor a toolset is selected.
    pub(crate) fn named(&self) -> Result<Option<Vec<ToolDefinition>>, Failure> {
        match (&self.tools, self.contract) {
            (Some(path), _) => tools::from_file(path).map(Some),
            (None, Some(set)) => toolset_definitions(set).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Returns the selected definitions, or the definitions of the default toolset.
    pub(crate) fn or_default(&self) -> Result<Vec<ToolDefinition>, Failure> {
        match self.named()? {
            Some(definitions) => Ok(definitions),
            None => toolset_definitions(ToolsetName::default()),
        }
    }
}

fn toolset_definitions(set: ToolsetName) -> Result<Vec<ToolDefinition>, Failure> {
    // Definitions do not depend on the workspace, but tools require one.
    Ok(tools::definitions(&toolset(set, &kit(&[".".into()])?)?))
}

/// Creates the kit for these directories, with a store for large outputs.
fn kit(folders: &[PathBuf]) -> Result<Kit, Failure> {
    let builder = folders
        .iter()
        .fold(Workspace::builder(), WorkspaceBuilder::root);
    let workspace = builder
        .build()
        .map_err(|error| Failure::input("the workspace cannot be opened", error))?;
    let kit = Kit::new(workspace).with_output_store(Arc::new(MemoryStore::default()));
    // This program reads PDF documents in a separate process.
    #[cfg(feature = "full")]
    let kit = match std::env::current_exe() {
        Ok(program) => kit.with_pdf_program(program, ["pdf-text"]),
        Err(_) => kit,
    };
    Ok(kit)
}

fn toolset(set: ToolsetName, kit: &Kit) -> Result<Toolset, Failure> {
    set.toolset(kit)
        .map_err(|error| Failure::input("the toolset cannot be created", error))
}
