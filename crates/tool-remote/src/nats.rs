//! Connection to NATS. No other module uses async-nats.

mod link;
mod pull;
mod queue;
mod stores;

pub(crate) use link::{Body, Link, Message, Subscription};
pub(crate) use pull::{Delivery, Puller};
pub(crate) use queue::{EnqueueError, Queued};
pub(crate) use stores::{Bucket, Watched};

/// Names of one tenant. Tenants, groups and clients have no dots, so that subjects of tenants never overlap.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    tenant: String,
}

impl Names {
    pub(crate) fn new(tenant: &str) -> Self {
        Self {
            tenant: tenant.to_owned(),
        }
    }

    pub(crate) fn tenant(&self) -> &str {
        &self.tenant
    }

    /// Returns a subject of a group: of queued calls (`call`), calls that only read (`read`), queries about earlier calls
    /// (`find`), cancelled calls (`cancel`), and calls that no worker could finish (`dead`). Or of a client: the prefix
    /// of its replies (`reply`).
    pub(crate) fn subject(&self, kind: &str, last: &str) -> String {
        ["toolwright.", &self.tenant, ".", kind, ".", last].concat()
    }

    /// Prefix of inboxes.
    pub(crate) fn inboxes(&self) -> String {
        ["toolwright.", &self.tenant, ".inbox"].concat()
    }

    /// Stream of queued calls.
    pub(crate) fn queue(&self) -> String {
        ["TOOLS_", &self.tenant].concat()
    }

    /// Stream of calls that no worker could finish.
    pub(crate) fn dead_letters(&self) -> String {
        ["DEADTOOLS_", &self.tenant].concat()
    }

    /// Bucket of the workers and their heartbeats.
    pub(crate) fn workers(&self) -> String {
        ["tool_workers_", &self.tenant].concat()
    }

    /// Bucket of the definitions, by digest.
    pub(crate) fn definitions(&self) -> String {
        ["tool_definitions_", &self.tenant].concat()
    }

    /// Object store of large messages.
    pub(crate) fn objects(&self) -> String {
        ["tool_objects_", &self.tenant].concat()
    }
}
