//! Service over two streams: one message per line.

use std::io;
use std::time::Duration;

use rmcp::service::ServiceExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tool_core::CancellationToken;

use super::{RegistryHandler, incoming};
use crate::McpServer;
use crate::wire::lines::{Lines, Output};
use crate::wire::link::Watched;

/// Maximum size of a message of the client in bytes.
const MAX_MESSAGE: usize = 8 * 1024 * 1024;

/// Time for running calls to finish after the end of the input.
const END_GRACE: Duration = Duration::from_secs(3);

/// Serves one client until the end of its input.
pub(crate) async fn serve<R, W>(server: McpServer, input: R, output: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let ended = CancellationToken::new();
    let input = Output::Stream(Box::new(input));
    let lines = Lines::start(input, output, MAX_MESSAGE, ended.clone(), incoming::decode);
    let handler = RegistryHandler::new(server, &ended, &ended);
    let running = handler
        .serve(Watched {
            inner: lines,
            ended: ended.clone(),
        })
        .await;
    let running =
        running.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
    // The end of the input cancels the running calls. Give them time to return their results.
    let mut finished = std::pin::pin!(running.waiting());
    tokio::select! {
        _ = &mut finished => {}
        () = ended.cancelled() => {
            // An error means that calls are still running; they are dropped.
            let _ = timeout(END_GRACE, finished).await;
        }
    }
    Ok(())
}
