//! What the tools are called: one file for each contract.

#[cfg(test)]
#[cfg(all(feature = "search", feature = "shell"))]
mod advice_tests;
mod assistant;
mod cli_agent;
mod dracode;
#[cfg(test)]
#[cfg(all(feature = "search", feature = "shell"))]
mod path_tests;
mod repo_explorer;
mod ryan;
mod set;
mod standard;
#[cfg(test)]
#[cfg(any(feature = "shell", all(feature = "search", feature = "todo")))]
mod testing;
#[cfg(test)]
#[cfg(all(feature = "search", feature = "shell"))]
mod timeout_tests;
#[cfg(test)]
#[cfg(feature = "web")]
mod web_tests;
mod words;

pub use assistant::assistant;
pub use cli_agent::cli_agent;
pub use dracode::dracode;
pub use repo_explorer::repo_explorer;
pub use ryan::ryan;
pub use set::{ContractSet, UnknownContractSet};
pub use standard::standard;
