//! The look of a tool before approval.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::guard::guarded_wait;
use crate::approval::Preview;
use crate::{CallFuture, ToolError};

/// Timeout of a look.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the preview for the approver. A look that panics or takes too long gives none, because a person can decide
/// without it; a look that fails ends the call, so that nobody is asked about a call that cannot work.
pub(super) async fn inspect(
    look: Option<CallFuture<'_, Option<Preview>>>,
) -> Result<Option<Preview>, ToolError> {
    let Some(look) = look else {
        return Ok(None);
    };
    let mut work = pin!(guarded_wait(Ok(look)));
    // Poll once before arming a timer: most looks are ready at once.
    let first = poll_fn(|task| Poll::Ready(work.as_mut().poll(task))).await;
    let looked = match first {
        Poll::Ready(looked) => looked,
        Poll::Pending => match tokio::time::timeout(TIMEOUT, work).await {
            Ok(looked) => looked,
            Err(_) => return Ok(None),
        },
    };
    match looked {
        Ok(found) => Ok(found?.map(Preview::bounded)),
        Err(panic) => {
            tracing::warn!(%panic, "the look before an approval panicked");
            Ok(None)
        }
    }
}
