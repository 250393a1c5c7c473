//! Finding the program that a command names, and starting it.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;
use tool_core::{ErrorCode, ToolError};

use super::cookie::Cookie;
use super::environment::Environment;

/// Where programs are looked for when the environment does not say.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A program to run, with its arguments and the folder to run it in.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// What the caller called it.
    pub(crate) name: String,
    /// Its arguments, without its name.
    pub(crate) arguments: Vec<String>,
    /// The folder to run it in.
    pub(crate) folder: PathBuf,
    /// What it is told about the host.
    pub(crate) environment: Environment,
}

impl Program {
    /// The command to spawn, or why there is none.
    pub(crate) fn command(&self, cookie: &Cookie) -> Result<Command, ToolError> {
        if self.words().any(|word| word.contains('\0')) {
            return Err(ToolError::invalid_arguments(
                "command",
                "holds a NUL character, which no program can be given",
            ));
        }
        // A full path keeps the standard library on its fast way to spawn, whose cost does not grow with the host.
        let mut command = Command::new(self.locate()?);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.environment.variables())
            .env(Cookie::VARIABLE, cookie.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        command.arg0(&self.name).process_group(0);
        Ok(command)
    }

    fn words(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.name).chain(&self.arguments)
    }

    fn locate(&self) -> Result<PathBuf, ToolError> {
        if self.name.contains(std::path::is_separator) {
            // The program is looked up from its folder, as the new process will: its own script would not find
            // itself under the path that only this process has to the folder.
            return runnable(&self.folder.join(&self.name))
                .map(|_| PathBuf::from(&self.name))
                .map_err(|why| self.not_found(why));
        }
        let mut why = Unusable::Missing;
        for folder in std::env::split_paths(self.search_path()).filter(|path| path.is_absolute()) {
            match runnable(&folder.join(&self.name)) {
                Ok(found) => return Ok(found),
                Err(Unusable::Missing) => {}
                Err(other) => why = other,
            }
        }
        Err(self.not_found(why))
    }

    fn search_path(&self) -> &OsStr {
        self.environment
            .value("PATH")
            .unwrap_or(OsStr::new(DEFAULT_PATH))
    }

    fn not_found(&self, why: Unusable) -> ToolError {
        match why {
            Unusable::Forbidden => permission_denied(),
            Unusable::Missing => ToolError::about(
                ErrorCode::CommandNotFound,
                "command",
                format!(
                    "names no program that can be found: `{}`",
                    shown(&self.name)
                ),
            )
            .suggest(self.instead()),
        }
    }

    fn instead(&self) -> &'static str {
        match self.name.as_str() {
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

/// Why a file cannot be run.
#[derive(Debug, Clone, Copy)]
enum Unusable {
    Missing,
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
    let endings = ["", "exe", "com"];
    endings
        .into_iter()
        .map(|ending| path.with_extension(ending))
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
