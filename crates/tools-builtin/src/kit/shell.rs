//! Shell settings of a kit.

use super::Kit;
use crate::shell::Sandbox;
use crate::shell::{BackgroundCommands, Environment, TerminalHistory};

impl Kit {
    /// Runs all commands of the kit in `sandbox`, which allows writes to the workspace.
    ///
    /// The tools of a kit coordinate the restoration of protected files. Tools of different kits do
    /// not: if their calls overlap in one workspace, one call may revert changes of another.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::shell::Sandbox;
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// let scratch = Scratch::new();
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_sandbox(Sandbox::standard());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_sandbox(mut self, sandbox: Sandbox) -> Self {
        self.shell.confine(&self.workspace, sandbox);
        self
    }

    /// Sets the environment of all commands. The default is [`Environment::of_host`].
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::shell::Environment;
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// let scratch = Scratch::new();
    /// let environment = Environment::of_host().inherit("SSH_AUTH_SOCK");
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_environment(environment);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.shell.set_environment(environment);
        self
    }

    /// Runs all commands of the kit without a sandbox. Use it only if programs are confined by other
    /// means, or if a person approves each command.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// let scratch = Scratch::new();
    /// let kit = Kit::new(Workspace::open(scratch.path())?).unconfined();
    /// assert!(!kit.shell.bash.is_confined());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn unconfined(mut self) -> Self {
        self.shell.unconfine();
        self
    }

    /// Returns the last command that `run_command` or `bash` ran.
    #[must_use]
    pub fn terminal_history(&self) -> &TerminalHistory {
        &self.shell.history
    }

    /// Returns the background commands that `bash` started.
    ///
    /// They are killed when the kit and all its registries are dropped.
    #[must_use]
    pub fn background_commands(&self) -> &BackgroundCommands {
        &self.shell.commands
    }
}
