//! Programs of local servers.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use process_tree::{Pipe, ProcessTree, ProcessTrees};
use tokio::io::AsyncReadExt;
use tokio::process::ChildStdin;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::report::ServerError;
use super::server::Server;
use crate::{hygiene, locked};

/// Environment variables that programs inherit.
const INHERITED: &str = "APPDATA HOME LANG LOCALAPPDATA LOGNAME PATH SHELL SYSTEMROOT TEMP TERM TMP TMPDIR TZ USER USERPROFILE";

/// Prefixes of environment variables that programs inherit.
const INHERITED_PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// Time for a program to exit after the end of its input.
const EXIT_GRACE: Duration = Duration::from_secs(1);

/// Time for a program that closed its output to exit, and to close standard error.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Maximum size of a file with variables in bytes.
const MAX_ENV_FILE: u64 = 1024 * 1024;

/// Number and length of the kept lines of standard error.
const MAX_LINES: usize = 20;
const MAX_LINE: usize = 300;

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
    let tail = Tail::default();
    let running = Running {
        tree: started.tree,
        reading: tokio::spawn(tail.clone().read(stderr, server.name.clone())),
        tail,
    };
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

/// Running program. Dropping it kills all its processes.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) tree: ProcessTree,
    pub(crate) tail: Tail,
    /// Task that reads standard error until its end.
    reading: JoinHandle<()>,
}

impl Running {
    /// Waits for the program to exit after the end of its input, and kills all its processes.
    pub(crate) async fn end(mut self) {
        // An error means that the program has exited.
        let _ = timeout(EXIT_GRACE, self.tree.wait()).await;
        self.tree.end().await;
    }

    /// Returns a description of the end of a program that closed its output.
    pub(crate) async fn end_of_life(&mut self) -> String {
        let status = timeout(LAST_WORDS, self.tree.wait()).await;
        // A descendant may hold standard error open.
        let _ = timeout(LAST_WORDS, &mut self.reading).await;
        match status {
            Ok(Ok(status)) => match status.code() {
                Some(code) => format!("exited with status {code}"),
                None => "was killed by a signal".to_owned(),
            },
            _ => "closed its output".to_owned(),
        }
    }
}

/// Last lines of standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    /// Returns the lines.
    pub(crate) fn text(&self) -> String {
        let lines = locked(&self.0);
        if lines.is_empty() {
            return "(none)".to_owned();
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        lines.join("\n")
    }

    async fn read(self, mut stderr: Pipe, server: String) {
        let mut chunk = vec![0; 4096];
        let mut line = Vec::new();
        while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
            for byte in chunk.iter().take(count) {
                match byte {
                    b'\n' => self.push(&std::mem::take(&mut line), &server),
                    byte if line.len() < MAX_LINE => line.push(*byte),
                    _ => {}
                }
            }
        }
        self.push(&line, &server);
    }

    fn push(&self, line: &[u8], server: &str) {
        let line = hygiene::clean(&String::from_utf8_lossy(line), MAX_LINE).text;
        if line.trim().is_empty() {
            return;
        }
        tracing::trace!(target: "tool_mcp::stderr", %server, "{line}");
        let mut lines = locked(&self.0);
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}
