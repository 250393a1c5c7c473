//! Progress of calls, sent to the client.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::time::interval;
use tool_core::{Progress, ProgressSink};

/// Minimum interval between two progress reports of one call.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Latest report of a call.
#[derive(Default)]
struct Latest(Mutex<Option<Progress>>);

impl ProgressSink for Latest {
    fn progress(&self, _: &str, _: &str, progress: &Progress) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
    }
}

/// Reports of a call to its client.
pub(super) struct Reports {
    latest: Arc<Latest>,
    token: ProgressToken,
    peer: Peer<RoleServer>,
    /// Last sent number of steps.
    sent: f64,
}

impl Reports {
    pub(super) fn new(token: ProgressToken, peer: Peer<RoleServer>) -> Self {
        Self {
            latest: Arc::default(),
            token,
            peer,
            sent: -1.0,
        }
    }

    /// Returns the sink for the progress of the call.
    pub(super) fn sink(&self) -> Arc<dyn ProgressSink> {
        Arc::clone(&self.latest) as _
    }

    /// Sends the latest report, unless it was sent before.
    async fn send(&mut self) {
        let latest = self
            .latest
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(progress) = latest else {
            return;
        };
        let done = as_float(progress.done);
        // The protocol requires increasing numbers.
        self.sent = if done > self.sent {
            done
        } else {
            self.sent + 1.0
        };
        let mut report = ProgressNotificationParam::new(self.token.clone(), self.sent);
        if let Some(total) = progress
            .total
            .map(as_float)
            .filter(|total| *total >= self.sent)
        {
            report = report.with_total(total);
        }
        if !progress.message.is_empty() {
            report = report.with_message(progress.message);
        }
        // An error means that the client is gone.
        let _ = self.peer.notify_progress(report).await;
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of steps are small")]
fn as_float(steps: u64) -> f64 {
    steps as f64
}

/// Runs `call`, and sends its progress.
pub(super) async fn with_reports<F: Future>(call: F, reports: Option<Reports>) -> F::Output {
    let Some(mut reports) = reports else {
        return call.await;
    };
    let mut call = std::pin::pin!(call);
    let mut pulse = interval(PROGRESS_INTERVAL);
    loop {
        tokio::select! {
            result = &mut call => {
                reports.send().await;
                return result;
            }
            _ = pulse.tick() => reports.send().await,
        }
    }
}
