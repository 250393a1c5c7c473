//! What the filter says about a command, and why.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

/// More findings than this tell a reader nothing new.
const MOST_FINDINGS: usize = 64;

/// What is to be done with a command, from harmless to harmful.
///
/// # Examples
/// ```
/// use tools_builtin::shell::Verdict;
///
/// assert!(Verdict::Allow < Verdict::Ask && Verdict::Ask < Verdict::Forbid);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Nothing speaks against it.
    Allow,
    /// Somebody should look at it first.
    Ask,
    /// It is not to be run, whoever agrees.
    Forbid,
}

impl Verdict {
    /// The stable text: `allow`, `ask` or `forbid`.
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
        /// Why a part of a command is asked about or forbidden. The text of [`Rule::id`] is stable.
        ///
        /// # Examples
        /// ```
        /// use tools_builtin::shell::{Rule, Verdict};
        ///
        /// assert_eq!(Rule::Privilege.id(), "privilege");
        /// assert_eq!(Rule::Privilege.verdict(), Verdict::Forbid);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule { $($(#[$doc])* $name,)* }

        impl Rule {
            /// The name of the rule for logs and policies.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// What the rule leads to unless the host says otherwise; see
            /// [`CommandFilter::with_verdict`](super::CommandFilter::with_verdict).
            #[must_use]
            pub fn verdict(self) -> Verdict {
                match self { $(Self::$name => Verdict::$verdict,)* }
            }

            /// One sentence about what is wrong.
            #[must_use]
            pub fn reason(self) -> &'static str {
                match self { $(Self::$name => $reason,)* }
            }
        }
    };
}

rules! {
    /// Something cannot be read without running it.
    Opaque = "opaque", Ask, "what this does can only be known by running it";
    /// The text is not understood.
    Syntax = "syntax", Ask, "this is not understood as shell text";
    /// A character that does not belong into a command.
    ControlCharacter = "control_character", Ask, "the command holds a control character or an invisible one";
    /// A program that the filter does not know.
    UnknownProgram = "unknown_program", Ask, "this program is not known to the filter";
    /// An option or operand that the filter does not know.
    UnknownOption = "unknown_option", Ask, "this option or operand is not known to the filter";
    /// A program that runs code from elsewhere.
    Interpreter = "interpreter", Ask, "this runs code that the filter does not read";
    /// A package manager that changes what is installed.
    Install = "install", Ask, "this installs, removes or publishes packages";
    /// A program that talks to other hosts.
    Network = "network", Ask, "this talks to other hosts";
    /// A write to a shared temporary folder.
    Temporary = "temporary", Ask, "this writes to a shared temporary folder";
    /// A change of a protected name.
    Protected = "protected", Ask, "this changes a protected file or folder";
    /// Work that cannot be had back.
    Discard = "discard", Ask, "this throws away work that cannot be had back";
    /// A variable that redirects what other programs do.
    Environment = "environment", Ask, "this variable changes what other programs run";
    /// A loop without an end.
    Endless = "endless", Ask, "this may run without an end";
    /// A change of other processes.
    Processes = "processes", Ask, "this ends or changes other processes";
    /// Becoming another user.
    Privilege = "privilege", Forbid, "this gains the rights of another user";
    /// Deleting what must stay, or what cannot be known.
    Delete = "delete", Forbid, "this deletes outside of the workspace, or something that cannot be known";
    /// Writing outside of the roots.
    WriteOutside = "write_outside", Forbid, "this writes outside of the workspace";
    /// Raw disks and file systems.
    Disk = "disk", Forbid, "this works on raw devices or file systems";
    /// A command that multiplies itself.
    ForkBomb = "fork_bomb", Forbid, "this starts processes without an end";
    /// Shutdown, mounts, kernel and services.
    SystemControl = "system_control", Forbid, "this controls the machine or its services";
    /// Rights of system files, and set-id bits.
    Permission = "permission", Forbid, "this changes rights of system files or sets set-id bits";
    /// Running what was downloaded.
    DownloadRun = "download_run", Forbid, "this runs what comes from the network";
    /// Running what an encoding hides.
    Encoded = "encoded", Forbid, "this runs code that is hidden in an encoding";
    /// A shell for somebody else.
    ReverseShell = "reverse_shell", Forbid, "this gives a shell to another host";
    /// Reading a store of credentials.
    Secret = "secret", Forbid, "this reads a store of credentials";
    /// Something that stays after the session.
    Persistence = "persistence", Forbid, "this plants something that runs later";
    /// A program that the host does not want.
    Unwanted = "unwanted", Forbid, "this program is not to be used here";
    /// A text too long, too deep or with too many steps.
    Limit = "limit", Forbid, "this is larger, deeper or longer than the filter reads";
}

impl Rule {
    /// Whether the rule is about what a program is, and not about what it is told to work on.
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

    /// Whether the rule holds on other machines and in containers too, where other files and users are.
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

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

/// One part of a command that a rule speaks about.
///
/// # Examples
/// ```
/// use tools_builtin::shell::{CommandFilter, Rule};
///
/// let judgement = CommandFilter::standard(["/srv/app"]).judge("ls; sudo id");
/// assert_eq!(judgement.findings()[0].rule(), Rule::Privilege);
/// assert_eq!(judgement.findings()[0].span(), 4..11);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    rule: Rule,
    verdict: Verdict,
    part: String,
    span: Range<usize>,
}

impl Finding {
    pub(super) fn new(rule: Rule, verdict: Verdict, part: String, span: Range<usize>) -> Self {
        Self {
            rule,
            verdict,
            part,
            span,
        }
    }

    /// The rule that applies.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// What it leads to, as the host set it for the rule.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The offending word or command as it would be run; `?` stands for text that is not known. At most 80 characters.
    #[must_use]
    pub fn part(&self) -> &str {
        &self.part
    }

    /// Where it stands in the judged text, in bytes. For an argument list, the numbers of the arguments.
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

/// What the filter found in one command; the verdict is that of the worst finding.
///
/// # Examples
/// ```
/// use tools_builtin::shell::{CommandFilter, Verdict};
///
/// let filter = CommandFilter::standard(["/srv/app"]);
/// assert_eq!(filter.judge("grep sudo notes.txt").verdict(), Verdict::Allow);
/// let judgement = filter.judge("env -i /bin/su''do id");
/// assert_eq!(judgement.verdict(), Verdict::Forbid);
/// assert_eq!(
///     judgement.worst().map(ToString::to_string).as_deref(),
///     Some("`/bin/sudo`: this gains the rights of another user (privilege)")
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

    /// Adds what was found in the same text otherwise.
    pub(super) fn join(&mut self, other: Self) {
        for finding in other.findings {
            self.add(finding);
        }
        let known: HashSet<_> = self.commands.iter().cloned().collect();
        let new = other.commands.into_iter();
        self.commands
            .extend(new.filter(|command| !known.contains(command)));
    }

    /// The worst of all verdicts; allow when nothing was found.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.worst().map_or(Verdict::Allow, Finding::verdict)
    }

    /// The first of the worst findings.
    #[must_use]
    pub fn worst(&self) -> Option<&Finding> {
        self.findings
            .iter()
            .rev()
            .max_by_key(|finding| finding.verdict)
    }

    /// All findings in the order of reading, 64 at most.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The simple commands in the text, each once, wrappers and what they wrap alike, `?` for what is not known. Beside
    /// them stand redirections and assignments that are asked about, as `> file` and `NAME=value`.
    ///
    /// A policy that allows by command needs all of them to match. A text with more than 1,000 is forbidden.
    #[must_use]
    pub fn commands(&self) -> &[Vec<String>] {
        &self.commands
    }
}
