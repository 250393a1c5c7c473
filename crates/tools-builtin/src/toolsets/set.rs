//! Names of the toolsets.

use std::fmt;
use std::str::FromStr;

use tool_core::approval::{Policy, Verdict};
use tool_core::{RiskLevel, Toolset, ToolsetError};

use super::{assistant, cli_agent, coding_gpt, dracode, repo_explorer, ryan, standard};
use crate::Kit;

/// Built-in toolsets, for applications that let the user choose one.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::toolsets::ToolsetName;
/// use tools_builtin::{Kit, Workspace};
///
/// let set: ToolsetName = "cli_agent".parse()?;
/// let scratch = Scratch::new();
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::builder().policy(set.policy()).toolset(&set.toolset(&kit)?)?.build();
/// assert!(registry.get("create_file").is_some());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolsetName {
    /// [`standard()`].
    #[default]
    Standard,
    /// [`coding_gpt()`].
    CodingGpt,
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

/// Error for an unknown toolset name.
///
/// # Examples
/// ```
/// use tools_builtin::toolsets::ToolsetName;
///
/// let error = "cli".parse::<ToolsetName>().unwrap_err();
/// assert!(error.to_string().starts_with("unknown toolset `cli`; use one of standard, coding_gpt, dracode, "));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown toolset `{0}`; use one of {names}", names = names())]
pub struct UnknownToolset(String);

impl ToolsetName {
    /// All toolsets.
    pub const ALL: [Self; 7] = [
        Self::Standard,
        Self::CodingGpt,
        Self::Dracode,
        Self::RepoExplorer,
        Self::Ryan,
        Self::CliAgent,
        Self::Assistant,
    ];

    /// Returns the name, such as `cli_agent`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::CodingGpt => "coding_gpt",
            Self::Dracode => "dracode",
            Self::RepoExplorer => "repo_explorer",
            Self::Ryan => "ryan",
            Self::CliAgent => "cli_agent",
            Self::Assistant => "assistant",
        }
    }

    /// Builds the toolset over the tools of `kit`.
    ///
    /// # Errors
    /// Returns [`ToolsetError`] if two tools have one name. Tests build every
    /// toolset.
    pub fn toolset(self, kit: &Kit) -> Result<Toolset, ToolsetError> {
        match self {
            Self::Standard => standard(kit),
            Self::CodingGpt => coding_gpt(kit),
            Self::Dracode => dracode(kit),
            Self::RepoExplorer => repo_explorer(kit),
            Self::Ryan => ryan(kit),
            Self::CliAgent => cli_agent(kit),
            Self::Assistant => assistant(kit),
        }
    }

    /// Returns the default policy of the toolset: read-only calls are allowed, dangerous calls
    /// require approval. Safe writes require approval in `cli_agent` and are allowed in the other
    /// toolsets.
    pub fn policy(self) -> Policy {
        let policy = Policy::default();
        match self {
            Self::CliAgent => policy.with_verdict(RiskLevel::SafeWrite, Verdict::Ask),
            _ => policy,
        }
    }
}

impl fmt::Display for ToolsetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ToolsetName {
    type Err = UnknownToolset;

    fn from_str(name: &str) -> Result<Self, UnknownToolset> {
        let found = Self::ALL.into_iter().find(|set| set.name() == name);
        found.ok_or_else(|| UnknownToolset(name.to_owned()))
    }
}

fn names() -> String {
    ToolsetName::ALL.map(ToolsetName::name).join(", ")
}

#[cfg(test)]
mod tests {
    use tool_core::Tool;
    use tool_test::Scratch;

    use super::*;
    use crate::Workspace;

    #[test]
    fn unknown_name_lists_known_names() {
        let error = "cli".parse::<ToolsetName>().unwrap_err();

        assert_eq!(
            error.to_string(),
            "unknown toolset `cli`; use one of standard, coding_gpt, dracode, repo_explorer, ryan, cli_agent, assistant"
        );
        for set in ToolsetName::ALL {
            assert_eq!(set.name().parse::<ToolsetName>(), Ok(set));
        }
    }

    #[test]
    fn name_selects_toolset() {
        let scratch = Scratch::new();
        let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
        for set in ToolsetName::ALL {
            let toolset = set.toolset(&kit).unwrap();

            assert_eq!(set.to_string().parse(), Ok(set));
            assert_eq!(toolset.name(), set.name());
            assert!(!toolset.tools().is_empty(), "{set}");
        }
    }

    #[test]
    fn document_toolsets_are_open_and_show_full_outputs() {
        let scratch = Scratch::new();
        let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
        for set in ToolsetName::ALL.into_iter().skip(2) {
            for tool in set.toolset(&kit).unwrap().tools() {
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
    fn only_cli_agent_requires_approval_for_safe_writes() {
        for set in ToolsetName::ALL {
            let asks = set.policy().safe_write == Verdict::Ask;

            assert_eq!(asks, set == ToolsetName::CliAgent, "{set}");
        }
    }
}
