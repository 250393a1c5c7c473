//! Programs of local servers.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use process_tree::{Pipe, ProcessTree, ProcessTrees};
use tokio::process::ChildStdin;
use tokio::time::timeout;
use tool_core::{CancellationToken, Redactor};

use super::report::ServerError;
use crate::{McpServerConfig, hygiene, locked};

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

/// Expanded command.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    command: String,
    args: Vec<String>,
    env: Vec<(String, String)>,
    cwd: Option<PathBuf>,
    inherit_env: bool,
}

impl Program {
    /// Creates the command of a configuration, whose strings are expanded with `expand`.
    pub(crate) fn expand(
        config: &McpServerConfig,
        expand: impl Fn(&str) -> Result<String, ServerError>,
    ) -> Result<Self, ServerError> {
        let args = config.args.iter().map(|arg| expand(arg));
        let env = config.env.iter();
        let env = env.map(|(name, value)| {
            let value = expand(value.expose())?;
            Ok::<_, ServerError>((name.clone(), value))
        });
        let cwd = config.cwd.as_ref();
        let cwd = cwd.map(|cwd| expand(&cwd.to_string_lossy()).map(PathBuf::from));
        Ok(Self {
            command: expand(config.command.as_deref().unwrap_or_default())?,
            args: args.collect::<Result<_, _>>()?,
            env: env.collect::<Result<_, _>>()?,
            cwd: cwd.transpose()?,
            inherit_env: config.inherit_env,
        })
    }

    /// Adds the variables of a file. Those of the configuration override them.
    ///
    /// # Errors
    /// Returns the rest of a sentence about the file.
    pub(crate) async fn add_env_file(&mut self, path: String) -> Result<(), String> {
        let read = tokio::task::spawn_blocking(move || read_env_file(Path::new(&path)));
        let read = read
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)));
        let text = read.map_err(|error| format!("cannot be read: {error}. Check the path."))?;
        let own = std::mem::replace(&mut self.env, variables(&text)?);
        self.env.extend(own);
        Ok(())
    }

    /// Returns the values of its environment.
    pub(crate) fn secrets(&self) -> Vec<String> {
        self.env.iter().map(|(_, value)| value.clone()).collect()
    }

    /// Starts the program.
    pub(crate) async fn start(
        &self,
        server: &str,
    ) -> Result<(Running, (ChildStdin, Pipe)), ServerError> {
        let directory = self.directory();
        if !directory.is_dir() {
            let rest = format!(
                ": the directory \"{}\" does not exist. Create it, or change \"cwd\".",
                directory.display()
            );
            return Err(ServerError::failed(server, rest));
        }
        let command = self.command();
        // Starting a program blocks.
        let start = move || ProcessTrees::prepare().start(command, &[&directory]);
        let started = match tokio::task::spawn_blocking(start).await {
            Ok(started) => started,
            Err(error) => Err(io::Error::other(error)),
        };
        let started = started.map_err(|error| {
            let rest = if error.kind() == io::ErrorKind::NotFound {
                let program = &self.command;
                format!(": the program \"{program}\" was not found in PATH. Install it, or give its full path.")
            } else {
                format!(": the program could not be started: {error}. Check its permissions.")
            };
            ServerError::failed(server, rest)
        })?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (started.stdin, started.stdout, started.stderr)
        else {
            let rest = ": the program could not be started: it has no pipes.";
            return Err(ServerError::failed(server, rest));
        };
        let tail = Tail::default();
        tokio::spawn(tail.clone().read(stderr, server.to_owned()));
        let running = Running {
            tree: started.tree,
            tail,
        };
        Ok((running, (stdin, stdout)))
    }

    fn directory(&self) -> PathBuf {
        let current = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        match &self.cwd {
            // An absolute path replaces the current one.
            Some(directory) => current.join(directory),
            None => current,
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.command);
        command
            .args(&self.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if !self.inherit_env {
            command
                .env_clear()
                .envs(std::env::vars_os().filter(|(name, _)| is_inherited(name)));
        }
        // Last, so that the configuration overrides inherited variables.
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

fn read_env_file(path: &Path) -> io::Result<String> {
    // To open a pipe would wait for its other end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = String::new();
    let read = File::open(path)?
        .take(MAX_ENV_FILE + 1)
        .read_to_string(&mut text)?;
    if read as u64 > MAX_ENV_FILE {
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
        let _ = timeout(LAST_WORDS, self.tail.ended.cancelled()).await;
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
pub(crate) struct Tail {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// Cancelled at the end of standard error.
    ended: CancellationToken,
}

impl Tail {
    /// Returns the lines, without the secrets that `redactor` knows.
    pub(crate) fn text(&self, redactor: &Redactor) -> String {
        let lines = locked(&self.lines);
        if lines.is_empty() {
            return "(none)".to_owned();
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        redactor.scrub(&lines.join("\n")).into_owned()
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
        self.ended.cancel();
    }

    fn push(&self, line: &[u8], server: &str) {
        let line = hygiene::clean(&String::from_utf8_lossy(line), MAX_LINE).text;
        if line.trim().is_empty() {
            return;
        }
        tracing::trace!(target: "tool_mcp::stderr", %server, "{line}");
        let mut lines = locked(&self.lines);
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}
