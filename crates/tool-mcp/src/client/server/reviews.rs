//! Reviews of a server and its tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tool_core::Secret;

use super::Server;
use crate::client::error::ServerError;
use crate::client::pins::AcceptError;
use crate::config::ConfigOrigin;
use crate::hexadecimal::hexadecimal;
use crate::hygiene;

fn digest(parts: &Value) -> String {
    hexadecimal(&Sha256::digest(parts.to_string()))
}

fn exposed(values: &BTreeMap<String, Secret<String>>) -> BTreeMap<&String, &String> {
    let values = values.iter();
    values.map(|(name, value)| (name, value.expose())).collect()
}

impl Server {
    /// Returns the digest of the command or the address, without values of the environment: a new token is no other server.
    pub(crate) fn identity(&self) -> String {
        let config = &self.config;
        let names: Vec<&String> = config.env.keys().collect();
        digest(&json!([config.command, config.args, config.url, config.cwd, names]))
    }

    /// Returns the digest of a configuration from a project, with values of the environment: they can change what a
    /// program does.
    fn project_digest(&self) -> String {
        let config = &self.config;
        let (env, headers) = (exposed(&config.env), exposed(&config.headers));
        digest(&json!([self.identity(), env, headers, config.inherit_env]))
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
            summary: hygiene::clean(&summary, 500).text,
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
        let nothing = || AcceptError::NothingHidden {
            server: self.name.clone(),
            tool: tool.to_owned(),
        };
        let mut status = self.status();
        let mut hidden = status.report.hidden.iter();
        let hidden = hidden.find(|hidden| hidden.name == tool);
        let current = &hidden.ok_or_else(nothing)?.digest;
        if current != digest {
            return Err(AcceptError::OtherDigest {
                server: self.name.clone(),
                tool: tool.to_owned(),
                digest: current.clone(),
            });
        }
        let list = status.list.take().ok_or_else(nothing)?;
        drop(status);
        if let Some(listed) = list.tools.iter().find(|listed| listed.name == tool) {
            self.pins.accept(&self.name, &self.identity(), listed);
        }
        self.publish(list);
        Ok(())
    }
}
