//! Running programs of local servers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use process_tree::{Pipe, ProcessTree};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::{hygiene, locked};

/// Time for a program to exit after the end of its input.
const EXIT_GRACE: Duration = Duration::from_secs(1);

/// Time for a program that closed its output to exit, and to close standard error.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Number and length of the kept lines of standard error.
const MAX_LINES: usize = 20;
const MAX_LINE: usize = 300;

/// Running program. Dropping it kills all its processes.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) tree: ProcessTree,
    pub(crate) tail: Tail,
    /// Task that reads standard error until its end.
    reading: JoinHandle<()>,
}

impl Running {
    pub(crate) fn new(tree: ProcessTree, stderr: Pipe, server: String) -> Self {
        let tail = Tail::default();
        Self {
            tree,
            reading: tokio::spawn(tail.clone().read(stderr, server)),
            tail,
        }
    }

    /// Waits for the program to exit after the end of its input, and kills all its processes.
    pub(crate) async fn end(mut self) {
        // An error means that the program has exited.
        let _ = timeout(EXIT_GRACE, self.tree.wait()).await;
        self.tree.end().await;
    }

    /// Returns a description of the end of a program that closed its output.
    pub(crate) async fn end_of_life(&mut self) -> String {
        let status = timeout(LAST_WORDS, self.tree.wait()).await;
        // A descendant may hold standard error open.
        let _ = timeout(LAST_WORDS, &mut self.reading).await;
        match status {
            Ok(Ok(status)) => match status.code() {
                Some(code) => format!("exited with status {code}"),
                None => "was killed by a signal".to_owned(),
            },
            _ => "closed its output".to_owned(),
        }
    }
}

/// Last lines of standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    /// Returns the lines.
    pub(crate) fn text(&self) -> String {
        let lines = locked(&self.0);
        if lines.is_empty() {
            return "(none)".to_owned();
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        lines.join("\n")
    }

    async fn read(self, mut stderr: Pipe, server: String) {
        let mut chunk = vec![0; 4096];
        let mut line = Vec::new();
        while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
            for byte in chunk.iter().take(count) {
                match byte {
                    b'\n' => self.push(&std::mem::take(&mut line), &server),
                    byte if line.len() < MAX_LINE => line.push(*byte),
                    _ => {}
                }
            }
        }
        self.push(&line, &server);
    }

    fn push(&self, line: &[u8], server: &str) {
        let line = hygiene::clean(&String::from_utf8_lossy(line), MAX_LINE).text;
        if line.trim().is_empty() {
            return;
        }
        tracing::trace!(target: "tool_mcp::stderr", %server, "{line}");
        let mut lines = locked(&self.0);
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}
