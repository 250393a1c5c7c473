use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use super::grant::Grant;

/// Further findings add no information.
const MOST_FINDINGS: usize = 64;

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
    /// Run the command only after approval, with the [grants](Judgement::grants) it needs.
    Ask,
    /// Do not run the command, even with approval.
    Forbid,
}

impl CommandVerdict {
    /// Returns the stable name: `allow`, `confine`, `ask` or `forbid`.
    #[must_use]
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
    /// Code from a decoder.
    Encoded = "encoded", Ask, "runs code hidden by an encoding";
    /// Infinite loop.
    Endless = "endless", Ask, "may run forever";
    /// Signal to another process, or change of its priority.
    Processes = "processes", Ask, "terminates or changes other processes";
    /// Daemon that acts outside the sandbox, such as a container engine.
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
    /// Permissions of system files, and set-ID bits.
    Permission = "permission", Forbid, "changes permissions of system files or sets set-ID bits";
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
            Self::Services | Self::Processes => Some(Grant::Unconfined),
            _ => None,
        }
    }

    /// Returns `true` for rules that name no effect.
    fn is_general(self) -> bool {
        matches!(self, Self::Dynamic | Self::Construct | Self::Environment)
    }

    /// Returns `true` if a sandbox does not undo the effect, so that text within other text must be
    /// searched for it.
    pub(super) fn is_damage(self) -> bool {
        self.verdict() == CommandVerdict::Forbid
            || matches!(self, Self::Delete | Self::Discard | Self::Protected)
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
    grants: Vec<Grant>,
    explanation: &'static str,
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
            grants: rule.grant().into_iter().collect(),
            explanation: rule.reason(),
        }
    }

    pub(super) fn explained(mut self, explanation: &'static str) -> Self {
        self.explanation = explanation;
        self
    }

    pub(super) fn granted(mut self, grant: Option<Grant>) -> Self {
        self.grants.extend(grant);
        self
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

    /// Returns the permissions that the command needs beyond the sandbox.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::{CommandFilter, Grant};
    ///
    /// let judgement = CommandFilter::standard(["/srv/app"]).judge("git push");
    /// assert_eq!(judgement.findings()[0].grants(), [Grant::Network]);
    /// ```
    #[must_use]
    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }

    /// Returns the effect as a predicate without a subject, for a person who decides.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::CommandFilter;
    ///
    /// let judgement = CommandFilter::standard(["/srv/app"]).judge("git reset --hard");
    /// assert_eq!(judgement.worst().unwrap().explanation(), "discards uncommitted changes");
    /// ```
    #[must_use]
    pub fn explanation(&self) -> &str {
        self.explanation
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
            self.part, self.explanation, self.rule
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
///     Some("`/bin/sudo id`: gains the privileges of another user (privilege)")
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

    /// Returns the worst verdict, or [`CommandVerdict::Allow`] without findings.
    #[must_use]
    pub fn verdict(&self) -> CommandVerdict {
        self.worst().map_or(CommandVerdict::Allow, Finding::verdict)
    }

    /// Returns the first finding with the worst verdict, preferably about an effect.
    #[must_use]
    pub fn worst(&self) -> Option<&Finding> {
        self.findings
            .iter()
            .rev()
            .max_by_key(|finding| (finding.verdict, !finding.rule.is_general()))
    }

    /// Returns at most 64 findings, in the order of the text.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the distinct grants of all findings.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::{CommandFilter, Grant};
    ///
    /// let judgement = CommandFilter::standard(["/srv/app"]).judge("curl -O https://x.example && cp a /opt/a");
    /// assert_eq!(judgement.grants(), [Grant::Network, Grant::Write("/opt/a".to_owned())]);
    /// ```
    #[must_use]
    pub fn grants(&self) -> Vec<Grant> {
        let all: BTreeSet<&Grant> = self.findings.iter().flat_map(Finding::grants).collect();
        all.into_iter().cloned().collect()
    }

    /// Returns the distinct simple commands, including wrappers and the commands they run. `?`
    /// replaces unknown text.
    ///
    /// Redirections and assignments with findings are listed as `> file` and `NAME=value`. A
    /// policy that allows single commands must match all entries. Input with more than 1,000
    /// commands requires approval.
    #[must_use]
    pub fn commands(&self) -> &[Vec<String>] {
        &self.commands
    }
}
