//! `serve --http`: the tools as an MCP server over HTTP.

use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Args;
use tokio::net::TcpListener;
use tool_core::{CancellationToken, Secret};
use tool_mcp::McpServer;
use tool_mcp::server::{BearerTokens, HttpOptions};

use crate::failure::Failure;

/// Options of the server over HTTP.
#[derive(Debug, Args)]
pub(crate) struct Http {
    /// Use streamable HTTP on this address. The endpoint is `/mcp`.
    #[arg(id = "http", long, value_name = "ADDRESS", conflicts_with = "stdio")]
    pub(crate) address: Option<SocketAddr>,
    /// Environment variable with the token of the clients.
    #[arg(long, value_name = "NAME", requires = "http")]
    token_env: Option<String>,
    /// Token of the clients. Other users of this machine can read it in the list of processes; prefer `--token-env`.
    #[arg(
        long,
        value_name = "TOKEN",
        requires = "http",
        conflicts_with = "token_env"
    )]
    token: Option<String>,
    /// Accept all programs of this machine without a token. Not possible for addresses that others can reach.
    #[arg(long, requires = "http", conflicts_with_all = ["token", "token_env"])]
    no_token: bool,
    /// Environment variable with the key that replicas share, at least 32 bytes.
    #[arg(long, value_name = "NAME", requires = "http")]
    key_env: Option<String>,
    /// Further host name under which clients reach the server.
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Origin of web pages that may use the server.
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Open sessions for clients of older revisions.
    #[arg(long, requires = "http")]
    sessions: bool,
}

impl Http {
    pub(crate) async fn serve(
        &self,
        server: McpServer,
        address: SocketAddr,
        interrupt: CancellationToken,
    ) -> Result<ExitCode, Failure> {
        self.check_token(address)?;
        let options = self.options()?;
        let server = match &self.key_env {
            Some(name) => server
                .key(variable(name)?.as_bytes())
                .map_err(|error| Failure::input(name, error))?,
            None => server,
        };
        let listener = TcpListener::bind(address)
            .await
            .map_err(|error| Failure::input(address, error))?;
        let bound = listener
            .local_addr()
            .map_err(|error| Failure::input(address, error))?;
        eprintln!("toolbox: serving http://{bound}/mcp");
        let ended = server.serve_http(listener, options.stop(stop(interrupt)));
        ended
            .await
            .map_err(|error| Failure::input("cannot serve", error))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Requires a token, unless the user said that there is none: programs of all users of this machine can reach its
    /// loopback addresses.
    fn check_token(&self, address: SocketAddr) -> Result<(), Failure> {
        let has_token = self.token.is_some() || self.token_env.is_some();
        let reason = match address.ip().is_loopback() {
            false if !has_token => {
                "can be reached by others and no token is set. Use --token-env, or 127.0.0.1"
            }
            true if !has_token && !self.no_token => {
                "can be reached by every program of this machine and no token is set. Use --token-env, or --no-token"
            }
            _ => return Ok(()),
        };
        Err(Failure::Input(format!("{address} {reason}")))
    }

    fn options(&self) -> Result<HttpOptions, Failure> {
        let mut options = HttpOptions::default().sessions(self.sessions);
        for host in &self.allow_host {
            options = options.allow_host(host);
        }
        for origin in &self.allow_origin {
            options = options.allow_origin(origin);
        }
        Ok(match self.token()? {
            Some((name, token)) => {
                let tokens = BearerTokens::default().with_token(name, &Secret::new(token));
                options.authenticate(tokens)
            }
            None => options,
        })
    }

    /// Returns the name and the value of the token.
    fn token(&self) -> Result<Option<(&str, String)>, Failure> {
        match (&self.token, &self.token_env) {
            (Some(token), _) if token.is_empty() => Err(Failure::input("--token", "is empty")),
            (Some(token), _) => Ok(Some(("token", token.clone()))),
            (None, Some(name)) => Ok(Some((name, variable(name)?))),
            (None, None) => Ok(None),
        }
    }
}

/// Returns the value of an environment variable.
fn variable(name: &str) -> Result<String, Failure> {
    match std::env::var(name) {
        Ok(value) if !value.is_empty() => Ok(value),
        _ => Err(Failure::input(name, "the variable is not set")),
    }
}

/// Returns a token that is cancelled by an interrupt or, on Unix, a request to terminate.
fn stop(interrupt: CancellationToken) -> CancellationToken {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let token = interrupt.clone();
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::spawn(async move {
                terminate.recv().await;
                token.cancel();
            });
        }
    }
    interrupt
}
