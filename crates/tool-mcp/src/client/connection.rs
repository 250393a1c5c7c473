//! Streams to servers that the host connects.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};

/// Stream to a server, which is used by one start.
pub(crate) struct Connection(Mutex<Option<Box<dyn Stream>>>);

/// Stream in both directions.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Connection {
    pub(crate) fn new(stream: impl Stream + 'static) -> Self {
        Self(Mutex::new(Some(Box::new(stream))))
    }

    /// Returns the stream at the first use.
    pub(crate) fn take(&self) -> Option<Box<dyn Stream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection")
    }
}
