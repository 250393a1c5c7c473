//! Connections: accepting, limits, and the end of the service.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tool_core::CancellationToken;
use tower_service::Service;

use super::service::{HttpService, places};
use super::{HttpOptions, LOOPBACK, ServeError};
use crate::McpServer;

/// Time for running calls to finish after the stop.
const STOP_GRACE: Duration = Duration::from_secs(30);

/// Time for the results of cancelled calls.
const END_GRACE: Duration = Duration::from_secs(3);

/// Maximum time of an idle connection, and of the headers of a request.
const IDLE: Duration = Duration::from_secs(90);

/// Maximum size of the headers of a request in bytes.
const MAX_HEADERS: usize = 16 * 1024;

/// Delay after a failed `accept`, for example without free descriptors.
const ACCEPT_DELAY: Duration = Duration::from_millis(50);

/// Response to connections over the limit.
const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

impl McpServer {
    /// Serves clients over streamable HTTP until the token of [`HttpOptions::stop`] is cancelled. The endpoint is
    /// `/mcp`. The current protocol revision and those from 2025-03-26 are supported, without state between requests
    /// unless [`HttpOptions::sessions`] is enabled.
    ///
    /// After the stop, no connections are accepted and subscriptions end. Running calls have 30 s to finish; the
    /// others are cancelled, and their results are sent.
    ///
    /// Connections are limited to a header block of 16 KiB, 30 s for a body, and 90 s without a request. TLS is the
    /// task of a proxy, which must not repeat `POST` requests.
    ///
    /// # Errors
    /// Returns [`ServeError`] if the options are invalid, if others can reach the address and clients are not
    /// authenticated, or if the listener fails.
    ///
    /// # Examples
    /// ```no_run
    /// use tokio::net::TcpListener;
    /// use tool_core::Registry;
    /// use tool_mcp::McpServer;
    /// use tool_mcp::server::HttpOptions;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let listener = TcpListener::bind("127.0.0.1:8080").await?;
    /// McpServer::new(Registry::new()).serve_http(listener, HttpOptions::default()).await?;
    /// # Ok(()) }
    /// ```
    pub async fn serve_http(
        self,
        listener: TcpListener,
        options: HttpOptions,
    ) -> Result<(), ServeError> {
        let address = listener.local_addr()?;
        let is_local = address.ip().is_loopback();
        if !is_local && options.authenticate.is_none() && !options.is_open {
            return Err(ServeError::Open(address));
        }
        let mut options = options.checked()?;
        if is_local {
            let origins = LOOPBACK.map(|host| format!("http://{host}:*"));
            options.origins.extend(origins);
        }
        options.hosts.push(match address.ip() {
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        });
        let (stop, ended) = (options.stop.clone(), CancellationToken::new());
        let connections = options.max_connections;
        let service = HttpService::new(self, options, &stop, &ended);
        let connections = Connections {
            service,
            places: places(connections),
            graceful: GracefulShutdown::new(),
        };
        // Close the listener first: the load balancer then sends new requests elsewhere while calls finish.
        stop.run_until_cancelled(connections.accept(&listener))
            .await;
        drop(listener);
        let mut closed = std::pin::pin!(connections.graceful.shutdown());
        if timeout(STOP_GRACE, &mut closed).await.is_err() {
            ended.cancel();
            // An error means that connections are still open; they are dropped with the runtime.
            let _ = timeout(END_GRACE, closed).await;
        }
        Ok(())
    }

    /// Returns a service for a server of the host, which must limit connections. Requests must not come from others
    /// unless the options authenticate clients.
    ///
    /// # Errors
    /// Returns [`ServeError::InvalidAddress`] if an allowed host or origin is invalid.
    pub fn into_service(self, options: HttpOptions) -> Result<HttpService, ServeError> {
        let options = options.checked()?;
        let stop = options.stop.clone();
        Ok(HttpService::new(self, options, &stop, &stop))
    }
}

/// Open connections.
struct Connections {
    service: HttpService,
    places: Arc<Semaphore>,
    graceful: GracefulShutdown,
}

impl Connections {
    async fn accept(&self, listener: &TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => self.open(stream),
                Err(error) => {
                    tracing::debug!(%error, "a connection could not be accepted");
                    sleep(ACCEPT_DELAY).await;
                }
            }
        }
    }

    fn open(&self, stream: TcpStream) {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            // The client may be gone.
            let _ = stream.try_write(BUSY);
            return;
        };
        // An error would only delay small responses.
        let _ = stream.set_nodelay(true);
        let service = self.service.clone();
        let answer = hyper::service::service_fn(move |request: Request<Incoming>| {
            service.clone().call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE)
            .max_header_size(MAX_HEADERS)
            .serve_connection(TokioIo::new(stream), answer);
        let connection = self.graceful.watch(connection);
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection has failed");
            }
        });
    }
}
