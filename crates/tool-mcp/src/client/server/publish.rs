//! Tools of a server in the registry.

use std::sync::Arc;

use tool_core::{RegisterError, Tool, ToolName};

use super::Server;
use crate::client::event::ServerEventKind;
use crate::client::list::{List, Listed};
use crate::client::names;
use crate::client::pins::Review;
use crate::client::proxy::Proxy;
use crate::client::report::{HiddenTool, OmittedTool, ToolClaims};
use crate::client::risk::Claims;

/// Tools of a list after the review, and the reasons for the others.
#[derive(Default)]
struct Reviewed {
    tools: Vec<Arc<dyn Tool>>,
    claims: Vec<ToolClaims>,
    hidden: Vec<HiddenTool>,
    omitted: Vec<OmittedTool>,
}

impl Server {
    /// Replaces the tools of the server.
    pub(crate) fn publish(self: &Arc<Self>, list: List) {
        let mut reviewed = self.review(&list);
        let tools = self.register(reviewed.tools, &mut reviewed.omitted);
        let mut status = self.status();
        status.report.tools = tools
            .iter()
            .map(|tool| tool.definition().name().to_owned())
            .collect();
        let is_registered = |claims: &ToolClaims| status.report.tools.contains(&claims.tool);
        reviewed.claims.retain(is_registered);
        status.report.claims = reviewed.claims;
        status.report.omitted = reviewed.omitted;
        let known = std::mem::replace(&mut status.report.hidden, reviewed.hidden.clone());
        status.report.warnings.clone_from(&list.warnings);
        status.tools = tools;
        status.list = Some(list);
        let mut omissions = status.report.omissions();
        omissions.extend(status.report.reviews());
        drop(status);
        for omission in omissions {
            tracing::warn!("{omission}");
        }
        for tool in reviewed.hidden.iter().filter(|tool| !known.contains(tool)) {
            self.emit(ServerEventKind::ToolHidden { tool });
        }
    }

    /// Compares the offered tools with their pins and names them.
    fn review(self: &Arc<Self>, list: &List) -> Reviewed {
        let omitted = list.omitted.iter().cloned();
        let mut reviewed = Reviewed {
            omitted: omitted
                .map(|(name, reason)| OmittedTool { name, reason })
                .collect(),
            ..Reviewed::default()
        };
        let reviews = self.pins.review(&self.name, &self.identity(), &list.tools);
        let listed = list.tools.iter().zip(reviews);
        for (listed, review) in listed.filter(|(listed, _)| self.offers(&listed.name)) {
            let name = listed.name.clone();
            if let Review::Hidden { digest, changes } = review {
                reviewed.hidden.push(HiddenTool {
                    name,
                    changes,
                    digest,
                });
                continue;
            }
            match self.named(listed, &reviewed.tools) {
                Ok(name) => {
                    if listed.claims != Claims::default() {
                        let claims = ToolClaims::new(name.as_str(), listed.claims);
                        reviewed.claims.push(claims);
                    }
                    let proxy = Proxy::new(self, &name, listed);
                    reviewed.tools.push(Arc::new(proxy));
                }
                Err(reason) => reviewed.omitted.push(OmittedTool { name, reason }),
            }
        }
        reviewed
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
