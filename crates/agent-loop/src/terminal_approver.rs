//! Approval at the terminal.

use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::sync::Arc;

use async_trait::async_trait;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision, Preview, Rule};

/// Maximum length of a line, in bytes.
const MAX_LINE: u64 = 1024;
/// Number of invalid lines after which the call is denied.
const MAX_LINES: usize = 20;

/// Prompts the user at the terminal of the process, one request at a time. Denies calls without a
/// terminal.
///
/// The prompt shows the complete request, and a preview on demand. The user types one of these:
///
/// | line | effect |
/// |---|---|
/// | `y` | runs the call |
/// | `n`, `n use the other file` | denies it; the model reads the reason |
/// | `p` | shows the preview of the change |
/// | `always` | runs it, and from now on every call with exactly these arguments |
/// | `rule` | runs it, and passes the suggested rule on; only with [`on_rule`](Self::on_rule) |
///
/// The end of the input, an overlong line or 20 invalid lines deny the call. The prompt of a cancelled call reads one more
/// line.
///
/// # Examples
/// ```
/// use agent_loop::TerminalApprover;
/// use tool_core::Registry;
///
/// let registry = Registry::builder().approver(TerminalApprover::new()).build();
/// assert!(registry.list().is_empty());
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct TerminalApprover {
    settings: Settings,
    before_prompt: Option<Arc<dyn Fn() + Send + Sync>>,
    on_rule: Option<Arc<dyn Fn(Rule) + Send + Sync>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Settings {
    is_on_stderr: bool,
    is_brief: bool,
    has_rules: bool,
}

impl TerminalApprover {
    /// Creates an approver that prompts on standard output and reads standard input.
    pub fn new() -> Self {
        Self::default()
    }

    /// Prompts on standard error, for programs that write data to standard output.
    pub fn on_stderr(mut self) -> Self {
        self.settings.is_on_stderr = true;
        self
    }

    /// Shows long contents only by their size, and the question as in the alternate form of [`ApprovalRequest`].
    pub fn brief(mut self) -> Self {
        self.settings.is_brief = true;
        self
    }

    /// Calls `hook` before each prompt, for example to hide a progress bar.
    pub fn before_prompt(mut self, hook: impl Fn() + Send + Sync + 'static) -> Self {
        self.before_prompt = Some(Arc::new(hook));
        self
    }

    /// Offers the [suggested rule](ApprovalRequest::suggested_rule) of a request, such as "allow cargo test". `add` gets it
    /// if the user types `rule`, and adds it to the policy, usually with [`Registry::edit_policy`].
    ///
    /// # Examples
    /// ```
    /// use std::sync::{Arc, OnceLock};
    ///
    /// use agent_loop::TerminalApprover;
    /// use tool_core::Registry;
    ///
    /// // The registry is built after its approver.
    /// let built = Arc::new(OnceLock::<Registry>::new());
    /// let approver = TerminalApprover::new().on_rule({
    ///     let built = Arc::clone(&built);
    ///     move |rule| {
    ///         if let Some(registry) = built.get() {
    ///             registry.edit_policy(|policy| policy.rules.push(rule));
    ///         }
    ///     }
    /// });
    /// let registry = built.get_or_init(|| Registry::builder().approver(approver).build());
    /// assert!(registry.policy().rules.is_empty());
    /// ```
    ///
    /// [`Registry::edit_policy`]: tool_core::Registry::edit_policy
    pub fn on_rule(mut self, add: impl Fn(Rule) + Send + Sync + 'static) -> Self {
        self.settings.has_rules = true;
        self.on_rule = Some(Arc::new(add));
        self
    }
}

#[async_trait]
impl Approver for TerminalApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        if let Some(hook) = &self.before_prompt {
            hook();
        }
        let (settings, asked) = (self.settings, request.clone());
        // Reading a terminal blocks, and a runtime with one thread would stop with it.
        let typed = tokio::task::spawn_blocking(move || settings.ask_at_terminal(&asked)).await;
        let answer = match typed {
            Ok(Typed::Answer(answer)) => answer,
            Ok(Typed::Rule(rule)) => {
                if let Some(add) = &self.on_rule {
                    add(*rule);
                }
                Answer::Approve
            }
            Err(_) => no("The prompt failed"),
        };
        Decision::new(request, answer)
    }
}

/// What a person typed.
#[derive(Debug, PartialEq)]
enum Typed {
    Answer(Answer),
    /// Approves the call, and its like by this rule.
    Rule(Box<Rule>),
}

impl Settings {
    fn ask_at_terminal(self, request: &ApprovalRequest) -> Typed {
        // Other registries of the process may prompt at the same time, so lock the input first.
        let mut lines = io::stdin().lock();
        if self.is_on_stderr {
            let is_attended = io::stdin().is_terminal() && io::stderr().is_terminal();
            self.ask(request, is_attended, &mut lines, &mut io::stderr())
        } else {
            let is_attended = io::stdin().is_terminal();
            self.ask(request, is_attended, &mut lines, &mut io::stdout())
        }
    }

    fn ask(
        self,
        request: &ApprovalRequest,
        is_attended: bool,
        lines: &mut impl BufRead,
        shown: &mut impl Write,
    ) -> Typed {
        let prompt = Prompt::new(self, request);
        // A failure is detected before the answer is read.
        let _ = writeln!(shown);
        if !is_attended {
            let _ = writeln!(shown, "{}{}n (no terminal)\n", prompt.text, prompt.question);
            return Typed::Answer(no("No terminal is available"));
        }
        prompt.ask(lines, shown)
    }
}

/// What the terminal shows about a request, and what a person may type.
struct Prompt<'r> {
    request: &'r ApprovalRequest,
    /// The request, without the question.
    text: String,
    question: String,
    /// Rule that is offered.
    rule: Option<&'r Rule>,
}

impl<'r> Prompt<'r> {
    fn new(settings: Settings, request: &'r ApprovalRequest) -> Self {
        let rule = request.suggested_rule.as_ref();
        let rule = rule.filter(|_| settings.has_rules);
        let (text, question) = if settings.is_brief {
            // The alternate form is printed in a source document, with its question.
            (format!("{request:#}"), String::new())
        } else {
            let text = request.to_string();
            let text = text.strip_suffix(QUESTION).unwrap_or(&text).to_owned();
            (text, question(request, rule))
        };
        Self {
            request,
            text,
            question,
            rule,
        }
    }

    /// Prints the prompt and reads lines until one is valid. End of input denies the call.
    fn ask(&self, lines: &mut impl BufRead, shown: &mut impl Write) -> Typed {
        let deny = |reason| Typed::Answer(no(reason));
        let _ = write!(shown, "{}{}", self.text, self.question);
        for _ in 0..MAX_LINES {
            // Do not approve a call that could not be shown.
            if shown.flush().is_err() {
                return deny("The prompt could not be shown");
            }
            let mut line = String::new();
            let read = lines.by_ref().take(MAX_LINE).read_line(&mut line);
            if read.unwrap_or(0) == 0 {
                return deny("The terminal was closed");
            }
            // Its rest might look like an answer.
            if line.len() as u64 == MAX_LINE {
                return deny("The answer was too long");
            }
            if let Some(typed) = self.typed(line.trim()) {
                return typed;
            }
            let _ = match (&self.request.preview, line.trim()) {
                (Some(preview), "p") => write!(shown, "\n{preview}\n{QUESTION}"),
                (None, "p") => write!(shown, "The tool has no preview. {QUESTION}"),
                _ => write!(shown, "Type {}: ", choices(self.request, self.rule)),
            };
        }
        deny("No valid answer was given")
    }

    fn typed(&self, line: &str) -> Option<Typed> {
        let (word, reason) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let answer = match (word.to_ascii_lowercase().as_str(), reason.trim()) {
            ("y" | "yes", "") => Answer::Approve,
            ("n" | "no", "") => Answer::Deny { reason: None },
            ("n" | "no", reason) => no(reason),
            ("always", "") => Answer::Always,
            ("rule", "") => return self.rule.cloned().map(Box::new).map(Typed::Rule),
            _ => return None,
        };
        Some(Typed::Answer(answer))
    }
}

/// Question at the end of a request's own text.
const QUESTION: &str = "Approve? (y/n/always): ";

/// Returns the question, with what each answer means.
fn question(request: &ApprovalRequest, rule: Option<&Rule>) -> String {
    format!("Approve? {}: ", choices(request, rule))
}

fn choices(request: &ApprovalRequest, rule: Option<&Rule>) -> String {
    let preview = request.preview.as_ref().map(|_| "p (preview)".to_owned());
    let rule = rule.map(|rule| format!("rule ({})", visible(&rule.id)));
    let texts = [
        Some("y".to_owned()),
        Some("n or n REASON".to_owned()),
        preview,
        Some("always (exactly this call)".to_owned()),
        rule,
    ];
    texts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Escapes what a terminal would not show: the words of a rule are from the arguments of the model.
fn visible(text: &str) -> String {
    Preview::text(text.escape_debug().to_string()).to_string()
}

fn no(reason: &str) -> Answer {
    Answer::Deny {
        reason: Some(reason.to_owned()),
    }
}

tool_core::debug_fields!(TerminalApprover, this => settings: this.settings);

#[cfg(test)]
mod tests;
