//! Transport whose end is signaled.

use std::future::Future;
use std::sync::Arc;

use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::signals::Signals;

/// Transport whose end is signaled, after its session was deleted.
pub(super) struct Watched<T> {
    inner: T,
    signals: Arc<Signals>,
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T, signals: &Arc<Signals>) -> Self {
        Self {
            inner,
            signals: Arc::clone(signals),
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.inner.receive().await
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}

impl<T> Drop for Watched<T> {
    fn drop(&mut self) {
        self.signals.closed.cancel();
    }
}
