//! Replies of workers, each of which belongs to one waiting call.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::JoinSet;

use crate::nats::{Body, Link, Message, Subscription};
use crate::wire::REPORT;

/// Maximum number of buffered replies of a call. Further ones are dropped.
const BUFFERED: usize = 64;
/// Places of the buffer that reports leave for the outcome.
const FOR_OUTCOMES: usize = 4;
/// Maximum number of objects that are removed at the same time. Others expire.
const REMOVALS: usize = 32;

/// Calls that wait for replies.
pub(super) struct Replies {
    prefix: String,
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, mpsc::Sender<Message>>>,
}

impl Replies {
    pub(super) fn new(prefix: String) -> Self {
        Self {
            prefix,
            next: AtomicU64::new(0),
            waiting: Mutex::default(),
        }
    }

    /// Returns the subjects of all replies.
    pub(super) fn subjects(&self) -> String {
        [&self.prefix, ".>"].concat()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, mpsc::Sender<Message>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a call that waits.
    pub(super) fn register(self: &Arc<Self>) -> Waiting {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, messages) = mpsc::channel(BUFFERED);
        self.lock().insert(id, sender);
        Waiting {
            replies: Arc::clone(self),
            id,
            messages,
        }
    }

    /// Passes the replies on, until the connection is closed. Removes the objects of replies that have no receiver.
    pub(super) async fn receive(self: Arc<Self>, mut messages: Subscription, link: Link) {
        let mut removals = JoinSet::new();
        while let Some(message) = messages.next().await {
            // Nobody waits for a late reply, and its object would stay until it expires.
            let late = self.pass(message);
            while removals.try_join_next().is_some() {}
            if let Some(body @ Body::Stored(_)) = late.map(|late| late.body)
                && removals.len() < REMOVALS
            {
                let link = link.clone();
                removals.spawn(async move { link.discard(&body).await });
            }
        }
    }

    /// Passes a reply on. Returns it if it has no receiver.
    fn pass(&self, message: Message) -> Option<Message> {
        let rest = message.subject.strip_prefix(self.prefix.as_str());
        let rest = rest.and_then(|rest| rest.strip_prefix('.'))?;
        let id = rest.strip_suffix(REPORT).unwrap_or(rest);
        let waiting = self.lock();
        let sender = id.parse().ok().and_then(|id: u64| waiting.get(&id));
        let Some(sender) = sender else {
            return Some(message);
        };
        if rest.ends_with(REPORT) && sender.capacity() <= FOR_OUTCOMES {
            return Some(message);
        }
        // Reports may be lost, and one outcome is enough.
        let sent = sender.try_send(message);
        sent.err().map(TrySendError::into_inner)
    }
}

/// A call that waits for replies, removed on drop.
pub(super) struct Waiting {
    replies: Arc<Replies>,
    id: u64,
    messages: mpsc::Receiver<Message>,
}

/// A reply of a worker.
pub(super) enum Reply {
    Outcome(Message),
    Report(Message),
}

impl Waiting {
    /// Returns the subject of the replies.
    pub(super) fn subject(&self) -> String {
        format!("{}.{}", self.replies.prefix, self.id)
    }

    /// Waits for the next reply. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Reply {
        match self.messages.recv().await {
            Some(message) if message.subject.ends_with(REPORT) => Reply::Report(message),
            Some(message) => Reply::Outcome(message),
            // The sender is kept until `self` is dropped.
            None => std::future::pending().await,
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.replies.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(subject: &str) -> Message {
        Message {
            subject: subject.to_owned(),
            body: Body::Inline(bytes::Bytes::new()),
            reply: None,
            is_undeliverable: false,
        }
    }

    #[tokio::test]
    async fn replies_reach_their_call_only() {
        let replies = Arc::new(Replies::new("toolwright.t.reply.c".to_owned()));
        let (mut first, mut second) = (replies.register(), replies.register());
        for subject in [
            "toolwright.t.reply.c.1",
            "toolwright.t.reply.c.1.report",
            "toolwright.t.reply.c.7",
            "toolwright.t.reply.c.x",
            "toolwright.t.reply.other.0",
        ] {
            replies.pass(message(subject));
        }

        assert!(matches!(second.next().await, Reply::Outcome(_)));
        assert!(matches!(second.next().await, Reply::Report(_)));
        let none = tokio::time::timeout(std::time::Duration::ZERO, first.next()).await;
        assert!(none.is_err());
    }

    #[tokio::test]
    async fn buffers_are_bounded_and_freed() {
        let replies = Arc::new(Replies::new("r".to_owned()));
        let waiting = replies.register();
        for _ in 0..1000 {
            replies.pass(message("r.0.report"));
        }
        // Reports leave room for the outcome.
        assert_eq!(waiting.messages.len(), BUFFERED - FOR_OUTCOMES);
        for _ in 0..1000 {
            replies.pass(message("r.0"));
        }

        assert_eq!(waiting.messages.len(), BUFFERED);
        drop(waiting);
        assert!(replies.lock().is_empty());
    }
}
