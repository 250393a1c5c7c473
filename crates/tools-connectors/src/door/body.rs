//! Bodies of responses, read to a limit.

use std::sync::Arc;

use reqwest::{Response, StatusCode};
use tokio::sync::mpsc;

use super::{Problem, Request};

/// Returns the body, or passes it to the sink of the request and returns nothing.
pub(super) async fn read(response: &mut Response, request: &Request) -> Result<Vec<u8>, Problem> {
    let max = request.max_bytes;
    let declared = response.content_length().unwrap_or_default();
    if declared > max as u64 && !request.is_cut {
        return Err(Problem::TooLarge(max));
    }
    if let Some(sink) = &request.sink
        && response.status() == StatusCode::OK
    {
        pass(response, sink, max).await?;
        return Ok(Vec::new());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        let room = max.saturating_sub(body.len());
        if chunk.len() > room && !request.is_cut {
            return Err(Problem::TooLarge(max));
        }
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            break;
        }
    }
    Ok(body)
}

/// Passes at most `max` bytes. Stops if the receiver is dropped, which has its own error then.
async fn pass(
    response: &mut Response,
    sink: &mpsc::Sender<Vec<u8>>,
    max: usize,
) -> Result<(), Problem> {
    let mut room = max;
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        room = room
            .checked_sub(chunk.len())
            .ok_or(Problem::TooLarge(max))?;
        if sink.send(chunk.to_vec()).await.is_err() {
            break;
        }
    }
    Ok(())
}

fn lost(error: reqwest::Error) -> Problem {
    Problem::Lost(Arc::new(error.without_url()))
}

#[cfg(test)]
#[cfg(feature = "github")]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::door::testing::{Reply, Server, quick};
    use crate::door::{Base, Deadline, Door, Secrets};

    /// Returns the code of the request, and the bytes that the sink received.
    async fn streamed(server: &Server) -> (Option<String>, Vec<u8>) {
        let base = Base::parse(&server.url()).unwrap();
        let (sink, mut chunks) = mpsc::channel(100);
        let request = Request::get("get", &base, &["archive"]).max_bytes(1000);
        let request = request.streamed_to(sink);
        let door = Door::new("The test service", Secrets::default(), None).unwrap();
        let deadline = Deadline::after(Duration::from_secs(5));

        let outcome = door.with_pace(quick()).send(&request, deadline).await;

        drop(request);
        let mut received = Vec::new();
        while let Some(chunk) = chunks.recv().await {
            received.extend(chunk);
        }
        let error = outcome
            .err()
            .map(|problem| problem.into_error("The test service"));
        (
            error.map(|error| error.code().as_str().to_owned()),
            received,
        )
    }

    #[tokio::test]
    async fn sink_receives_body_of_last_attempt() {
        let replies = [
            Reply::status(503, "", "later"),
            Reply::status(200, "", "archive"),
        ];
        let server = Server::replies(replies).await;

        assert_eq!(streamed(&server).await, (None, b"archive".to_vec()));
    }

    #[tokio::test]
    async fn incomplete_stream_is_not_repeated() {
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nfirst".to_vec();
        let server = Server::replies([Reply::Raw(head)]).await;

        let (code, received) = streamed(&server).await;

        assert_eq!(code.as_deref(), Some("unavailable"));
        assert_eq!(received, b"first");
        assert_eq!(server.received().len(), 1);
    }

    #[tokio::test]
    async fn stream_stops_at_limit() {
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
        let endless = [head.as_bytes(), &[b'x'; 5000]].concat();
        let server = Server::replies([Reply::Raw(endless)]).await;

        let (code, received) = streamed(&server).await;

        assert_eq!(code.as_deref(), Some("response_too_large"));
        assert!(received.len() <= 1000);
    }
}
