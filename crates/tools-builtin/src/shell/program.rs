//! Finding the program that a command names, and starting it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::iter;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
#[cfg(windows)]
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tool_core::{ErrorCode, ToolContext, ToolError};

use super::child::{Child, Pipe};
use super::cookie::Cookie;
use super::environment::Environment;
use super::memory;

/// Where programs are looked for when the environment does not say.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The shells that a line is run by, the first one that is there.
const SHELLS: [&str; 2] = if cfg!(windows) {
    ["cmd.exe", "cmd"]
} else {
    ["bash", "sh"]
};

/// Variables that make a shell run a file of somebody's before the line.
const STARTUP_VARIABLES: [&str; 4] = ["BASH_ENV", "ENV", "SSH_CLIENT", "SSH2_CLIENT"];

/// What to run.
#[derive(Debug, Clone)]
pub(crate) enum Invocation {
    /// A program by its name, with its arguments.
    Program {
        name: String,
        arguments: Vec<String>,
    },
    /// A line for the shell.
    Line(String),
}

/// A program to run, and all that it is given.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// What to run.
    pub(crate) invocation: Invocation,
    /// The folder to run it in.
    pub(crate) folder: PathBuf,
    /// A shorter way to the same folder, which not every program may go.
    pub(crate) short_cut: Option<PathBuf>,
    /// What it is told about the host.
    pub(crate) environment: Environment,
    /// How many bytes of address space each of its processes may take.
    pub(crate) memory_limit: Option<u64>,
}

/// A program that is there, and the words that it is given.
#[derive(Debug)]
struct Found<'p> {
    /// What it is called by.
    name: &'p str,
    path: PathBuf,
    arguments: Vec<Cow<'p, str>>,
}

impl Program {
    /// Starts it as the leader of a new group, with `cookie` in its environment, and gives what it writes to.
    pub(crate) fn spawn(
        &self,
        cookie: &Cookie,
        cx: &ToolContext,
    ) -> Result<(Child, [Option<Pipe>; 2]), ToolError> {
        let found = self.found()?;
        let mut command = match self.memory_limit {
            Some(bytes) => self.command(self.limited(found, bytes, cx)),
            None => self.command(found),
        };
        command
            .env(Cookie::VARIABLE, cookie.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        let folders: Vec<&Path> = self
            .short_cut
            .iter()
            .chain([&self.folder])
            .map(PathBuf::as_path)
            .collect();
        Child::spawn(command, &folders).map_err(start_error)
    }

    fn found(&self) -> Result<Found<'_>, ToolError> {
        match &self.invocation {
            Invocation::Program { name, arguments } => self.program(name, arguments),
            Invocation::Line(line) => self.shell(line),
        }
    }

    fn program<'p>(&self, name: &'p str, arguments: &'p [String]) -> Result<Found<'p>, ToolError> {
        if name.contains('\0') {
            return Err(nul("command"));
        }
        if arguments.iter().any(|argument| argument.contains('\0')) {
            return Err(nul("arguments"));
        }
        Ok(Found {
            name,
            path: self.locate(name).map_err(|why| not_found(name, why))?,
            arguments: arguments.iter().map(|word| word.as_str().into()).collect(),
        })
    }

    fn shell<'p>(&self, line: &'p str) -> Result<Found<'p>, ToolError> {
        if line.contains('\0') {
            return Err(nul("command"));
        }
        let (name, path) = SHELLS
            .into_iter()
            .find_map(|name| Some((name, self.locate(name).ok()?)))
            .ok_or_else(no_shell)?;
        // A line that begins with a hyphen is a line all the same. On Windows it is given apart, without more quotes.
        let arguments = if cfg!(windows) {
            Vec::new()
        } else {
            ["-c", "--", line].map(Cow::Borrowed).into()
        };
        Ok(Found {
            name,
            path,
            arguments,
        })
    }

    /// The same behind a shell that takes the limit on itself and then becomes the program, where there is such a limit.
    fn limited<'p>(&self, found: Found<'p>, bytes: u64, cx: &ToolContext) -> Found<'p> {
        let limiter = memory::kilobytes(bytes).zip(self.locate("sh").ok());
        let Some((kilobytes, path)) = limiter else {
            cx.warn("The memory of the command is not limited: this system cannot do that.");
            return found;
        };
        cx.note("memory_limit_bytes", kilobytes * 1024);
        let kilobytes = kilobytes.to_string().into();
        let before = ["-c".into(), memory::SCRIPT.into(), "sh".into(), kilobytes];
        let program = iter::once(found.name.into()).chain(found.arguments);
        Found {
            name: "sh",
            path,
            arguments: before.into_iter().chain(program).collect(),
        }
    }

    /// A full path keeps the standard library on its fast way to spawn, whose cost does not grow with the host.
    fn command(&self, found: Found<'_>) -> Command {
        let mut command = Command::new(found.path);
        command.env_clear().envs(self.environment.variables());
        command.args(found.arguments.iter().map(AsRef::<str>::as_ref));
        #[cfg(unix)]
        command.arg0(found.name);
        if let Invocation::Line(line) = &self.invocation {
            for variable in STARTUP_VARIABLES {
                command.env_remove(variable);
            }
            give_line(&mut command, line);
        }
        command
    }

    fn locate(&self, name: &str) -> Result<PathBuf, Unusable> {
        if name.contains(std::path::is_separator) {
            // The program is looked up from its folder, as the new process will: its own script would not find
            // itself under the path that only this process has to the folder.
            return runnable(&self.folder.join(name)).map(|_| PathBuf::from(name));
        }
        let mut why = Unusable::Missing;
        for folder in std::env::split_paths(self.search_path()).filter(|path| path.is_absolute()) {
            match runnable(&folder.join(name)) {
                Ok(found) => return Ok(found),
                Err(Unusable::Missing) => {}
                Err(other) => why = other,
            }
        }
        Err(why)
    }

    fn search_path(&self) -> &OsStr {
        self.environment
            .value("PATH")
            .unwrap_or(OsStr::new(DEFAULT_PATH))
    }
}

fn not_found(name: &str, why: Unusable) -> ToolError {
    match why {
        Unusable::Forbidden => permission_denied(),
        Unusable::Missing => ToolError::about(
            ErrorCode::CommandNotFound,
            "command",
            format!("names no program that can be found: `{}`", shown(name)),
        )
        .suggest(instead(name)),
    }
}

fn instead(name: &str) -> &'static str {
    match name {
        "cd" | "pushd" | "popd" => "Set the working directory of the call instead.",
        "source" | "." | "export" | "alias" | "set" | "unset" | "eval" | "exec" => {
            "There is no shell here, and nothing is kept from one call to the next; name a program."
        }
        name if name.contains('=') => {
            "There is no shell here; run `env` with the variables and the program as its arguments."
        }
        name if name.contains(char::is_whitespace) => {
            "Give the program alone as the command, and the rest as arguments."
        }
        _ => {
            "Check the spelling, use another program, or give its path relative to the working directory."
        }
    }
}

fn no_shell() -> ToolError {
    ToolError::new(
        ErrorCode::CommandNotFound,
        "There is no shell on this system",
    )
    .suggest("Run single programs, without a shell.")
}

/// A parameter that holds what the end of an argument is known by.
pub(crate) fn nul(parameter: &str) -> ToolError {
    ToolError::invalid_arguments(
        parameter,
        "holds a NUL character, which no program can be given",
    )
    .suggest("Leave the character out.")
}

/// What to tell the model when the program was found and could not be started.
pub(crate) fn start_error(error: io::Error) -> ToolError {
    let told = match error.kind() {
        io::ErrorKind::NotFound => ToolError::about(
            ErrorCode::CommandNotFound,
            "command",
            "cannot be started: the interpreter in its first line is missing",
        ),
        io::ErrorKind::PermissionDenied => permission_denied(),
        io::ErrorKind::ArgumentListTooLong => {
            ToolError::invalid_arguments("command", "has more arguments than the system takes")
                .suggest("Put them in a file, or run it several times.")
        }
        _ => ToolError::about(
            ErrorCode::Failed,
            "command",
            "cannot be started by this system",
        )
        .suggest("Run a script through its interpreter, such as `sh script`."),
    };
    told.caused_by(error)
}

/// Gives the shell its line where that is no argument like others: elsewhere it has it already.
#[cfg(windows)]
fn give_line(command: &mut Command, line: &str) {
    command.raw_arg(format!("/d /s /c \"{line}\""));
}

#[cfg(not(windows))]
fn give_line(_command: &mut Command, _line: &str) {}

/// Why a file cannot be run.
#[derive(Debug, Clone, Copy)]
enum Unusable {
    Missing,
    #[cfg_attr(
        not(unix),
        expect(dead_code, reason = "only Unix tells who may run a file")
    )]
    Forbidden,
}

#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "programs are looked for where the host has them"
)]
fn runnable(path: &Path) -> Result<PathBuf, Unusable> {
    use rustix::fs::{Access, access};

    if !path.is_file() {
        return Err(Unusable::Missing);
    }
    access(path, Access::EXEC_OK).map_err(|_| Unusable::Forbidden)?;
    Ok(path.to_owned())
}

#[cfg(not(unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "programs are looked for where the host has them"
)]
fn runnable(path: &Path) -> Result<PathBuf, Unusable> {
    let ended = |ending: &&str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    ["", ".exe", ".com"]
        .iter()
        .map(ended)
        .find(|candidate| candidate.is_file())
        .ok_or(Unusable::Missing)
}

fn permission_denied() -> ToolError {
    ToolError::about(
        ErrorCode::PermissionDenied,
        "command",
        "names a file that may not be run",
    )
    .suggest("Run a script through its interpreter, such as `sh script`.")
}

fn shown(name: &str) -> String {
    name.chars().take(80).collect()
}
