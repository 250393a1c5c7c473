//! A small host: runs a command in the background and another one, until it receives a line or Ctrl-C.
//!
//! `cargo run -p examples --example host_ends -- [return|panic|exit] [DIRECTORY]`
//!
//! The variable `COMMAND` is the command line of both. Regardless of the end of this process, no
//! process of the commands remains; `tests/host_ends.sh` measures this.

use std::error::Error;

use process_tree::ProcessTrees;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tool_core::Registry;
use tool_core::approval::{Answer, Policy, approver_fn};
use tools_builtin::{Kit, Workspace, toolsets};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let (end, directory) = (next("return"), next("."));
    let line = std::env::var("COMMAND").unwrap_or_else(|_| "sleep 60".to_owned());
    // If this fails, the results of commands name a weaker mechanism.
    let _ = ProcessTrees::adopt_orphans();

    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .toolset(&toolsets::standard(&Kit::new(Workspace::open(directory)?))?)?
        .build();
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let arguments = json!({"command": line, "background": true});
        println!("{}", registry.execute("bash", arguments).await);
        tokio::select! {
            result = registry.execute("bash", json!({"command": line})) => println!("{result}"),
            () = ended(&end) => {}
        }
    });
    // The thread that reads standard input would delay the end. Dropping the registry still waits
    // for the processes.
    runtime.shutdown_background();
    drop(registry);
    Ok(())
}

/// Waits for a line or Ctrl-C, and then ends this process unless `end` is `return`.
async fn ended(end: &str) {
    let mut lines = BufReader::new(stdin()).lines();
    tokio::select! {
        _ = lines.next_line() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    match end {
        "panic" => panic!("ends this process"),
        "exit" => std::process::exit(0),
        _ => {}
    }
}
