//! The contract sets by their names.

use std::fmt;
use std::str::FromStr;

use tool_core::approval::{Policy, Verdict};
use tool_core::{Contract, PresentationError, RiskLevel};

use super::{assistant, cli_agent, dracode, repo_explorer, ryan, standard};
use crate::Kit;

/// The contract sets that ship, for an application that lets its user choose one.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::contracts::ContractSet;
/// use tools_builtin::{Kit, Workspace};
///
/// let set: ContractSet = "cli_agent".parse()?;
/// let scratch = Scratch::new();
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::builder().policy(set.policy()).contract(&set.contract(&kit)?)?.build();
/// assert!(registry.get("create_file").is_some());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContractSet {
    /// [`standard()`].
    #[default]
    Standard,
    /// [`dracode()`].
    Dracode,
    /// [`repo_explorer()`].
    RepoExplorer,
    /// [`ryan()`].
    Ryan,
    /// [`cli_agent()`].
    CliAgent,
    /// [`assistant()`].
    Assistant,
}

/// No contract set has this name.
///
/// # Examples
/// ```
/// use tools_builtin::contracts::ContractSet;
///
/// let error = "cli".parse::<ContractSet>().unwrap_err();
/// assert!(error.to_string().starts_with("there is no contract set `cli`; choose one of standard, dracode, "));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no contract set `{0}`; choose one of {names}", names = names())]
pub struct UnknownContractSet(String);

impl ContractSet {
    /// Every set.
    pub const ALL: [Self; 6] = [
        Self::Standard,
        Self::Dracode,
        Self::RepoExplorer,
        Self::Ryan,
        Self::CliAgent,
        Self::Assistant,
    ];

    /// The name, such as `cli_agent`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Dracode => "dracode",
            Self::RepoExplorer => "repo_explorer",
            Self::Ryan => "ryan",
            Self::CliAgent => "cli_agent",
            Self::Assistant => "assistant",
        }
    }

    /// The set over these engines.
    ///
    /// # Errors
    /// [`PresentationError`] never comes for this crate's own engines; a test builds every contract.
    pub fn contract(self, kit: &Kit) -> Result<Contract, PresentationError> {
        match self {
            Self::Standard => standard(kit),
            Self::Dracode => dracode(kit),
            Self::RepoExplorer => repo_explorer(kit),
            Self::Ryan => ryan(kit),
            Self::CliAgent => cli_agent(kit),
            Self::Assistant => assistant(kit),
        }
    }

    /// The policy that a registry with the set begins with: reading is allowed and what is dangerous asks. Safe writing asks
    /// in `cli_agent` and is allowed elsewhere.
    #[must_use]
    pub fn policy(self) -> Policy {
        let policy = Policy::default();
        match self {
            Self::CliAgent => policy.with_verdict(RiskLevel::SafeWrite, Verdict::Ask),
            _ => policy,
        }
    }
}

impl fmt::Display for ContractSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ContractSet {
    type Err = UnknownContractSet;

    fn from_str(name: &str) -> Result<Self, UnknownContractSet> {
        let found = Self::ALL.into_iter().find(|set| set.name() == name);
        found.ok_or_else(|| UnknownContractSet(name.to_owned()))
    }
}

fn names() -> String {
    ContractSet::ALL.map(ContractSet::name).join(", ")
}

#[cfg(test)]
mod tests {
    use tool_core::Tool;
    use tool_test::Scratch;

    use super::*;
    use crate::Workspace;

    #[test]
    fn a_set_that_there_is_not_is_answered_with_those_that_there_are() {
        let error = "cli".parse::<ContractSet>().unwrap_err();

        assert_eq!(
            error.to_string(),
            "there is no contract set `cli`; choose one of standard, dracode, repo_explorer, ryan, cli_agent, assistant"
        );
        for set in ContractSet::ALL {
            assert_eq!(set.name().parse::<ContractSet>(), Ok(set));
        }
    }

    #[test]
    fn a_set_is_found_by_its_name_and_builds_a_contract_of_that_name() {
        let scratch = Scratch::new();
        let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
        for set in ContractSet::ALL {
            let contract = set.contract(&kit).unwrap();

            assert_eq!(set.to_string().parse(), Ok(set));
            assert_eq!(contract.name(), set.name());
            assert!(!contract.tools().is_empty(), "{set}");
        }
    }

    #[test]
    fn the_sets_of_the_documents_are_open_and_show_outputs_whole() {
        let scratch = Scratch::new();
        let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
        for set in ContractSet::ALL.into_iter().skip(1) {
            for tool in set.contract(&kit).unwrap().tools() {
                let definition = tool.definition();
                let schema = definition.input_schema().to_string();

                assert!(!schema.contains("additionalProperties"), "{set}: {schema}");
                assert_eq!(
                    definition.output_limit(),
                    Some(tool_core::OutputLimit::unlimited()),
                    "{set}: {}",
                    definition.name()
                );
            }
        }
    }

    #[test]
    fn safe_writing_asks_in_cli_agent_alone() {
        for set in ContractSet::ALL {
            let asks = set.policy().safe_write == Verdict::Ask;

            assert_eq!(asks, set == ContractSet::CliAgent, "{set}");
        }
    }
}
