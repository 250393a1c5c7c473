//! Bodies of requests.

use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::time::timeout;

use super::rejection::Rejection;

/// Maximum time in which a request must arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Reads the body of a request.
pub(super) async fn read<B>(body: B, limit: usize) -> Result<Bytes, Rejection>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if body.size_hint().lower() > limit as u64 {
        return Err(Rejection::TooLarge { limit });
    }
    match timeout(READ_TIMEOUT, Limited::new(body, limit).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Rejection::TooLarge { limit }),
        Ok(Err(_)) => Err(Rejection::Incomplete),
        Err(_) => Err(Rejection::Slow),
    }
}
