//! Running calls until they end, or until the user interrupts.

use tokio::runtime;
use tokio::signal;
use tool_core::CancellationToken;

use crate::failure::Failure;

/// The exit status of a program that was interrupted, as shells count it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Runs `work` to its end. It is given a token that the first interrupt cancels; the second ends the program.
pub(crate) fn run<T, F: Future<Output = T>>(
    work: impl FnOnce(CancellationToken) -> F,
) -> Result<T, Failure> {
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::input("no threads can be started", error))?;
    let interrupt = CancellationToken::new();
    runtime.spawn(watch_for_interrupts(interrupt.clone()));
    let outcome = runtime.block_on(work(interrupt));
    // A thread may still wait for standard input; nobody is to wait for that thread.
    runtime.shutdown_background();
    Ok(outcome)
}

async fn watch_for_interrupts(interrupt: CancellationToken) {
    while signal::ctrl_c().await.is_ok() {
        if interrupt.is_cancelled() {
            std::process::exit(INTERRUPTED.into());
        }
        interrupt.cancel();
    }
}
