use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

/// Further findings add no information.
const MOST_FINDINGS: usize = 64;

/// Verdict on a command, ordered from harmless to harmful.
///
/// # Examples
/// ```
/// use shell_verdict::CommandVerdict;
///
/// assert!(CommandVerdict::Allow < CommandVerdict::Ask && CommandVerdict::Ask < CommandVerdict::Forbid);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandVerdict {
    /// Run the command.
    Allow,
    /// Run the command only after approval.
    Ask,
    /// Do not run the command, even with approval.
    Forbid,
}

impl CommandVerdict {
    /// Returns the stable name: `allow`, `ask` or `forbid`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
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
            #[must_use]
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// Returns the default verdict. Change it with
            /// [`CommandFilter::with_verdict`](super::CommandFilter::with_verdict).
            #[must_use]
            pub fn verdict(self) -> CommandVerdict {
                match self { $(Self::$name => CommandVerdict::$verdict,)* }
            }

            /// Returns the reason as a predicate without a subject, such as "connects to other
            /// hosts".
            #[must_use]
            pub fn reason(self) -> &'static str {
                match self { $(Self::$name => $reason,)* }
            }
        }
    };
}

rules! {
    /// Effect that is unknown without running the command.
    Opaque = "opaque", Ask, "cannot be evaluated without running it";
    /// Text that the parser rejects.
    Syntax = "syntax", Ask, "is not recognized as shell syntax";
    /// Control or invisible character.
    ControlCharacter = "control_character", Ask, "contains a control or invisible character";
    /// Unknown program.
    UnknownProgram = "unknown_program", Ask, "is an unknown program";
    /// Unknown option or operand.
    UnknownOption = "unknown_option", Ask, "is an unknown option or operand";
    /// Interpreter that runs unchecked code.
    Interpreter = "interpreter", Ask, "runs code that is not checked";
    /// Package manager that installs, removes or publishes.
    Install = "install", Ask, "installs, removes or publishes packages";
    /// Access to other hosts.
    Network = "network", Ask, "connects to other hosts";
    /// Write to a shared temporary directory.
    Temporary = "temporary", Ask, "writes to a shared temporary directory";
    /// Change of a protected file or directory.
    Protected = "protected", Ask, "changes a protected file or directory";
    /// Loss of work, such as uncommitted changes.
    Discard = "discard", Ask, "discards work that cannot be recovered";
    /// Variable that controls other programs.
    Environment = "environment", Ask, "is a variable that changes the behavior of programs";
    /// Infinite loop.
    Endless = "endless", Ask, "may run forever";
    /// Signal to another process, or change of its priority.
    Processes = "processes", Ask, "terminates or changes other processes";
    /// Privileges of another user.
    Privilege = "privilege", Forbid, "gains the privileges of another user";
    /// Deletion outside the roots, or of an unknown path.
    Delete = "delete", Forbid, "deletes outside the workspace, or an unknown path";
    /// Write outside the roots.
    WriteOutside = "write_outside", Forbid, "writes outside the workspace";
    /// Raw device or file system.
    Disk = "disk", Forbid, "accesses raw devices or file systems";
    /// Command that multiplies itself.
    ForkBomb = "fork_bomb", Forbid, "starts an unlimited number of processes";
    /// Shutdown, mounts, kernel or services.
    SystemControl = "system_control", Forbid, "controls the machine or its services";
    /// Permissions of system files, and set-ID bits.
    Permission = "permission", Forbid, "changes permissions of system files or sets set-ID bits";
    /// Execution of downloaded code.
    DownloadRun = "download_run", Forbid, "runs downloaded code";
    /// Execution of encoded code.
    Encoded = "encoded", Forbid, "runs code hidden by an encoding";
    /// Shell for another host.
    ReverseShell = "reverse_shell", Forbid, "opens a shell for another host";
    /// Read access to stored credentials.
    Secret = "secret", Forbid, "reads stored credentials";
    /// Change that outlasts the session, such as a cron job.
    Persistence = "persistence", Forbid, "installs something that runs later";
    /// Program that the host forbids.
    Unwanted = "unwanted", Forbid, "is forbidden here";
    /// Limit of the filter: size, nesting or steps.
    Limit = "limit", Forbid, "exceeds a limit of the command filter";
}

impl CommandRule {
    /// Returns `true` if the rule applies to the program, not to its targets.
    pub(super) fn is_about_programs(self) -> bool {
        matches!(
            self,
            Self::UnknownProgram
                | Self::UnknownOption
                | Self::Interpreter
                | Self::Install
                | Self::Network
                | Self::Processes
        )
    }

    /// Returns `true` if the rule also applies to other machines and containers.
    pub(super) fn is_the_same_everywhere(self) -> bool {
        matches!(
            self,
            Self::Delete
                | Self::ForkBomb
                | Self::DownloadRun
                | Self::Encoded
                | Self::ReverseShell
                | Self::Unwanted
                | Self::Limit
        )
    }
}

impl fmt::Display for CommandRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

/// Part of a command that violates a rule.
///
/// # Examples
/// ```
/// use shell_verdict::{CommandFilter, CommandRule};
///
/// let judgement = CommandFilter::standard(["/srv/app"]).judge("ls; sudo id");
/// assert_eq!(judgement.findings()[0].rule(), CommandRule::Privilege);
/// assert_eq!(judgement.findings()[0].span(), 4..11);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    rule: CommandRule,
    verdict: CommandVerdict,
    part: String,
    span: Range<usize>,
}

impl Finding {
    pub(super) fn new(
        rule: CommandRule,
        verdict: CommandVerdict,
        part: String,
        span: Range<usize>,
    ) -> Self {
        Self {
            rule,
            verdict,
            part,
            span,
        }
    }

    /// Returns the violated rule.
    #[must_use]
    pub fn rule(&self) -> CommandRule {
        self.rule
    }

    /// Returns the verdict that the filter has for the rule.
    #[must_use]
    pub fn verdict(&self) -> CommandVerdict {
        self.verdict
    }

    /// Returns the offending word or command as it would run, with at most 80 characters. `?`
    /// replaces unknown text.
    #[must_use]
    pub fn part(&self) -> &str {
        &self.part
    }

    /// Returns the byte range in the checked text, or the range of argument indexes for an argument
    /// list.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "`{}`: {} ({})",
            self.part,
            self.rule.reason(),
            self.rule
        )
    }
}

/// Result of a check. Its verdict is the verdict of the worst finding.
///
/// # Examples
/// ```
/// use shell_verdict::{CommandFilter, CommandVerdict};
///
/// let filter = CommandFilter::standard(["/srv/app"]);
/// assert_eq!(filter.judge("grep sudo notes.txt").verdict(), CommandVerdict::Allow);
/// let judgement = filter.judge("env -i /bin/su''do id");
/// assert_eq!(judgement.verdict(), CommandVerdict::Forbid);
/// assert_eq!(
///     judgement.worst().map(ToString::to_string).as_deref(),
///     Some("`/bin/sudo`: gains the privileges of another user (privilege)")
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judgement {
    findings: Vec<Finding>,
    commands: Vec<Vec<String>>,
}

impl Judgement {
    pub(super) fn add(&mut self, finding: Finding) {
        let is_full = self.findings.len() >= MOST_FINDINGS;
        let is_no_news = |known: &Finding| known.verdict >= finding.verdict;
        if is_full && self.findings.iter().any(is_no_news) || self.findings.contains(&finding) {
            return;
        }
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        } else if finding.verdict > self.verdict() {
            self.findings.pop();
            self.findings.push(finding);
        }
    }

    pub(super) fn add_command(&mut self, arguments: Vec<String>) {
        self.commands.push(arguments);
    }

    /// Adds the findings of a walk with another shell.
    pub(super) fn join(&mut self, other: Self) {
        for finding in other.findings {
            self.add(finding);
        }
        let known: HashSet<_> = self.commands.iter().cloned().collect();
        let new = other.commands.into_iter();
        self.commands
            .extend(new.filter(|command| !known.contains(command)));
    }

    /// Returns the worst verdict, or [`CommandVerdict::Allow`] without findings.
    #[must_use]
    pub fn verdict(&self) -> CommandVerdict {
        self.worst().map_or(CommandVerdict::Allow, Finding::verdict)
    }

    /// Returns the first finding with the worst verdict.
    #[must_use]
    pub fn worst(&self) -> Option<&Finding> {
        self.findings
            .iter()
            .rev()
            .max_by_key(|finding| finding.verdict)
    }

    /// Returns at most 64 findings, in the order of the text.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the distinct simple commands, including wrappers and the commands they run. `?`
    /// replaces unknown text.
    ///
    /// Redirections and assignments with findings are listed as `> file` and `NAME=value`. A
    /// policy that allows single commands must match all entries. Input with more than 1,000
    /// commands is forbidden.
    #[must_use]
    pub fn commands(&self) -> &[Vec<String>] {
        &self.commands
    }
}
