//! What a call would do, read from its arguments before anything runs.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::command::CommandPart;
use super::rule::{Ruling, Verdict};
use crate::touches::{Touched, normalized};
use crate::{Arguments, RiskLevel, Touches};

/// What a call would do: its risk, what the policy should know about it, and what it touches.
///
/// A tool returns it once per call from [`Tool::prepare`](crate::Tool::prepare). Every later step reads these fields and
/// never asks the tool again, so that a call that was approved is the call that runs.
///
/// # Examples
/// ```
/// use tool_core::{CallPlan, RiskLevel};
///
/// let plan = CallPlan::of(RiskLevel::SafeWrite)
///     .reads("notes.md")
///     .writes("summary.md")
///     .asking("overwrite", "replaces `summary.md`");
/// assert_eq!(plan.touches.files_written(), ["summary.md"]);
/// assert_eq!(plan.findings.reason(), Some("replaces `summary.md`"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[must_use]
pub struct CallPlan {
    /// Risk of the call with these arguments.
    pub risk: RiskLevel,
    /// Findings about the arguments, for the policy and the approver.
    #[serde(default, skip_serializing_if = "Findings::is_empty")]
    pub findings: Findings,
    /// Files and other resources that the call reads and writes. Calls that touch the same one wait for each other.
    #[serde(default, skip_serializing_if = "Touches::is_empty")]
    pub touches: Touches,
    /// Key that equal calls share, such as the number of an invoice to pay, so that the same payment requested under two
    /// ids is one call. Used only with a [ledger](crate::ledger); without it, each call id is a separate call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub once: Option<Box<str>>,
}

impl CallPlan {
    /// Creates the plan of a call of this risk, without findings, that touches nothing.
    pub fn of(risk: RiskLevel) -> Self {
        Self {
            risk,
            findings: Findings::default(),
            touches: Touches::default(),
            once: None,
        }
    }

    /// Sets the key that equal calls share, see [`once`](Self::once).
    pub fn once(mut self, key: impl Into<Box<str>>) -> Self {
        self.once = Some(key.into());
        self
    }

    /// Adds a finding that requires approval. `rule` is its stable name for rules, results and logs, `reason` one line for
    /// the approver, which replaces an earlier reason.
    pub fn asking(self, rule: impl Into<Cow<'static, str>>, reason: impl Into<String>) -> Self {
        let (rule, reason) = (rule.into(), reason.into());
        let mut plan = self.finding(rule.clone());
        let found = plan.findings.found();
        // A tool that has explained its findings one by one needs no summary.
        if found.explained.iter().all(|finding| finding.name != rule) {
            let finding = Finding::new(&*rule, &*reason, []);
            found.explained.push(finding);
        }
        found.approval_reason = Some(ApprovalReason { rule, reason });
        plan
    }

    /// Adds a finding by its stable name. It requires approval only with a reason, but rules that allow must list it.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{CallPlan, RiskLevel};
    ///
    /// let plan = CallPlan::of(RiskLevel::SafeWrite).finding("network").asking("delete", "deletes `a`");
    /// assert_eq!(plan.findings.findings(), ["network", "delete"]);
    /// assert_eq!(plan.findings.reason(), Some("deletes `a`"));
    /// ```
    pub fn finding(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        let findings = &mut self.findings.found().findings;
        // Once is enough: rules compare names, and a prompt that repeats itself is hard to read.
        if !findings.contains(&name) {
            findings.push(name);
        }
        self
    }

    /// Explains a finding to the approver. It has no effect on rules; see [`finding`](Self::finding).
    pub fn explaining(mut self, finding: Finding) -> Self {
        let explained = &mut self.findings.found().explained;
        if !explained.contains(&finding) {
            explained.push(finding);
        }
        self
    }

    /// Adds a permission that approval of the call gives, such as `network`. The prompt lists all of them completely, because
    /// the approver decides about them.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{CallPlan, RiskLevel};
    ///
    /// let plan = CallPlan::of(RiskLevel::Dangerous).with_grant("network").with_grant("write:/srv/cache/");
    /// assert_eq!(plan.findings.grants(), ["network", "write:/srv/cache/"]);
    /// ```
    pub fn with_grant(mut self, grant: impl Into<String>) -> Self {
        let grant = grant.into();
        let grants = &mut self.findings.found().grants;
        if !grants.contains(&grant) {
            grants.push(grant);
        }
        self
    }

    /// Adds a part: the call with these parameters, which replace its own. The names are the tool's own.
    pub fn with_part<Name: Into<String>>(
        mut self,
        parameters: impl IntoIterator<Item = (Name, Value)>,
    ) -> Self {
        let members = parameters
            .into_iter()
            .map(|(name, value)| (name.into(), value));
        self.findings.found().parts.push(members.collect());
        self
    }

    /// Sets the simple commands of a command line, for rules that
    /// [allow commands](super::Policy::allow_command). Call it before findings that are not about the commands alone are
    /// added: such a rule doesn't decide about them.
    pub fn with_commands(mut self, commands: impl IntoIterator<Item = CommandPart>) -> Self {
        let found = self.findings.found();
        found.commands = commands.into_iter().collect();
        found.of_commands = found.findings.len();
        self
    }

    /// Adds a host that the call connects to, for rules that [allow hosts](super::Policy::allow_host).
    pub fn connects_to(mut self, host: impl Into<String>) -> Self {
        self.findings.found().hosts.push(host.into());
        self
    }

    /// Sets the value that rules match instead of the argument `parameter`, such as a path without `..`, so that a rule for
    /// `docs/` does not match `docs/../src`. The tool still receives the argument.
    pub fn matching(mut self, parameter: impl Into<String>, value: Value) -> Self {
        self.findings
            .found()
            .matched
            .insert(parameter.into(), value);
        self
    }

    /// Adds a file or directory that the call reads. A directory covers what is below it.
    pub fn reads(self, path: impl Into<String>) -> Self {
        self.touching(|touched| touched.reads.push(normalized(path.into())))
    }

    /// Adds a file or directory that the call writes. A directory covers what is below it.
    pub fn writes(self, path: impl Into<String>) -> Self {
        self.touching(|touched| touched.writes.push(normalized(path.into())))
    }

    /// Adds a directory in which the call may write anything, such as the root for a command. Writes and other such calls
    /// wait for it; reads do not, because a build that takes minutes must not keep the model from reading.
    pub fn may_write(self, directory: impl Into<String>) -> Self {
        self.touching(|touched| touched.may_write.push(normalized(directory.into())))
    }

    /// Adds a resource other than a file, such as `mailbox`, which only one call uses at a time.
    pub fn uses(self, resource: impl Into<String>) -> Self {
        self.touching(|touched| touched.uses.push(resource.into()))
    }

    /// Requires that no other call of the registry runs at the same time.
    pub fn exclusive(self) -> Self {
        self.touching(|touched| touched.exclusive = true)
    }

    fn touching(mut self, add: impl FnOnce(&mut Touched)) -> Self {
        add(self.touches.touched());
        self
    }
}

impl From<RiskLevel> for CallPlan {
    fn from(risk: RiskLevel) -> Self {
        Self::of(risk)
    }
}

/// Findings of a tool about the arguments of a call, for the policy: their names, a reason to require approval, the
/// permissions that approval gives, and the simpler calls that the call consists of. A [`CallPlan`] collects them.
///
/// A reason requires approval if the verdict of the risk would allow the call. A rule that allows the call overrules the
/// findings only if it lists all of them; see [`Rule::findings`](super::Rule::findings).
///
/// Parts are for calls that perform several actions, such as a command line. A rule that requires approval or denies applies to
/// the call if it matches one part. Rules that allow apply only if each part is matched by one of them, so that an allowed part
/// permits nothing else. A rule for exactly these arguments also applies, and so does a rule that matches a complete call
/// with a single part.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{CallPlan, RiskLevel};
///
/// let plan = CallPlan::of(RiskLevel::Dangerous)
///     .asking("network", "`curl` connects to other hosts")
///     .with_part([("command", json!("make"))])
///     .with_part([("command", json!("curl example.org"))]);
/// assert_eq!(plan.findings.reason(), Some("`curl` connects to other hosts"));
/// assert_eq!(plan.findings.parts().len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
// In a box, because most calls have no findings, and a plan is moved often.
#[must_use]
pub struct Findings(Option<Box<Found>>);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Found {
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_reason: Option<ApprovalReason>,
    findings: Vec<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    grants: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Map<String, Value>>,
    /// Values that rules match instead of the arguments.
    #[serde(skip_serializing_if = "Map::is_empty")]
    matched: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<CommandPart>,
    /// Number of findings that are only about the commands.
    of_commands: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explained: Vec<Finding>,
}

/// A finding of a tool about a call, for a person who decides.
///
/// # Examples
/// ```
/// use tool_core::approval::Finding;
/// use tool_core::{CallPlan, RiskLevel};
///
/// let plan = CallPlan::of(RiskLevel::SafeWrite).asking("overwrite", "replaces `a.txt`");
/// assert_eq!(plan.findings.explained(), [Finding::new("overwrite", "replaces `a.txt`", [])]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// Stable name, as in rules.
    pub name: String,
    /// One sentence, without a subject or final period.
    pub reason: String,
    /// Permissions that it needs, which approval gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
}

impl Finding {
    /// Creates a finding.
    pub fn new(
        name: impl Into<String>,
        reason: impl Into<String>,
        grants: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            name: name.into(),
            reason: reason.into(),
            grants: grants.into_iter().collect(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ApprovalReason {
    rule: Cow<'static, str>,
    reason: String,
}

impl Findings {
    /// Returns the reason to require approval.
    pub fn reason(&self) -> Option<&str> {
        self.approval_reason()
            .map(|approval_reason| approval_reason.reason.as_str())
    }

    /// Returns the name of the tool's own rule that requires approval.
    pub fn rule(&self) -> Option<&str> {
        self.approval_reason()
            .map(|approval_reason| approval_reason.rule.as_ref())
    }

    /// Returns the names of all findings, without duplicates.
    pub fn findings(&self) -> &[Cow<'static, str>] {
        self.0.as_deref().map_or(&[], |found| &found.findings)
    }

    /// Returns the permissions that approval gives, without duplicates.
    pub fn grants(&self) -> &[String] {
        self.0.as_deref().map_or(&[], |found| &found.grants)
    }

    /// Returns the parameters of each part.
    pub fn parts(&self) -> &[Map<String, Value>] {
        self.0.as_deref().map_or(&[], |found| &found.parts)
    }

    /// Returns the simple commands of the call.
    pub fn commands(&self) -> &[CommandPart] {
        self.0.as_deref().map_or(&[], |found| &found.commands)
    }

    /// Returns the hosts that the call connects to.
    pub fn hosts(&self) -> &[String] {
        self.0.as_deref().map_or(&[], |found| &found.hosts)
    }

    /// Returns the findings with their reasons.
    pub fn explained(&self) -> &[Finding] {
        self.0.as_deref().map_or(&[], |found| &found.explained)
    }

    /// Returns whether a rule about the commands decides about all findings.
    pub(crate) fn is_about_commands(&self) -> bool {
        let inner = self.0.as_deref();
        inner.is_some_and(|inner| {
            !inner.commands.is_empty() && inner.of_commands == inner.findings.len()
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn found(&mut self) -> &mut Found {
        self.0.get_or_insert_default()
    }

    fn approval_reason(&self) -> Option<&ApprovalReason> {
        self.0.as_deref()?.approval_reason.as_ref()
    }

    /// Renames the parameters in the parts and the matched values, for a tool that passes its arguments to another one
    /// under other names. Those for which `name` returns `None` are omitted.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{CallPlan, RiskLevel};
    ///
    /// let plan = CallPlan::of(RiskLevel::ReadOnly);
    /// let inner = plan.clone().matching("path", json!("src")).findings;
    /// let renamed = inner.renamed(|name| (name == "path").then(|| "file_path".to_owned()));
    /// assert_eq!(renamed, plan.matching("file_path", json!("src")).findings);
    /// ```
    pub fn renamed(mut self, name: impl Fn(&str) -> Option<String>) -> Self {
        let Some(inner) = &mut self.0 else {
            return self;
        };
        for part in inner.parts.iter_mut().chain([&mut inner.matched]) {
            let members = std::mem::take(part).into_iter();
            *part = members
                .filter_map(|(own, value)| Some((name(&own)?, value)))
                .collect();
        }
        self
    }

    /// Returns the arguments that rules match.
    pub(crate) fn matched(&self, arguments: &Arguments<'_>) -> Value {
        let mut whole = arguments.to_value();
        if let (Some(inner), Some(members)) = (&self.0, whole.as_object_mut()) {
            for (name, value) in &inner.matched {
                // An omitted argument stays omitted.
                if let Some(member) = members.get_mut(name) {
                    member.clone_from(value);
                }
            }
        }
        whole
    }

    /// Returns the arguments of each part of a call.
    pub(crate) fn parts_of(&self, arguments: &Value) -> Vec<Value> {
        // A part has all other parameters of the call, so that a pattern about them still matches.
        let replaced = |part: &Map<String, Value>| {
            let mut whole = arguments.as_object().cloned().unwrap_or_default();
            whole.extend(part.clone());
            Value::Object(whole)
        };
        self.parts().iter().map(replaced).collect()
    }

    /// Applies the reason to a ruling.
    #[inline]
    pub(crate) fn raise(&self, ruling: Ruling) -> Ruling {
        match self.approval_reason() {
            // A rule that allows has listed all findings, so it has decided about this reason too.
            Some(approval_reason) if ruling.verdict == Verdict::Allow && !ruling.is_by_rule => {
                Ruling {
                    verdict: Verdict::Ask,
                    rule: approval_reason.rule.clone(),
                    is_by_rule: false,
                }
            }
            _ => ruling,
        }
    }
}
