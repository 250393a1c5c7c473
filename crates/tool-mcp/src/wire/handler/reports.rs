//! Progress and log lines of calls, sent to the client.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RoleServer};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::interval;
use tool_core::{CancellationToken, Progress, ProgressSink, Redactor};

use super::Context;
use crate::locked;
use crate::server::{ClientLog, LogLevel};

/// Minimum interval between two reports of one call.
const INTERVAL: Duration = Duration::from_millis(100);

/// Maximum number of log lines in an interval. Further lines are dropped.
const MAX_LINES: usize = 64;

/// Reports that were not sent yet.
#[derive(Default)]
struct Waiting(Mutex<Vec<Progress>>);

impl ProgressSink for Waiting {
    fn progress(&self, _: &str, _: &str, progress: &Progress) {
        let mut waiting = locked(&self.0);
        // Keep the first report, so that short calls show their start, and the last one.
        waiting.truncate(1);
        waiting.push(progress.clone());
    }
}

/// Reports of a call to its client.
pub(super) struct Reports {
    peer: Peer<RoleServer>,
    progress: Option<(ProgressToken, Arc<Waiting>)>,
    log: Option<(LogLevel, mpsc::Sender<Line>, mpsc::Receiver<Line>)>,
    /// Last sent number of steps.
    sent: f64,
}

type Line = (LogLevel, String);

impl Reports {
    /// Creates the reports that the client has requested.
    pub(super) fn new(context: &Context, level: Option<LogLevel>) -> Self {
        let token = context.meta.get_progress_token();
        Self {
            peer: context.peer.clone(),
            progress: token.map(|token| (token, Arc::default())),
            log: level.map(|level| {
                let (sender, receiver) = mpsc::channel(MAX_LINES);
                (level, sender, receiver)
            }),
            sent: -1.0,
        }
    }

    /// Returns the sink for the progress of the call.
    pub(super) fn sink(&self) -> Option<Arc<dyn ProgressSink>> {
        let (_, waiting) = self.progress.as_ref()?;
        Some(Arc::clone(waiting) as _)
    }

    /// Returns the sender of log lines.
    pub(super) fn log(&self, redactor: Option<Redactor>) -> Option<ClientLog> {
        let (level, sender, _) = self.log.as_ref()?;
        Some(ClientLog::new(*level, sender.clone(), redactor))
    }

    fn is_empty(&self) -> bool {
        self.progress.is_none() && self.log.is_none()
    }

    /// Sends the waiting reports.
    async fn send(&mut self) {
        self.send_lines().await;
        let Some((token, waiting)) = &self.progress else {
            return;
        };
        let token = token.clone();
        let reports = {
            let mut waiting = locked(&waiting.0);
            std::mem::take(&mut *waiting)
        };
        for report in reports {
            self.send_progress(token.clone(), report).await;
        }
    }

    async fn send_progress(&mut self, token: ProgressToken, progress: Progress) {
        let done = as_float(progress.done);
        // The protocol requires increasing numbers.
        self.sent = if done > self.sent {
            done
        } else {
            self.sent + 1.0
        };
        let mut report = ProgressNotificationParam::new(token, self.sent);
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

    async fn send_lines(&mut self) {
        let Some((_, _, lines)) = &mut self.log else {
            return;
        };
        while let Ok((level, line)) = lines.try_recv() {
            let line = LoggingMessageNotificationParam::new(wire_level(level), Value::from(line));
            // An error means that the client is gone.
            let _ = self.peer.notify_logging_message(line).await;
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of steps are small")]
fn as_float(steps: u64) -> f64 {
    steps as f64
}

/// Levels of ours and of the protocol.
const LEVELS: [(LogLevel, LoggingLevel); 8] = [
    (LogLevel::Debug, LoggingLevel::Debug),
    (LogLevel::Info, LoggingLevel::Info),
    (LogLevel::Notice, LoggingLevel::Notice),
    (LogLevel::Warning, LoggingLevel::Warning),
    (LogLevel::Error, LoggingLevel::Error),
    (LogLevel::Critical, LoggingLevel::Critical),
    (LogLevel::Alert, LoggingLevel::Alert),
    (LogLevel::Emergency, LoggingLevel::Emergency),
];

fn wire_level(level: LogLevel) -> LoggingLevel {
    let known = LEVELS.iter().find(|(own, _)| *own == level);
    known.map_or(LoggingLevel::Info, |(_, wire)| *wire)
}

/// Returns the level of a request.
pub(super) fn level_of(level: LoggingLevel) -> LogLevel {
    let known = LEVELS.iter().find(|(_, wire)| *wire == level);
    known.map_or(LogLevel::Info, |(own, _)| *own)
}

/// Runs `call`, and sends its reports.
pub(super) async fn with_reports<F: Future>(call: F, mut reports: Reports) -> F::Output {
    if reports.is_empty() {
        return call.await;
    }
    let finished = CancellationToken::new();
    let is_finished = finished.clone();
    // A task of its own, so that the call continues while a slow client reads. It ends with the call.
    let mut sending = JoinSet::new();
    sending.spawn(async move {
        let mut pulse = interval(INTERVAL);
        while is_finished
            .run_until_cancelled(pulse.tick())
            .await
            .is_some()
        {
            reports.send().await;
        }
        reports.send().await;
    });
    let output = call.await;
    finished.cancel();
    sending.join_all().await;
    output
}
