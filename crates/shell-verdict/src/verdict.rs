use std::fmt;

use super::grant::Grant;

/// Verdict on a command, ordered from harmless to harmful.
///
/// # Examples
/// ```
/// use shell_verdict::CommandVerdict;
///
/// assert!(CommandVerdict::Allow < CommandVerdict::Confine);
/// assert!(CommandVerdict::Confine < CommandVerdict::Ask && CommandVerdict::Ask < CommandVerdict::Forbid);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandVerdict {
    /// Run the command: it only reads, and every word is known.
    Allow,
    /// Run the command in a sandbox that permits only writes to the workspace and no network.
    /// Without such a sandbox, require approval.
    Confine,
    /// Run the command only after approval, with the [grants](crate::Judgement::grants) it needs.
    Ask,
    /// Do not run the command, even with approval.
    Forbid,
}

impl CommandVerdict {
    /// Returns the stable name: `allow`, `confine`, `ask` or `forbid`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Confine => "confine",
            Self::Ask => "ask",
            Self::Forbid => "forbid",
        }
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $verdict:ident, $reason:literal;)*) => {
        /// Reason for a finding. The string returned by [`CommandRule::id`] is stable.
        ///
        /// # Examples
        /// ```
        /// use shell_verdict::{CommandRule, CommandVerdict};
        ///
        /// assert_eq!(CommandRule::Privilege.id(), "privilege");
        /// assert_eq!(CommandRule::Privilege.verdict(), CommandVerdict::Forbid);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum CommandRule { $($(#[$doc])* $name,)* }

        impl CommandRule {
            /// Returns the stable name, for logs and policies.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// Returns the default verdict. Change it with
            /// [`CommandFilter::with_verdict`](super::CommandFilter::with_verdict).
            pub fn verdict(self) -> CommandVerdict {
                match self { $(Self::$name => CommandVerdict::$verdict,)* }
            }

            /// Returns the reason as a predicate without a subject, such as "connects to other
            /// hosts".
            pub fn reason(self) -> &'static str {
                match self { $(Self::$name => $reason,)* }
            }
        }
    };
}

rules! {
    /// Word that is not known before the command runs.
    Dynamic = "dynamic", Confine, "uses words that are known only when it runs";
    /// Change of variables or shell settings that other commands depend on.
    Environment = "environment", Confine, "sets variables that change the behavior of programs";
    /// Command that runs others, or changes the state of the shell.
    Construct = "construct", Confine, "runs other commands or changes the state of the shell";
    /// Program without a row in the table.
    UnknownProgram = "unknown_program", Confine, "runs a program with unknown effects";
    /// Option or subcommand that the row of its program does not list.
    UnknownOption = "unknown_option", Confine, "may have effects that are not known in advance";
    /// Code of the project: builds, tests and scripts.
    Project = "project", Confine, "runs code of the project";
    /// Code for an interpreter.
    Interpreter = "interpreter", Confine, "runs code whose effects are not known in advance";
    /// Read outside the workspace.
    ReadOutside = "read_outside", Confine, "reads outside the workspace";
    /// Change inside the workspace.
    Write = "write", Confine, "changes files in the workspace";
    /// Information about processes or the machine.
    Inspect = "inspect", Confine, "shows details of the machine, its processes or variables";
    /// Command that cannot be analyzed.
    Opaque = "opaque", Ask, "runs commands that are not known in advance";
    /// Text that the parser rejects.
    Syntax = "syntax", Ask, "is not recognized as shell syntax";
    /// Control or invisible character.
    ControlCharacter = "control_character", Ask, "contains a control or invisible character";
    /// Limit of the filter: size, nesting or steps.
    Limit = "limit", Ask, "is too large or too deeply nested to be analyzed";
    /// Package manager that installs, removes or publishes.
    Install = "install", Ask, "installs, removes or publishes packages";
    /// Access to other hosts, or to servers on this one.
    Network = "network", Ask, "connects to other hosts or local servers";
    /// Write to a path that is known only when the command runs.
    WriteUnknown = "write_unknown", Ask, "writes to a path that is known only when it runs";
    /// Write outside the workspace.
    WriteOutside = "write_outside", Ask, "writes outside the workspace";
    /// Change of a protected file or directory.
    Protected = "protected", Ask, "changes a protected file or directory";
    /// Deletion of several files, or of an unknown path.
    Delete = "delete", Ask, "deletes files that cannot be recovered";
    /// Loss of work, such as uncommitted changes.
    Discard = "discard", Ask, "discards work that cannot be recovered";
    /// Infinite loop.
    Endless = "endless", Ask, "may run forever";
    /// Signal to another process, or change of its priority.
    Processes = "processes", Ask, "terminates or changes other processes";
    /// Service that acts outside the sandbox, such as a container engine.
    Services = "services", Ask, "controls services outside the workspace";
    /// Privileges of another user.
    Privilege = "privilege", Forbid, "gains the privileges of another user";
    /// Deletion of the home directory or of system directories.
    DeleteSystem = "delete_system", Forbid, "deletes the home directory or parts of the system";
    /// Raw device or file system.
    Disk = "disk", Forbid, "accesses raw devices or file systems";
    /// Command that multiplies itself.
    ForkBomb = "fork_bomb", Forbid, "starts an unlimited number of processes";
    /// Shutdown, mounts, kernel or services.
    SystemControl = "system_control", Forbid, "controls the machine or its services";
    /// Set-ID bits.
    Permission = "permission", Forbid, "sets set-ID bits";
    /// Execution of downloaded code.
    DownloadRun = "download_run", Forbid, "runs downloaded code";
    /// Shell for another host.
    ReverseShell = "reverse_shell", Forbid, "opens a shell for another host";
    /// Read access to stored credentials.
    Secret = "secret", Forbid, "reads stored credentials";
    /// Change that outlasts the session, such as a cron job.
    Persistence = "persistence", Forbid, "installs something that runs later";
    /// Program that the host forbids.
    Unwanted = "unwanted", Forbid, "is forbidden here";
}

impl CommandRule {
    /// Returns the grant that a finding needs if its target has no path.
    pub(super) fn grant(self) -> Option<Grant> {
        match self {
            Self::Network | Self::Install => Some(Grant::Network),
            Self::Services => Some(Grant::Services),
            Self::Processes => Some(Grant::Unconfined),
            _ => None,
        }
    }

    /// Returns `true` for rules that name no effect.
    pub(super) fn is_general(self) -> bool {
        matches!(self, Self::Dynamic | Self::Construct | Self::Environment)
    }
}

impl fmt::Display for CommandRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}
