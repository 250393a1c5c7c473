//! Connection to NATS. No other module uses async-nats.

mod bucket;
mod connect;
mod delivery;
mod link;
mod message;
mod objects;
mod pull;
mod queue;
mod subjects;

pub(crate) use bucket::{Bucket, Watched};
pub(crate) use delivery::Delivery;
pub(crate) use link::{Link, Subscription};
pub(crate) use message::{Body, Message};
pub(crate) use pull::Puller;
pub(crate) use queue::{EnqueueError, Queued};
pub(crate) use subjects::Names;
