use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use super::grant::Grant;
use super::limits::MAX_FINDINGS;
use super::verdict::{CommandRule, CommandVerdict};

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
    pub(super) rule: CommandRule,
    pub(super) verdict: CommandVerdict,
    pub(super) part: String,
    pub(super) span: Range<usize>,
    pub(super) grants: Vec<Grant>,
    pub(super) explanation: &'static str,
}

impl Finding {
    /// Returns the violated rule.
    pub fn rule(&self) -> CommandRule {
        self.rule
    }

    /// Returns the verdict that the filter has for the rule.
    pub fn verdict(&self) -> CommandVerdict {
        self.verdict
    }

    /// Returns the offending word or command as it would run, with at most 80 characters. `?`
    /// replaces unknown text.
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
    pub fn explanation(&self) -> &str {
        self.explanation
    }

    /// Returns the byte range in the checked text, or the range of argument indexes for an argument
    /// list.
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
    /// Rules and grants of all findings, and whether they are about a part.
    kinds: BTreeSet<(CommandRule, Vec<Grant>, bool)>,
    pub(super) commands: Vec<SimpleCommand>,
    /// Worst verdict of the findings that are about no simple command.
    apart: Option<CommandVerdict>,
}

/// A simple command of a command line, or a redirection or assignment, with what the filter says about it alone.
///
/// # Examples
/// ```
/// use shell_verdict::{CommandFilter, CommandRule, CommandVerdict};
///
/// let judgement = CommandFilter::standard(["/srv/app"]).judge("cargo test 2>&1 | tail -5");
/// let [test, tail] = judgement.commands() else { panic!("two commands") };
/// assert_eq!((test.verdict(), test.rules()), (CommandVerdict::Confine, &[CommandRule::Project][..]));
/// assert_eq!((tail.verdict(), tail.words()), (CommandVerdict::Allow, &["tail".to_owned(), "-5".to_owned()][..]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    pub(super) words: Vec<String>,
    pub(super) verdict: CommandVerdict,
    pub(super) rules: Vec<CommandRule>,
}

impl SimpleCommand {
    /// Returns the words. `?` replaces unknown text. Those of a redirection are `>` and the file, and an assignment is
    /// one word.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns the worst verdict of the findings about this command.
    pub fn verdict(&self) -> CommandVerdict {
        self.verdict
    }

    /// Returns the rules of the findings about this command.
    pub fn rules(&self) -> &[CommandRule] {
        &self.rules
    }
}

impl Judgement {
    /// Adds a finding about the listed command `index`, or about none.
    pub(super) fn add(&mut self, finding: Finding, index: Option<usize>) {
        match index.and_then(|index| self.commands.get_mut(index)) {
            Some(command) => {
                command.verdict = command.verdict.max(finding.verdict);
                if !command.rules.contains(&finding.rule) {
                    command.rules.push(finding.rule);
                }
            }
            None => self.apart = self.apart.max(Some(finding.verdict)),
        }
        let (grants, is_about_all) = (finding.grants.clone(), finding.part.is_empty());
        let is_new_kind = self.kinds.insert((finding.rule, grants, is_about_all));
        let is_full = self.findings.len() >= MAX_FINDINGS;
        if is_new_kind || !is_full && !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Returns the worst verdict, or [`CommandVerdict::Allow`] without findings.
    pub fn verdict(&self) -> CommandVerdict {
        self.worst().map_or(CommandVerdict::Allow, Finding::verdict)
    }

    /// Returns the first finding with the worst verdict, preferably about an effect.
    pub fn worst(&self) -> Option<&Finding> {
        self.findings
            .iter()
            .rev()
            .max_by_key(|finding| (finding.verdict, !finding.rule.is_general()))
    }

    /// Returns the findings in the order of the text, after the first [`MAX_FINDINGS`] only those with
    /// another rule or other grants.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the distinct grants of all findings.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::{CommandFilter, Grant};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]);
    /// let write = |path: &str| Grant::Write(path.to_owned());
    /// assert_eq!(filter.judge("curl -o /opt/a https://x.example").grants(), [Grant::Network, write("/opt/a")]);
    /// // A directory is created in its parent, so that is what the command needs.
    /// assert_eq!(filter.judge("mkdir /opt/a").grants(), [write("/opt/")]);
    /// ```
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
    pub fn commands(&self) -> &[SimpleCommand] {
        &self.commands
    }

    /// Returns whether every finding is about one of the [`commands`](Self::commands). Otherwise, a policy that allows
    /// all of them has not decided about the entire line.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::CommandFilter;
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]);
    /// assert!(filter.judge("cargo test && ls").is_sum_of_commands());
    /// assert!(!filter.judge("while true; do ls; done").is_sum_of_commands());
    /// ```
    pub fn is_sum_of_commands(&self) -> bool {
        self.apart.is_none()
    }
}
