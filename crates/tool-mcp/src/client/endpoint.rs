//! The other end of a connection: a program, a remote server or a stream of the host.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::process::Running;
use crate::wire::Signals;

/// Time for a remote server to delete the session, and for a stream to be closed.
const SESSION_END: Duration = Duration::from_secs(1);

/// Running program, or connection.
pub(crate) enum Endpoint {
    /// Local program. Dropping it kills all its processes.
    Program(Box<Running>),
    /// Remote server or stream, whose connection is closed with its link.
    Connected(Arc<Signals>),
}

impl Endpoint {
    /// Waits until a program exits. Waits forever for other servers.
    pub(crate) async fn exited(&mut self) {
        match self {
            // An error means that the program has exited.
            Self::Program(running) => drop(running.tree.wait().await),
            Self::Connected(_) => std::future::pending().await,
        }
    }

    /// Terminates a program with all its processes, or waits for the end of the connection.
    pub(crate) async fn end(self) {
        match self {
            Self::Program(running) => running.end().await,
            Self::Connected(signals) => {
                // After the limit, the session is deleted in the background.
                let _ = timeout(SESSION_END, signals.closed.cancelled()).await;
            }
        }
    }

    /// Terminates a program with all its processes immediately.
    pub(crate) async fn kill(self) {
        match self {
            Self::Program(mut running) => running.tree.end().await,
            Self::Connected(_) => {}
        }
    }
}
