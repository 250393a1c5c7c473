//! What a call would change, for whoever is asked about it.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::run::{guarded, guarded_wait};
use crate::approval::Preview;
use crate::catalog::Entry;
use crate::{Arguments, ToolContext};

/// How long a tool may take over its preview.
const MAX_TIME: Duration = Duration::from_secs(2);

/// What the tool says it would change; `None` where it says nothing, fails or takes too long.
pub(super) async fn preview(
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
) -> Option<Preview> {
    // What is said while looking is no part of the result: nothing has run.
    let cx = cx.unheard();
    let work = guarded(|| Ok(entry.tool().preview(&cx, arguments))).ok()?;
    let mut work = pin!(guarded_wait(work));
    // Polled once before a timer is armed: most tools have nothing to show.
    let first = poll_fn(|task| Poll::Ready(work.as_mut().poll(task))).await;
    let preview = match first {
        Poll::Ready(preview) => preview,
        Poll::Pending => tokio::time::timeout(MAX_TIME, work).await.ok()?,
    };
    preview.ok().flatten().map(Preview::bounded)
}
