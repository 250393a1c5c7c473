//! A small web server that runs an agent, streams its events and asks for approvals on a page.
//!
//! - `cargo run -p examples --example web_host --features web_host`
//! - `cargo run -p examples --example web_host --features http,web_host -- --provider ollama --model qwen3`
//!
//! The server listens on this computer only. Its page has an address with a random token.

mod guard;
mod routes;
mod run_log;
mod runs;

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use agent_loop::Model;
use clap::Parser;
use examples::gardener::Gardener;
use examples::provider::ProviderOptions;
use examples::terminal::one_line;
use tokio::net::TcpListener;

use self::guard::Guard;
use self::runs::Runs;

/// A web page for an agent. Without a provider, a small scripted model replies.
#[derive(Debug, Parser)]
#[command(name = "web_host")]
struct Options {
    /// Directory to work in.
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: PathBuf,
    /// Port of the server; 0 for a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    #[command(flatten)]
    model: ProviderOptions,
}

#[tokio::main]
async fn main() -> ExitCode {
    match serve(&Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {}", one_line(&reason, 500));
            ExitCode::FAILURE
        }
    }
}

async fn serve(options: &Options) -> Result<(), String> {
    let runs = Runs::new(&options.workspace, model(options)?)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))
        .await
        .map_err(|error| format!("port {} is not available: {error}", options.port))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let token = token()?;
    println!("http://{address}/#{token}");
    let server = axum::serve(
        listener,
        routes::router(Arc::new(runs), Guard::new(address.port(), token)),
    );
    tokio::select! {
        end = server => end.map_err(|error| error.to_string()),
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

/// Returns 128 random bits in hexadecimal digits.
fn token() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("no random numbers: {error}"))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

fn model(options: &Options) -> Result<Arc<dyn Model>, String> {
    if options.model.provider.is_none() {
        return Ok(Arc::new(Gardener));
    }
    #[cfg(feature = "http")]
    {
        Ok(Arc::new(examples::provider::model(&options.model)?))
    }
    #[cfg(not(feature = "http"))]
    {
        Err(
            "--provider requires `cargo run -p examples --features http,web_host --example web_host`"
                .to_owned(),
        )
    }
}
