//! Lookup and start of the program that a command names, with the errors of both.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, iter};

use process_tree::{Containment, Started};
use tool_core::{ErrorCode, ToolContext, ToolError};

use super::environment::Environment;

/// Search path for programs if the environment has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Shells for command lines; the first one installed is used.
// Not `cmd.exe`, which reads a line differently from the command filter.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// Variables that make a shell run a startup file before the command line.
// The last two make a Debian build of bash assume that sshd started it, and then it reads `~/.bashrc`.
const STARTUP_VARIABLES: [&str; 4] = ["BASH_ENV", "ENV", "SSH_CLIENT", "SSH2_CLIENT"];

/// Waits for a line and then replaces itself with the program. If the host ends first, no line comes, and the program never
/// runs.
const HOLD_SCRIPT: &str = r#"read -r _ || exit; exec "$@" </dev/null"#;
/// The same for a program that keeps its standard input.
const HOLD_WITH_INPUT_SCRIPT: &str = r#"read -r _ || exit; exec "$@""#;

#[derive(Debug, Clone)]
pub(crate) enum Invocation {
    /// Program name and arguments.
    Program {
        name: String,
        arguments: Vec<String>,
    },
    /// Command line for the shell.
    Line(String),
}

/// Program to run, with its environment and limits.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) invocation: Invocation,
    pub(crate) directory: PathBuf,
    pub(crate) environment: Environment,
    /// Maximum bytes of address space of each process.
    pub(crate) memory_limit: Option<u64>,
    /// Whether it runs on after its call, and later calls can write to it.
    pub(crate) in_background: bool,
    /// Whether it does nothing until [`Run::release`](super::process::Run::release).
    pub(crate) is_held: bool,
    pub(crate) containment: Containment,
}

/// Existing program with its arguments.
#[derive(Debug)]
struct ResolvedProgram<'p> {
    /// Value of `argv[0]`.
    name: &'p str,
    path: PathBuf,
    arguments: Vec<Cow<'p, str>>,
}

impl Program {
    /// Starts the program in its containment.
    pub(crate) fn spawn(&self, cx: &ToolContext) -> Result<Started, ToolError> {
        let program = match &self.invocation {
            Invocation::Program { name, arguments } => self.program(name, arguments)?,
            Invocation::Line(line) => self.shell(line)?,
        };
        let program = match self.memory_limit {
            Some(bytes) => self.limited(program, bytes, cx),
            None => program,
        };
        let hold = match (self.is_held, self.in_background) {
            (true, true) => Some(HOLD_WITH_INPUT_SCRIPT),
            (true, false) => Some(HOLD_SCRIPT),
            (false, _) => None,
        };
        let program = match hold {
            // A fixed shell, because a directory of `PATH` may be in the workspace.
            Some(script) => within_script(program, "/bin/sh".into(), script.into()),
            None => program,
        };
        let mut command = self.command(program);
        command
            // Without input, a program that reads it gets the end of it instead of waiting until its timeout.
            .stdin(if self.in_background || self.is_held {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = self.containment.clone().start(command, &[&self.directory]);
        started.map_err(start_error)
    }

    fn program<'p>(
        &self,
        name: &'p str,
        arguments: &'p [String],
    ) -> Result<ResolvedProgram<'p>, ToolError> {
        if name.contains('\0') {
            return Err(nul("command"));
        }
        if arguments.iter().any(|argument| argument.contains('\0')) {
            return Err(nul("arguments"));
        }
        Ok(ResolvedProgram {
            name,
            path: self.locate(name).map_err(|reason| match reason {
                ErrorKind::PermissionDenied => permission_denied(),
                _ => not_found(name),
            })?,
            arguments: arguments.iter().map(|word| word.as_str().into()).collect(),
        })
    }

    fn shell<'p>(&self, line: &'p str) -> Result<ResolvedProgram<'p>, ToolError> {
        if line.contains('\0') {
            return Err(nul("command"));
        }
        let (name, path) = SHELLS
            .into_iter()
            .find_map(|name| Some((name, self.locate(name).ok()?)))
            .ok_or_else(no_shell)?;
        Ok(ResolvedProgram {
            name,
            path,
            // `--` allows lines that start with a hyphen.
            arguments: ["-c", "--", line].map(Cow::Borrowed).into(),
        })
    }

    /// Wraps `program` in a shell that sets the memory limit on itself and then executes the program.
    fn limited<'p>(
        &self,
        program: ResolvedProgram<'p>,
        bytes: u64,
        cx: &ToolContext,
    ) -> ResolvedProgram<'p> {
        let limiter = memory_kilobytes(bytes).zip(self.locate("sh").ok());
        let Some((kilobytes, path)) = limiter else {
            cx.warn(
                "The memory of the command is not limited, because this system has no such limit.",
            );
            return program;
        };
        cx.note("memory_limit_bytes", kilobytes * 1024);
        // The shell limits itself and then replaces itself with the program, so that no child process starts without the
        // limit. `prlimit` after the start would miss the first ones, and `pre_exec` is unsafe (docs/decisions/0017).
        let script = format!(r#"ulimit -v {kilobytes} && exec "$@""#);
        within_script(program, path, script.into())
    }

    /// With an absolute path, the standard library uses its fast spawn, whose cost is independent
    /// of the host's memory.
    fn command(&self, program: ResolvedProgram<'_>) -> Command {
        let mut command = Command::new(program.path);
        command.env_clear().envs(self.environment.variables());
        command.args(program.arguments.iter().map(AsRef::<str>::as_ref));
        #[cfg(unix)]
        command.arg0(program.name);
        if let Invocation::Line(_) = &self.invocation {
            for variable in STARTUP_VARIABLES {
                command.env_remove(variable);
            }
        }
        command
    }

    /// Returns the path of a program, or `PermissionDenied` if it is not executable.
    fn locate(&self, name: &str) -> Result<PathBuf, ErrorKind> {
        if name.contains(std::path::is_separator) {
            // Look the program up relative to its directory, like the new process: a path through
            // the host's handle would be invalid for the program itself.
            return runnable(&self.directory.join(name)).map(|_| PathBuf::from(name));
        }
        let mut reason = ErrorKind::NotFound;
        let search_path = self.environment.value("PATH");
        let directories = env::split_paths(search_path.unwrap_or(OsStr::new(DEFAULT_PATH)));
        // A relative entry, or an empty one, means the working directory, where the model may have written a program.
        for directory in directories.filter(|path| path.is_absolute()) {
            match runnable(&directory.join(name)) {
                Ok(program) => return Ok(program),
                Err(ErrorKind::NotFound) => {}
                Err(other) => reason = other,
            }
        }
        Err(reason)
    }
}

/// Wraps `program` in the shell at `path`, which runs `script` with it as the arguments.
fn within_script<'p>(
    program: ResolvedProgram<'p>,
    path: PathBuf,
    script: Cow<'p, str>,
) -> ResolvedProgram<'p> {
    let before = ["-c".into(), script, "sh".into()];
    let program = iter::once(program.name.into()).chain(program.arguments);
    ResolvedProgram {
        name: "sh",
        path,
        arguments: before.into_iter().chain(program).collect(),
    }
}

#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "programs are outside the workspace"
)]
fn runnable(path: &Path) -> Result<PathBuf, ErrorKind> {
    use rustix::fs::{Access, access};

    if !path.is_file() {
        return Err(ErrorKind::NotFound);
    }
    access(path, Access::EXEC_OK).map_err(|_| ErrorKind::PermissionDenied)?;
    Ok(path.to_owned())
}

#[cfg(not(unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "programs are outside the workspace"
)]
fn runnable(path: &Path) -> Result<PathBuf, ErrorKind> {
    let with_suffix = |suffix: &&str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    ["", ".exe", ".com"]
        .iter()
        .map(with_suffix)
        .find(|candidate| candidate.is_file())
        .ok_or(ErrorKind::NotFound)
}

/// Returns the limit that can be set on this system, in kilobytes, or `None` if limits are not
/// supported.
#[cfg(target_os = "linux")]
#[expect(clippy::unnecessary_wraps, reason = "other systems return `None`")]
fn memory_kilobytes(bytes: u64) -> Option<u64> {
    use rustix::process::{Resource, getrlimit};

    // A child process cannot raise the limits that it inherits.
    let inherited = getrlimit(Resource::As);
    let limits = [inherited.current, inherited.maximum].into_iter().flatten();
    Some(limits.fold(bytes, u64::min) / 1024)
}

#[cfg(not(target_os = "linux"))]
fn memory_kilobytes(_bytes: u64) -> Option<u64> {
    None
}

/// Maximum characters of a program name that an error repeats.
const MAX_NAME_CHARS: usize = 80;

/// Returns the error for a program that does not exist.
pub(crate) fn not_found(name: &str) -> ToolError {
    let shown: String = name.chars().take(MAX_NAME_CHARS).collect();
    let sentence = format!("names a program that was not found: `{shown}`");
    ToolError::about(ErrorCode::CommandNotFound, "command", sentence).suggest(alternative(name))
}

fn alternative(name: &str) -> &'static str {
    match name {
        "cd" | "pushd" | "popd" => {
            "Each command starts in the same directory, so pass paths relative to it. Set `working_directory` to start in another one."
        }
        "source" | "." | "export" | "alias" | "set" | "unset" | "eval" | "exec" => {
            "Pass a program name. Commands run without a shell, and nothing is kept between calls."
        }
        name if name.contains('=') => {
            "Run `env` with the variables and the program as its arguments. Commands run without a shell."
        }
        name if name.contains(char::is_whitespace) => {
            "Pass only the program as the command, and the rest as arguments."
        }
        _ => {
            "Check the spelling, use another program, or pass its path relative to the working directory."
        }
    }
}

/// Returns the error for a system without a shell.
pub(crate) fn no_shell() -> ToolError {
    ToolError::new(
        ErrorCode::CommandNotFound,
        "There is no shell on this system",
    )
    .suggest("Run single programs, without a shell.")
}

/// Returns the error for a parameter with a NUL character, which terminates arguments.
pub(crate) fn nul(parameter: &str) -> ToolError {
    ToolError::invalid_arguments(
        parameter,
        "contains a NUL character, which arguments cannot contain",
    )
    .suggest("Remove the character.")
}

/// Converts an error from starting a program that exists.
pub(crate) fn start_error(error: io::Error) -> ToolError {
    let tool_error = match error.kind() {
        io::ErrorKind::NotFound => ToolError::about(
            ErrorCode::CommandNotFound,
            "command",
            "cannot be started: the interpreter in its first line is missing",
        )
        .suggest("Run the script through an installed interpreter, such as `sh script`."),
        io::ErrorKind::PermissionDenied => permission_denied(),
        io::ErrorKind::ArgumentListTooLong => {
            ToolError::invalid_arguments("command", "has more arguments than the system allows")
                .suggest("Put them in a file, or run it several times.")
        }
        _ => ToolError::about(
            ErrorCode::Failed,
            "command",
            "cannot be started by this system",
        )
        .suggest("Run a script through its interpreter, such as `sh script`."),
    };
    tool_error.caused_by(error)
}

/// Returns the error for a file that is not executable.
pub(crate) fn permission_denied() -> ToolError {
    ToolError::about(
        ErrorCode::PermissionDenied,
        "command",
        "names a file that is not executable",
    )
    .suggest("Run a script through its interpreter, such as `sh script`.")
}
