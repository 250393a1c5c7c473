//! Connections to programs and remote servers.

use std::sync::Arc;

use super::Start;
#[cfg(feature = "http-client")]
use crate::client::address::Address;
use crate::client::connection::Connection;
use crate::client::endpoint::Endpoint;
use crate::client::error::ServerError;
use crate::client::process::Program;
use crate::config::Protocol;
#[cfg(feature = "auth")]
use crate::login::LoginError;
#[cfg(feature = "http-client")]
use crate::wire::HttpFailure;
use crate::wire::{Lines, Output};
use crate::wire::{Link, OpenError, Signals};

impl Start {
    pub(super) async fn open_program(
        &self,
        program: &Program,
        protocol: Protocol,
        running: &mut Option<Endpoint>,
    ) -> Result<Result<Link, OpenError>, ServerError> {
        let name = self.server.name();
        let mut started = program.start(name).await?;
        self.server.set_process(started.tree.id());
        let pipes = started.pipes.take();
        *running = Some(Endpoint::Program(Box::new(started)));
        let Some((stdin, stdout)) = pipes else {
            return Err(ServerError::Spawn {
                server: name.to_owned(),
                reason: "it has no pipes".to_owned(),
            });
        };
        let signals = Arc::new(Signals::default());
        let output = Output::Program(stdout);
        let lines = Lines::new(stdin, output, self.server.config().max_message, signals);
        let input = self.server.input.clone();
        Ok(lines.open(name, protocol, input).await)
    }

    pub(super) async fn open_connection(
        &self,
        protocol: Protocol,
        running: &mut Option<Endpoint>,
    ) -> Result<Result<Link, OpenError>, ServerError> {
        let name = self.server.name();
        let stream = self.server.connection().and_then(Connection::take);
        let stream = stream.ok_or_else(|| ServerError::ConnectionClosed {
            server: name.to_owned(),
        })?;
        let signals = Arc::new(Signals::default());
        *running = Some(Endpoint::Connected(Arc::clone(&signals)));
        let (output, stdin) = tokio::io::split(stream);
        let output = Output::Stream(Box::new(output));
        let lines = Lines::new(stdin, output, self.server.config().max_message, signals);
        let input = self.server.input.clone();
        Ok(lines.open(name, protocol, input).await)
    }

    #[cfg(feature = "http-client")]
    pub(super) async fn open_address(
        &self,
        address: &Address,
        protocol: Protocol,
        running: &mut Option<Endpoint>,
    ) -> Result<Result<Link, OpenError>, ServerError> {
        let opened = self.try_address(address, protocol, running).await?;
        // The server may have closed an idle connection of the pool. A handshake has no effect, so repeat it.
        if matches!(opened, Err(OpenError::Http(HttpFailure::Lost))) {
            return self.try_address(address, protocol, running).await;
        }
        Ok(opened)
    }

    #[cfg(feature = "http-client")]
    async fn try_address(
        &self,
        address: &Address,
        protocol: Protocol,
        running: &mut Option<Endpoint>,
    ) -> Result<Result<Link, OpenError>, ServerError> {
        let pool = self.server.pool()?;
        let signals = Arc::new(Signals::default());
        *running = Some(Endpoint::Connected(Arc::clone(&signals)));
        self.server.set_peer(address.peer());
        #[cfg_attr(not(feature = "auth"), expect(unused_mut, reason = "set with `auth`"))]
        let mut target = address.target(&self.server);
        #[cfg(feature = "auth")]
        {
            let tokens = self.server.tokens(address).await;
            let rejected = |error: LoginError| ServerError::Rejected {
                server: self.server.name().to_owned(),
                phase: "login",
                reason: error.to_string(),
            };
            target.tokens = tokens.map_err(rejected)?;
        }
        let input = self.server.input.clone();
        Ok(Box::pin(target.open(&pool, protocol, signals, input)).await)
    }
}
