//! Reviewed tools of a server in the registry.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{RegisterError, Registry, Secret, Tool};

use super::Server;
use crate::client::list::{HiddenTool, List, Listed, OmittedTool};
use crate::client::names::{self, KnownNames};
use crate::client::proxy::Proxy;
use crate::client::report::ServerError;
use crate::client::risk::ToolClaims;
use crate::hygiene::{self, digest};

impl Server {
    /// Replaces the tools of the server by those of a list that are reviewed and valid.
    pub(crate) fn publish(self: &Arc<Self>, list: List) {
        let mut claims = BTreeMap::new();
        let mut hidden = Vec::new();
        let mut omitted = list.omitted.clone();
        let mut warnings = [self.warnings.as_slice(), &list.warnings].concat();
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        let known = self.known_names(&list);
        let pins = &self.shared.pins;
        let reviews = pins.review(&self.name, &self.identity(), &list.tools);
        // Review tools that the host does not offer, too. Otherwise they could change before it enables them.
        let listed = list.tools.iter().zip(reviews);
        for (listed, review) in listed.filter(|(listed, _)| self.offers(&listed.name)) {
            if let Some(tool) = review {
                hidden.push(tool);
                continue;
            }
            match names::tool_name(&self.prefix, &listed.name) {
                Ok(name) => {
                    let look_alike = known.look_alike(&listed.name);
                    let warning = |reason| format!("The tool \"{}\" {reason}.", listed.name);
                    warnings.extend(look_alike.iter().map(warning));
                    claims.insert(name.to_string(), listed.claims);
                    tools.push(Arc::new(Proxy::new(self, &name, listed, look_alike)));
                }
                Err(reason) => omitted.push(OmittedTool::new(&listed.name, reason)),
            }
        }
        tools.extend(self.reader());
        let tools = self.register(tools, &mut omitted);
        let names = tools.iter().map(|tool| tool.definition().name().to_owned());
        let names: Vec<String> = names.collect();
        claims.retain(|tool, claims| names.contains(tool) && *claims != ToolClaims::default());
        self.status.send_modify(|status| {
            let report = &mut status.report;
            (report.tools, report.claims, report.omitted) = (names, claims, omitted);
            report.hidden = hidden;
            report.warnings = warnings;
            status.tools = tools;
            status.list = Some(list);
        });
        self.log_missing_tools();
    }

    /// Returns the tool that reads linked resources, if the host offers it.
    fn reader(self: &Arc<Self>) -> Option<Arc<dyn Tool>> {
        let reader = Listed::reader(&self.name);
        let is_offered = self.config.resources && self.offers(&reader.name);
        let name = names::tool_name(&self.prefix, &reader.name).ok();
        let name = name.filter(|_| is_offered)?;
        Some(Arc::new(Proxy::reader(self, &name, &reader)))
    }

    fn log_missing_tools(&self) {
        let report = self.report();
        for OmittedTool { name, reason } in &report.omitted {
            tracing::warn!(server = %self.name, tool = %name, %reason, "a tool is omitted");
        }
        for HiddenTool { name, changes, .. } in &report.hidden {
            tracing::warn!(server = %self.name, tool = %name, ?changes, "a tool is hidden until it is accepted");
        }
    }

    /// Returns the names that tools of this server could imitate: the other ones in the registry, without their servers, and
    /// those of its own list.
    fn known_names(&self, list: &List) -> KnownNames {
        let registry = self.shared.registry.iter();
        let registered = registry.flat_map(Registry::list);
        let others = registered.map(|tool| names::own_part(tool.name()).to_owned());
        let own = list.tools.iter().map(|tool| tool.name.clone());
        others.chain(own).collect()
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
        mut tools: Vec<Arc<dyn Tool>>,
        omitted: &mut Vec<OmittedTool>,
    ) -> Vec<Arc<dyn Tool>> {
        let Some(source) = &self.source else {
            return tools;
        };
        // One task refreshes the tools, so that no other refresh can be newer.
        let refreshed = match source.refresh(tools.iter().cloned()) {
            Ok(refreshed) => refreshed,
            Err(error) => {
                tracing::warn!(server = %self.name, %error, "tools not registered");
                return Vec::new();
            }
        };
        for error in &refreshed.refused {
            omitted.push(OmittedTool::new(&name_of(error), error.to_string()));
        }
        tools.retain(|tool| {
            let name = tool.definition().name();
            let mut names = refreshed.added.iter().chain(&refreshed.replaced);
            names.any(|registered| registered == name)
        });
        tools
    }

    /// Returns the digest of the command or the address, without values of the environment: a new token is no other server.
    pub(crate) fn identity(&self) -> String {
        let config = &self.config;
        let names: Vec<&String> = config.env.keys().collect();
        digest(&json!([config.command, config.args, config.url, config.cwd, names]).to_string())
    }

    /// Returns the digest of a configuration from a project, with values of the environment: they can change what a
    /// program does.
    fn project_digest(&self) -> String {
        let config = &self.config;
        let exposed = |values: &BTreeMap<String, Secret<String>>| {
            let values = values
                .iter()
                .map(|(name, value)| json!([name, value.expose()]));
            values.collect::<Value>()
        };
        let (env, headers) = (exposed(&config.env), exposed(&config.headers));
        digest(&json!([self.identity(), env, headers, config.inherit_env]).to_string())
    }

    /// Checks that the user approved a configuration from a project.
    pub(crate) fn check_approval(&self) -> Result<(), ServerError> {
        let config = &self.config;
        let digest = self.project_digest();
        if !config.is_from_project || self.shared.pins.is_approved(&self.name, &digest) {
            return Ok(());
        }
        let command = config.command.iter().chain(&config.args);
        let command: Vec<&str> = command.map(String::as_str).collect();
        let summary = config.url.clone().unwrap_or_else(|| command.join(" "));
        Err(ServerError::NotApproved {
            server: self.name.clone(),
            summary: hygiene::clean(&summary, 500).text,
            digest,
        })
    }

    /// Approves the configuration from a project. Returns `false` for another digest.
    pub(crate) fn approve(&self, digest: &str) -> bool {
        let is_current = self.project_digest() == digest;
        if is_current {
            self.shared.pins.approve(&self.name, digest);
        }
        is_current
    }

    /// Accepts a hidden definition and offers the tool. Returns `false` if no hidden definition has the digest.
    pub(crate) fn accept(self: &Arc<Self>, tool: &str, digest: &str) -> bool {
        let list = {
            let status = self.status.borrow();
            let mut hidden = status.report.hidden.iter();
            let is_hidden = hidden.any(|hidden| hidden.name == tool && hidden.digest == digest);
            status.list.clone().filter(|_| is_hidden)
        };
        let Some(list) = list else {
            return false;
        };
        if let Some(listed) = list.tools.iter().find(|listed| listed.name == tool) {
            let pins = &self.shared.pins;
            pins.accept(&self.name, &self.identity(), listed);
        }
        self.publish(list);
        self.report_change();
        true
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
