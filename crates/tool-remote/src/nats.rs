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

    fn subject(&self, kind: &str, last: &str) -> String {
        ["toolwright.", &self.tenant, ".", kind, ".", last].concat()
    }

    /// Queued calls of a group.
    pub(crate) fn queued(&self, group: &str) -> String {
        self.subject("call", group)
    }

    /// Calls that only read.
    pub(crate) fn read(&self, group: &str) -> String {
        self.subject("read", group)
    }

    /// Queries about earlier calls.
    pub(crate) fn find(&self, group: &str) -> String {
        self.subject("find", group)
    }

    /// Cancelled calls.
    pub(crate) fn cancel(&self, group: &str) -> String {
        self.subject("cancel", group)
    }

    /// Calls that no worker could finish.
    pub(crate) fn dead(&self, group: &str) -> String {
        self.subject("dead", group)
    }

    /// Prefix of the reply subjects of a client.
    pub(crate) fn replies(&self, client: &str) -> String {
        self.subject("reply", client)
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
