//! Reviews of a server and its tools.

use std::sync::Arc;

use serde_json::json;
use sha2::{Digest, Sha256};
use tool_core::Secret;

use super::Server;
use crate::client::drift::Reviewed;
use crate::client::error::ServerError;
use crate::client::pins::AcceptError;
use crate::config::ConfigOrigin;
use crate::hexadecimal::hexadecimal;

impl Server {
    /// Returns the digest of the command or the address, without values of the environment.
    pub(crate) fn identity(&self) -> String {
        let config = &self.config;
        let names: Vec<&String> = config.env.keys().collect();
        let parts = json!([config.command, config.args, config.url, config.cwd, names]);
        hexadecimal(&Sha256::digest(parts.to_string()))
    }

    /// Returns the digest of a configuration from a project, with values of the environment.
    fn project_digest(&self) -> String {
        let config = &self.config;
        let exposed = |values: &std::collections::BTreeMap<String, Secret<String>>| {
            let values = values.iter();
            values
                .map(|(name, value)| json!([name, value.expose()]))
                .collect::<Vec<_>>()
        };
        let parts = json!([
            self.identity(),
            exposed(&config.env),
            exposed(&config.headers),
            config.inherit_env
        ]);
        hexadecimal(&Sha256::digest(parts.to_string()))
    }

    /// Checks that the user approved a configuration from a project.
    pub(crate) fn check_approval(&self) -> Result<(), ServerError> {
        let digest = self.project_digest();
        if self.config.origin == ConfigOrigin::Host || self.pins.is_approved(&self.name, &digest) {
            return Ok(());
        }
        let config = &self.config;
        let command = config.command.iter().chain(&config.args);
        let command: Vec<&str> = command.map(String::as_str).collect();
        let summary = config.url.clone().unwrap_or_else(|| command.join(" "));
        Err(ServerError::NotApproved {
            server: self.name.clone(),
            summary: crate::hygiene::clean(&summary, 500).text,
            digest,
        })
    }

    /// Approves the configuration from a project. Returns `false` for another digest.
    pub(crate) fn approve(&self, digest: &str) -> bool {
        let is_current = self.project_digest() == digest;
        if is_current {
            self.pins.approve(&self.name, digest);
        }
        is_current
    }

    /// Accepts a hidden definition and offers the tool.
    pub(crate) fn accept(self: &Arc<Self>, tool: &str, digest: &str) -> Result<(), AcceptError> {
        let server = self.name.clone();
        let tool = tool.to_owned();
        let mut status = self.status();
        let is_hidden = status
            .report
            .hidden
            .iter()
            .any(|hidden| hidden.name == tool);
        let listed = status.list.as_ref().and_then(|list| {
            let mut tools = list.tools.iter();
            tools.find(|listed| listed.name == tool)
        });
        let Some(listed) = listed.filter(|_| is_hidden) else {
            return Err(AcceptError::NothingHidden { server, tool });
        };
        let current = Reviewed::of(listed).digest();
        if current != digest {
            return Err(AcceptError::OtherDigest {
                server,
                tool,
                digest: current,
            });
        }
        self.pins.accept(&server, &self.identity(), listed);
        let list = status.list.take();
        drop(status);
        if let Some(list) = list {
            self.publish(list);
        }
        Ok(())
    }
}
