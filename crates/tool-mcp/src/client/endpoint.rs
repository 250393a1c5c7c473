//! The other end of a connection: a program or a remote server.

#[cfg(feature = "http-client")]
use std::sync::Arc;
#[cfg(feature = "http-client")]
use std::time::Duration;

#[cfg(feature = "http-client")]
use tokio::time::timeout;

#[cfg(feature = "stdio")]
use super::process::Running;
#[cfg(feature = "http-client")]
use crate::wire::Signals;

/// Time for a remote server to delete the session.
#[cfg(feature = "http-client")]
const SESSION_END: Duration = Duration::from_secs(1);

/// Running program, or connection to a remote server.
pub(crate) enum Endpoint {
    /// Local program. Dropping it kills all its processes.
    #[cfg(feature = "stdio")]
    Program(Box<Running>),
    /// Remote server, whose connection is closed with its link.
    #[cfg(feature = "http-client")]
    Remote(Arc<Signals>),
}

impl Endpoint {
    /// Waits until a program exits. Waits forever for a remote server.
    pub(crate) async fn exited(&mut self) {
        match self {
            // An error means that the program has exited.
            #[cfg(feature = "stdio")]
            Self::Program(running) => drop(running.tree.wait().await),
            #[cfg(feature = "http-client")]
            Self::Remote(_) => std::future::pending().await,
        }
    }

    /// Terminates a program with all its processes, or waits for the end of a session.
    pub(crate) async fn end(self) {
        match self {
            #[cfg(feature = "stdio")]
            Self::Program(running) => running.end().await,
            #[cfg(feature = "http-client")]
            Self::Remote(signals) => {
                // After the limit, the session is deleted in the background.
                let _ = timeout(SESSION_END, signals.closed.cancelled()).await;
            }
        }
    }

    /// Terminates a program with all its processes immediately.
    pub(crate) async fn kill(self) {
        match self {
            #[cfg(feature = "stdio")]
            Self::Program(mut running) => running.tree.end().await,
            #[cfg(feature = "http-client")]
            Self::Remote(_) => {}
        }
    }
}
