//! Start of the program of a local server.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use process_tree::{Pipe, ProcessTrees};
use tokio::io::AsyncReadExt;
use tokio::process::ChildStdin;

use super::process::Running;
use super::report::ServerError;
use super::server::Server;

/// Environment variables that programs inherit.
const INHERITED: &str = "APPDATA HOME LANG LOCALAPPDATA LOGNAME PATH SHELL SYSTEMROOT TEMP TERM TMP TMPDIR TZ USER USERPROFILE";

/// Prefixes of environment variables that programs inherit.
const INHERITED_PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// Maximum size of a file with variables in bytes.
const MAX_ENV_FILE: u64 = 1024 * 1024;

/// Starts the program of a server.
pub(crate) async fn start(server: &Server) -> Result<(Running, (ChildStdin, Pipe)), ServerError> {
    let (command, directory) = command(server).await?;
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
async fn command(server: &Server) -> Result<(Command, PathBuf), ServerError> {
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
    if let Some(file) = &config.env_file {
        let path = server.expand(&file.to_string_lossy())?;
        let variables = env_file(&path).await;
        let variables =
            variables.map_err(|reason| server.failed(format_args!(": \"env_file\" {reason}")))?;
        for (name, value) in variables {
            server.learn(&value);
            command.env(name, value);
        }
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

/// Reads the variables of a file.
///
/// # Errors
/// Returns the rest of a sentence about the file.
async fn env_file(path: &str) -> Result<Vec<(String, String)>, String> {
    let text = read_env_file(path).await;
    let text = text.map_err(|error| format!("cannot be read: {error}. Check the path."))?;
    variables(&text)
}

async fn read_env_file(path: &str) -> io::Result<String> {
    // To open a pipe would wait for its other end.
    if !tokio::fs::metadata(path).await?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = String::new();
    let mut file = tokio::fs::File::open(path).await?.take(MAX_ENV_FILE + 1);
    if file.read_to_string(&mut text).await? as u64 > MAX_ENV_FILE {
        let reason = format!("it has more than {MAX_ENV_FILE} bytes");
        return Err(io::Error::other(reason));
    }
    Ok(text)
}

/// Reads the variables of a file. Their values are used unchanged.
fn variables(text: &str) -> Result<Vec<(String, String)>, String> {
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let lines = lines.map(|(index, line)| (index + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let variables = lines.map(|(number, line)| {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let variable = line.split_once('=');
        let variable = variable.map(|(name, value)| (name.trim(), unquoted(value.trim())));
        match variable.filter(|(name, _)| !name.is_empty()) {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(format!("has no `NAME=value` in line {number}.")),
        }
    });
    variables.collect()
}

fn unquoted(value: &str) -> &str {
    let inner = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

fn is_inherited(name: &OsString) -> bool {
    let name = name.to_string_lossy().to_uppercase();
    let mut prefixes = INHERITED_PREFIXES.iter();
    INHERITED.split(' ').any(|inherited| inherited == name)
        || prefixes.any(|prefix| name.starts_with(prefix))
}
