//! Start of the program of a local server.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use process_tree::{Pipe, ProcessTrees};
use tokio::process::ChildStdin;

use super::process::Running;
use super::report::ServerError;
use super::server::Server;

/// Environment variables that programs inherit.
const INHERITED: &str = "APPDATA HOME LANG LOCALAPPDATA LOGNAME PATH SHELL SYSTEMROOT TEMP TERM TMP TMPDIR TZ USER USERPROFILE";

/// Prefixes of environment variables that programs inherit.
const INHERITED_PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// Starts the program of a server.
pub(crate) async fn start(server: &Server) -> Result<(Running, (ChildStdin, Pipe)), ServerError> {
    let (command, directory) = command(server)?;
    if !directory.is_dir() {
        return Err(server.failed(format_args!(
            ": the directory \"{}\" does not exist. Create it, or change \"cwd\".",
            directory.display()
        )));
    }
    let program = command.get_program().to_string_lossy().into_owned();
    // Starting a program blocks.
    let start = move || ProcessTrees::prepare().start(command, &[&directory]);
    let started = match tokio::task::spawn_blocking(start).await {
        Ok(started) => started,
        Err(error) => Err(io::Error::other(error)),
    };
    let started = started.map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            server.failed(format_args!(
                ": the program \"{program}\" was not found in PATH. Install it, or give its full path."
            ))
        } else {
            server.failed(format_args!(
                ": the program could not be started: {error}. Check its permissions."
            ))
        }
    })?;
    let (Some(stdin), Some(stdout), Some(stderr)) = (started.stdin, started.stdout, started.stderr)
    else {
        return Err(server.failed(": the program could not be started: it has no pipes."));
    };
    let running = Running::new(started.tree, stderr, server.name.clone());
    Ok((running, (stdin, stdout)))
}

/// Expands the command of a server, and its directory.
fn command(server: &Server) -> Result<(Command, PathBuf), ServerError> {
    let config = &server.config;
    let program = config.command.as_deref().unwrap_or_default();
    let mut command = Command::new(server.expand(program)?);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for arg in &config.args {
        command.arg(server.expand(arg)?);
    }
    if !config.inherit_env {
        command
            .env_clear()
            .envs(std::env::vars_os().filter(|(name, _)| is_inherited(name)));
    }
    // Last, so that the configuration overrides other variables.
    for (name, value) in &config.env {
        let value = server.expand(value.expose())?;
        server.learn(&value);
        command.env(name, value);
    }
    let mut directory = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    if let Some(cwd) = &config.cwd {
        // An absolute path replaces the current one.
        directory.push(server.expand(&cwd.to_string_lossy())?);
    }
    Ok((command, directory))
}

fn is_inherited(name: &OsString) -> bool {
    let name = name.to_string_lossy().to_uppercase();
    let mut prefixes = INHERITED_PREFIXES.iter();
    INHERITED.split(' ').any(|inherited| inherited == name)
        || prefixes.any(|prefix| name.starts_with(prefix))
}
