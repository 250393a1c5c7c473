//! Options that several commands take.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tool_core::output_store::MemoryStore;
use tool_core::{Contract, RegistryBuilder, ToolDefinition};
use tools_builtin::contracts::ContractSet;
use tools_builtin::shell::Sandbox;
use tools_builtin::workspace::WorkspaceBuilder;
use tools_builtin::{Kit, Workspace};

use crate::failure::Failure;
use crate::network::NetworkOptions;
use crate::search::SearchOptions;
use crate::tools;

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

/// Which built-in tools, and where they work.
#[derive(Debug, Args)]
pub(crate) struct ContractOptions {
    /// The contract set: `standard`, `dracode`, `repo_explorer`, `ryan`, `cli_agent` or `assistant`.
    #[arg(long, value_name = "C", default_value_t)]
    pub(crate) contract: ContractSet,
    /// The folder that the tools work in; given more than once, paths that are not absolute belong to the first.
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: Vec<PathBuf>,
    #[command(flatten)]
    search: SearchOptions,
}

/// Definitions of a file, or of a contract.
#[derive(Debug, Args)]
pub(crate) struct DefinitionOptions {
    /// Definitions: a JSON array, or one per line.
    #[arg(long, value_name = "FILE", conflicts_with = "contract")]
    tools: Option<PathBuf>,
    /// The contract set: `standard`, `dracode`, `repo_explorer`, `ryan`, `cli_agent` or `assistant`.
    #[arg(long, value_name = "C")]
    contract: Option<ContractSet>,
}

impl Switch {
    pub(crate) fn is_on(self) -> bool {
        self == Self::On
    }
}

impl ContractOptions {
    /// The folder that paths belong to which are not absolute.
    pub(crate) fn first_folder(&self) -> &Path {
        self.workspace
            .first()
            .map_or(Path::new("."), PathBuf::as_path)
    }

    /// The contract that is asked for.
    pub(crate) fn open(&self) -> Result<Contract, Failure> {
        contract(self.contract, &self.kit()?)
    }

    /// The same for calls, under the policy of the contract; whether its programs are confined by the operating system.
    pub(crate) fn add_to(
        &self,
        builder: RegistryBuilder,
        is_confined: bool,
        network: &NetworkOptions,
    ) -> Result<RegistryBuilder, Failure> {
        let mut kit = self.kit()?.with_web(network.web_fetch()?);
        if is_confined {
            kit = kit.with_sandbox(Sandbox::standard());
        }
        let builder = match &kit.output_store {
            Some(store) => builder.output_store(Arc::clone(store)),
            None => builder,
        };
        builder
            .policy(self.contract.policy())
            .contract(&contract(self.contract, &kit)?)
            .map_err(|error| Failure::input("the contract cannot be used", error))
    }

    fn kit(&self) -> Result<Kit, Failure> {
        self.search.add_to(kit(&self.workspace)?)
    }
}

impl DefinitionOptions {
    /// The definitions that are asked for; `None` when neither file nor contract is named.
    pub(crate) fn named(&self) -> Result<Option<Vec<ToolDefinition>>, Failure> {
        match (&self.tools, self.contract) {
            (Some(path), _) => tools::from_file(path).map(Some),
            (None, Some(contract)) => contract_definitions(contract).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The definitions that are asked for, else those of the default contract.
    pub(crate) fn or_default(&self) -> Result<Vec<ToolDefinition>, Failure> {
        match self.named()? {
            Some(definitions) => Ok(definitions),
            None => contract_definitions(ContractSet::default()),
        }
    }
}

fn contract_definitions(set: ContractSet) -> Result<Vec<ToolDefinition>, Failure> {
    // Definitions do not depend on the workspace; an engine cannot be made without one.
    Ok(tools::definitions(&contract(set, &kit(&[".".into()])?)?))
}

/// The tools that work in these folders, with a place for outputs that are too large to show.
fn kit(folders: &[PathBuf]) -> Result<Kit, Failure> {
    let builder = folders
        .iter()
        .fold(Workspace::builder(), WorkspaceBuilder::root);
    let workspace = builder
        .build()
        .map_err(|error| Failure::input("the workspace cannot be opened", error))?;
    Ok(Kit::new(workspace).with_output_store(Arc::new(MemoryStore::default())))
}

fn contract(set: ContractSet, kit: &Kit) -> Result<Contract, Failure> {
    set.contract(kit)
        .map_err(|error| Failure::input("the contract cannot be built", error))
}
