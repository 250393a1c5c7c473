//! Preview of the changes of a call, for its approver.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::guard::{guarded, guarded_wait};
use super::scope::Scope;
use crate::Arguments;
use crate::approval::Preview;

/// Timeout of a preview.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the tool's preview; `None` if the tool does not support it, fails or times out.
pub(super) async fn preview(scope: Scope<'_, '_>, arguments: &Arguments<'_>) -> Option<Preview> {
    // Messages of a preview are discarded, because nothing has run.
    let cx = scope.cx.unheard();
    let work = guarded(|| Ok(scope.entry.tool().preview(&cx, arguments)));
    let mut work = pin!(guarded_wait(work));
    // Poll once before arming a timer: most tools have no preview.
    let first = poll_fn(|task| Poll::Ready(work.as_mut().poll(task))).await;
    let preview = match first {
        Poll::Ready(preview) => preview,
        Poll::Pending => tokio::time::timeout(TIMEOUT, work).await.ok()?,
    };
    preview.ok().flatten().map(Preview::bounded)
}
