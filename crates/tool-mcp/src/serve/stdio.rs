//! Service over standard input and output, and over other streams.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

use super::McpServer;
use crate::wire::handler;

impl McpServer {
    /// Serves one client over standard input and output until the end of the input. Running calls
    /// are then cancelled and have 3 s to finish.
    ///
    /// On Unix, everything else that is written to standard output is redirected to standard error. Otherwise a tool that prints
    /// something would break the protocol.
    ///
    /// # Errors
    /// Returns an error if standard output cannot be redirected, or if the client sends another
    /// message than a handshake or a request first.
    pub async fn serve_stdio(self) -> io::Result<()> {
        let stdout = tokio::fs::File::from_std(protocol_output()?);
        Box::pin(handler::serve(self, tokio::io::stdin(), stdout)).await
    }

    /// Serves one client over a stream with one message per line until the end of the input, such as a manager of this
    /// process ([`McpManagerBuilder::connection`](crate::client::McpManagerBuilder::connection)). Running calls are then
    /// cancelled and have 3 s to finish; dropping the future also cancels them. The subject of the client is `local`.
    /// Clone the server to serve several clients.
    ///
    /// # Errors
    /// Returns an error if the client sends another message than a handshake or a request first.
    pub async fn serve_stream(
        self,
        stream: impl AsyncRead + AsyncWrite + Send + 'static,
    ) -> io::Result<()> {
        let (input, output) = tokio::io::split(stream);
        Box::pin(handler::serve(self, input, output)).await
    }
}

/// Returns standard output for the protocol, and redirects other output to standard error.
#[cfg(unix)]
fn protocol_output() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;

    let output = io::stdout().as_fd().try_clone_to_owned()?;
    // From here on, a `println!` of a tool ends up on standard error instead of between two messages.
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(output.into())
}

/// Returns standard output for the protocol.
#[cfg(windows)]
fn protocol_output() -> io::Result<std::fs::File> {
    use std::os::windows::io::AsHandle;

    let output = io::stdout().as_handle().try_clone_to_owned()?;
    Ok(output.into())
}
