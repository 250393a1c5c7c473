//! Tools of a server in the registry.

use std::collections::BTreeMap;
use std::sync::Arc;

use tool_core::{RegisterError, Tool, ToolName};

use super::Server;
use crate::client::event::ServerEventKind;
use crate::client::list::{List, Listed, OmittedTool};
use crate::client::names;
use crate::client::proxy::Proxy;
use crate::client::risk::ToolClaims;

impl Server {
    /// Replaces the tools of the server by those of a list that are reviewed and valid.
    pub(crate) fn publish(self: &Arc<Self>, list: List) {
        let mut claims = BTreeMap::new();
        let mut hidden = Vec::new();
        let mut omitted = list.omitted.clone();
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        let reviews = self.pins.review(&self.name, &self.identity(), &list.tools);
        let listed = list.tools.iter().zip(reviews);
        for (listed, review) in listed.filter(|(listed, _)| self.offers(&listed.name)) {
            if let Some(tool) = review {
                hidden.push(tool);
                continue;
            }
            match self.named(listed, &tools) {
                Ok(name) => {
                    claims.insert(name.to_string(), listed.claims);
                    tools.push(Arc::new(Proxy::new(self, &name, listed)));
                }
                Err(reason) => omitted.push(OmittedTool::new(&listed.name, reason)),
            }
        }
        let tools = self.register(tools, &mut omitted);
        let mut status = self.status();
        let names = tools.iter().map(|tool| tool.definition().name().to_owned());
        status.report.tools = names.collect();
        claims.retain(|tool, claims| {
            status.report.tools.contains(tool) && *claims != ToolClaims::default()
        });
        status.report.claims = claims;
        status.report.omitted = omitted;
        let known = std::mem::replace(&mut status.report.hidden, hidden.clone());
        status.report.warnings.clone_from(&list.warnings);
        status.tools = tools;
        status.list = Some(list);
        let mut omissions = status.report.omissions();
        omissions.extend(status.report.reviews());
        drop(status);
        for omission in omissions {
            tracing::warn!("{omission}");
        }
        for tool in hidden.iter().filter(|tool| !known.contains(tool)) {
            self.emit(ServerEventKind::ToolHidden { tool });
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
            omitted.push(OmittedTool::new(&name_of(error), error.to_string()));
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
