//! Replies of workers, each of which belongs to one waiting call.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::JoinSet;

use crate::nats::{Body, Link, Message, Subscription};

/// Maximum number of buffered outcomes of a call. A call has one, unless a worker sends it twice.
const OUTCOMES: usize = 4;
/// Maximum number of buffered reports of a call. Further ones are dropped.
const REPORTS: usize = 64;
/// Maximum number of objects that are removed at the same time. Others expire.
const REMOVALS: usize = 32;

/// Calls that wait for replies.
pub(super) struct Replies {
    prefix: String,
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, Receiver>>,
}

struct Receiver {
    outcomes: mpsc::Sender<Message>,
    reports: mpsc::Sender<Message>,
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

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Receiver>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a call that waits.
    pub(super) fn register(self: &Arc<Self>) -> Waiting {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (outcomes, own_outcomes) = mpsc::channel(OUTCOMES);
        let (reports, own_reports) = mpsc::channel(REPORTS);
        self.lock().insert(id, Receiver { outcomes, reports });
        Waiting {
            replies: Arc::clone(self),
            id,
            outcomes: own_outcomes,
            reports: own_reports,
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
        let (id, is_report) = match rest.strip_suffix(".report") {
            Some(id) => (id, true),
            None => (rest, false),
        };
        let waiting = self.lock();
        let receiver = id.parse().ok().and_then(|id: u64| waiting.get(&id));
        let Some(receiver) = receiver else {
            return Some(message);
        };
        let sender = if is_report {
            &receiver.reports
        } else {
            &receiver.outcomes
        };
        // Reports may be lost, and one outcome is enough.
        let sent = sender.try_send(message);
        sent.err().map(TrySendError::into_inner)
    }
}

/// A call that waits for replies, removed on drop.
pub(super) struct Waiting {
    replies: Arc<Replies>,
    id: u64,
    outcomes: mpsc::Receiver<Message>,
    reports: mpsc::Receiver<Message>,
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

    /// Waits for the next reply, reports first. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Reply {
        // The senders are kept until `self` is dropped.
        tokio::select! {
            // The wait stops at the outcome, so the reports before it come first.
            biased;
            Some(report) = self.reports.recv() => Reply::Report(report),
            Some(outcome) = self.outcomes.recv() => Reply::Outcome(outcome),
            else => std::future::pending().await,
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

        assert!(matches!(second.next().await, Reply::Report(_)));
        assert!(matches!(second.next().await, Reply::Outcome(_)));
        let none = tokio::time::timeout(std::time::Duration::ZERO, first.next()).await;
        assert!(none.is_err());
    }

    #[tokio::test]
    async fn buffers_are_bounded_and_freed() {
        let replies = Arc::new(Replies::new("r".to_owned()));
        let waiting = replies.register();
        for _ in 0..1000 {
            replies.pass(message("r.0"));
            replies.pass(message("r.0.report"));
        }

        assert_eq!(waiting.outcomes.len(), OUTCOMES);
        assert_eq!(waiting.reports.len(), REPORTS);
        drop(waiting);
        assert!(replies.lock().is_empty());
    }
}
