//! Opening of connections.

use std::sync::Arc;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use tokio::sync::watch;

use super::Names;
use crate::{NatsCredentials, NatsOptions, RemoteError};

/// Connects, and returns the client with the number of its connections so far.
pub(super) async fn connect(
    options: &NatsOptions,
    names: &Names,
) -> Result<(Client, watch::Receiver<u64>), RemoteError> {
    options.check()?;
    let (sender, connections) = watch::channel(0);
    let connect = with_credentials(ConnectOptions::new(), &options.credentials).await?;
    let connect = with_tls(connect, options)
        // Permissions of a tenant allow only its own subjects, and the default prefix is `_INBOX`.
        .custom_inbox_prefix(names.inboxes())
        .request_timeout(Some(options.request_timeout))
        .connection_timeout(options.request_timeout)
        .event_callback(counter(sender));
    let client = connect.connect(options.urls.as_slice()).await;
    let client = client.map_err(|error| match error.kind() {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            RemoteError::Unauthorized(error.into())
        }
        _ => RemoteError::Unreachable(error.into()),
    })?;
    Ok((client, connections))
}

async fn with_credentials(
    connect: ConnectOptions,
    credentials: &NatsCredentials,
) -> Result<ConnectOptions, RemoteError> {
    Ok(match credentials {
        NatsCredentials::None => connect,
        NatsCredentials::User(user, password) => {
            connect.user_and_password(user.clone(), password.expose().clone())
        }
        NatsCredentials::Token(token) => connect.token(token.expose().clone()),
        NatsCredentials::NKey(seed) => connect.nkey(seed.expose().clone()),
        NatsCredentials::File(path) => {
            let opened = connect.credentials_file(path).await;
            opened.map_err(|error| RemoteError::Credentials(error.into()))?
        }
    })
}

fn with_tls(mut connect: ConnectOptions, options: &NatsOptions) -> ConnectOptions {
    for file in &options.root_certificates {
        connect = connect.add_root_certificates(file.clone());
    }
    if let Some((certificate, key)) = &options.client_certificate {
        connect = connect.add_client_certificate(certificate.clone(), key.clone());
    }
    connect.require_tls(options.require_tls)
}

type Callback = Box<dyn Fn(Event) -> std::future::Ready<()> + Send + Sync>;

/// Counts connections, so that pull requests of an earlier connection are repeated.
fn counter(sender: watch::Sender<u64>) -> Callback {
    let sender = Arc::new(sender);
    Box::new(move |event| {
        match event {
            Event::Connected => sender.send_modify(|number| *number += 1),
            Event::Disconnected | Event::Closed => {
                tracing::warn!("the connection to the NATS server was lost");
            }
            Event::SlowConsumer(_) | Event::ServerError(_) | Event::ClientError(_) => {
                tracing::warn!(%event, "NATS");
            }
            _ => {}
        }
        std::future::ready(())
    })
}
