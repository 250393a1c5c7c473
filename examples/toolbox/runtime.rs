//! Runs calls to completion or until the user interrupts.

use std::time::Duration;

use tokio::{runtime, signal, time};
use tool_core::CancellationToken;

use crate::failure::Failure;

/// Exit status of an interrupted program in shells.
pub(crate) const INTERRUPTED: u8 = 130;

/// Time in which further interrupts are ignored.
const GRACE: Duration = Duration::from_millis(300);

/// Runs `work` to completion. The first interrupt cancels its token; the second exits.
pub(crate) fn run<T, F: Future<Output = T>>(
    work: impl FnOnce(CancellationToken) -> F,
) -> Result<T, Failure> {
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::input("cannot start threads", error))?;
    let interrupt = CancellationToken::new();
    runtime.spawn(watch_for_interrupts(interrupt.clone()));
    let outcome = runtime.block_on(work(interrupt));
    // Do not wait for a thread that reads standard input.
    runtime.shutdown_background();
    Ok(outcome)
}

async fn watch_for_interrupts(interrupt: CancellationToken) {
    while signal::ctrl_c().await.is_ok() {
        if interrupt.is_cancelled() {
            std::process::exit(INTERRUPTED.into());
        }
        interrupt.cancel();
        // The terminal and a parent process may both forward one key press, so ignore interrupts
        // for a moment.
        time::sleep(GRACE).await;
    }
}
