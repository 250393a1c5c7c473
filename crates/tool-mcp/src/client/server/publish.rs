//! Tools of a server in the registry.

use std::sync::Arc;

use tool_core::{RegisterError, Tool, ToolName};

use super::Server;
use crate::client::list::{List, Listed};
use crate::client::names;
use crate::client::proxy::Proxy;
use crate::client::report::OmittedTool;

impl Server {
    /// Replaces the tools of the server.
    pub(crate) fn publish(self: &Arc<Self>, list: List) {
        let mut omitted: Vec<OmittedTool> = list
            .omitted
            .into_iter()
            .map(|(name, reason)| OmittedTool { name, reason })
            .collect();
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for listed in list.tools.iter().filter(|listed| self.offers(&listed.name)) {
            match self.named(listed, &tools) {
                Ok(name) => tools.push(Arc::new(Proxy::new(self, &name, listed))),
                Err(reason) => omitted.push(OmittedTool {
                    name: listed.name.clone(),
                    reason,
                }),
            }
        }
        let tools = self.register(tools, &mut omitted);
        let mut status = self.status();
        status.report.tools = tools
            .iter()
            .map(|tool| tool.definition().name().to_owned())
            .collect();
        status.report.omitted = omitted;
        status.report.warnings = list.warnings;
        status.tools = tools;
        let omissions = status.report.omissions();
        drop(status);
        for omission in omissions {
            tracing::warn!("{omission}");
        }
    }

    /// Returns the name of a tool unless another tool has it.
    fn named(&self, listed: &Listed, tools: &[Arc<dyn Tool>]) -> Result<ToolName, String> {
        let name = names::tool_name(&self.prefix, &listed.name)?;
        let is_taken = tools
            .iter()
            .any(|tool| tool.definition().name() == name.as_str());
        if is_taken {
            Err("another tool has the same name".to_owned())
        } else {
            Ok(name)
        }
    }

    fn offers(&self, tool: &str) -> bool {
        let any =
            |patterns: &[String]| patterns.iter().any(|pattern| names::matches(pattern, tool));
        (self.config.tools.is_empty() || any(&self.config.tools))
            && !any(&self.config.disabled_tools)
    }

    /// Replaces the tools in the registry. Returns the registered ones.
    fn register(
        &self,
        tools: Vec<Arc<dyn Tool>>,
        omitted: &mut Vec<OmittedTool>,
    ) -> Vec<Arc<dyn Tool>> {
        let Some(source) = &self.source else {
            return tools;
        };
        // One task refreshes the tools, so that no other refresh can be newer.
        let refreshed = match source.begin().finish(tools.iter().cloned()) {
            Ok(refreshed) => refreshed,
            Err(error) => {
                tracing::warn!(server = %self.name, %error, "tools not registered");
                return Vec::new();
            }
        };
        for error in &refreshed.refused {
            omitted.push(OmittedTool {
                name: name_of(error),
                reason: error.to_string(),
            });
        }
        let is_registered = |tool: &Arc<dyn Tool>| {
            let name = tool.definition().name();
            let mut names = refreshed.added.iter().chain(&refreshed.replaced);
            names.any(|registered| registered == name)
        };
        tools.into_iter().filter(is_registered).collect()
    }
}

fn name_of(error: &RegisterError) -> String {
    match error {
        RegisterError::NameTaken { name, .. }
        | RegisterError::InvalidSchema { name, .. }
        | RegisterError::InvalidExample { name, .. } => name.to_string(),
        _ => String::new(),
    }
}
