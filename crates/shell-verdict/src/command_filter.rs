use std::sync::Arc;

use tool_json::text::{is_invisible, is_unusual_space};

use super::judgement::Judgement;
use super::limits::MAX_BYTES;
use super::paths::{PathClassifier, ProtectedName};
use super::settings::Settings;
use super::verdict::{CommandRule, CommandVerdict};
use super::walk::Walk;

/// Static filter for shell commands: allows, confines, asks or forbids.
///
/// Parses a command as bash does, including quotes, substitutions and wrappers such as `env` or
/// `xargs`, and sorts it by its effects. A word is literal, or dynamic because only the running shell
/// knows it; nothing computes a dynamic word. Only literal words of known programs and options are
/// allowed; every dynamic word, unknown option, construct and program text is at best confined. A
/// destructive name that is only a search pattern or printed text has no effect.
///
/// Paths are checked by their text only: symlinks are not followed, and the actions of a program or
/// script are not visible. Combine the filter with a sandbox.
///
/// Checking reads no files, starts no processes and takes bounded time. A part of a command beyond
/// a limit, such as 64 KiB, 64 levels of nesting or 4,000 steps, is not examined and requires
/// approval ([`CommandRule::Limit`]).
///
/// # Examples
/// ```
/// use shell_verdict::{CommandFilter, CommandRule, CommandVerdict};
///
/// let filter = CommandFilter::standard(["/srv/app"]).with_home("/home/dev");
/// assert_eq!(filter.judge("ls src && git diff").verdict(), CommandVerdict::Allow);
/// assert_eq!(filter.judge("cargo test").verdict(), CommandVerdict::Confine);
/// assert_eq!(filter.judge("git commit -m 'rm -rf /'").verdict(), CommandVerdict::Confine);
/// assert_eq!(filter.judge("rm -rf src").verdict(), CommandVerdict::Ask);
///
/// let judgement = filter.judge("cd / && rm -rf *");
/// assert_eq!(judgement.verdict(), CommandVerdict::Forbid);
/// assert_eq!(judgement.worst().unwrap().rule(), CommandRule::DeleteSystem);
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct CommandFilter {
    pub(super) settings: Arc<Settings>,
    directory: Option<String>,
}

impl CommandFilter {
    /// Creates a filter for work below `roots`, which are absolute paths.
    ///
    /// Commands start in the first root. Without a root, every write requires approval.
    pub fn standard<Root: Into<String>>(roots: impl IntoIterator<Item = Root>) -> Self {
        let roots: Vec<String> = roots
            .into_iter()
            .filter_map(|root| PathClassifier::resolve(&root.into(), None))
            .collect();
        let directory = roots.first().cloned();
        let mut settings = Settings::default();
        settings.paths.roots = roots;
        "/home/~".clone_into(&mut settings.paths.home);
        Self {
            settings: Arc::new(settings),
            directory,
        }
    }

    /// Allows reads below `root`, an absolute path. Commands may also start there.
    pub fn with_read_only_root(mut self, root: &str) -> Self {
        let root = PathClassifier::resolve(root, None);
        self.settings().read_only.extend(root);
        self
    }

    /// Sets the home directory for `~` and `$HOME`, an absolute path.
    pub fn with_home(mut self, home: &str) -> Self {
        if let Some(home) = PathClassifier::resolve(home, None) {
            self.settings().paths.home = home;
        }
        self
    }

    /// Sets the directory in which commands start.
    ///
    /// `directory` is an absolute path, or relative to the current value. The default is the first
    /// root.
    pub fn with_working_directory(mut self, directory: &str) -> Self {
        self.directory = PathClassifier::resolve(directory, self.directory.as_deref());
        self
    }

    /// Allows writes below `root`, an absolute path.
    pub fn with_root(mut self, root: &str) -> Self {
        let root = PathClassifier::resolve(root, None);
        self.settings().paths.roots.extend(root);
        self
    }

    /// Requires approval for changes of files and directories with this name at any depth, for
    /// example `deploy.yaml` or `secrets/*.pem`.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::{CommandFilter, CommandVerdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]).with_protected_name("secrets/*.pem");
    /// assert_eq!(filter.judge("touch a/secrets/b.pem").verdict(), CommandVerdict::Ask);
    /// assert_eq!(filter.judge("touch a/b.pem").verdict(), CommandVerdict::Confine);
    /// ```
    pub fn with_protected_name(mut self, name: &str) -> Self {
        let paths = &mut self.settings().paths;
        paths.protected.extend(ProtectedName::new(name));
        self
    }

    /// Trusts a program, given by its file name: the program and its options are allowed.
    ///
    /// Redirections and paths of credentials are still checked. A program that is forbidden by name,
    /// such as `sudo`, may then run any command.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::{CommandFilter, CommandVerdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]).with_allowed_program("terraform");
    /// assert_eq!(filter.judge("terraform apply").verdict(), CommandVerdict::Allow);
    /// assert_eq!(filter.judge("terraform apply > /opt/log").verdict(), CommandVerdict::Ask);
    /// ```
    pub fn with_allowed_program(mut self, name: &str) -> Self {
        self.settings().allowed.insert(name.to_owned());
        self
    }

    /// Forbids a program, given by its file name, at any position in a command.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::{CommandFilter, CommandVerdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]).with_forbidden_program("git");
    /// assert_eq!(filter.judge("ls | xargs git add").verdict(), CommandVerdict::Forbid);
    /// ```
    pub fn with_forbidden_program(mut self, name: &str) -> Self {
        self.settings().forbidden.insert(name.to_owned());
        self
    }

    /// Sets the verdict of `rule`. This is the only way to lift a rule that forbids.
    ///
    /// [`CommandRule::Limit`] can only become stricter, because input over a limit is not checked.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::{CommandFilter, CommandRule, CommandVerdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]).with_verdict(CommandRule::Project, CommandVerdict::Ask);
    /// assert_eq!(filter.judge("cargo test").verdict(), CommandVerdict::Ask);
    /// ```
    pub fn with_verdict(mut self, rule: CommandRule, verdict: CommandVerdict) -> Self {
        if rule != CommandRule::Limit || verdict >= rule.verdict() {
            self.settings().verdicts.insert(rule, verdict);
        }
        self
    }

    /// Sets whether the host can restore the files of the workspace after a command, for example from a
    /// checkpoint. The default is `false`.
    ///
    /// If it can, losses of such files are confined instead of requiring approval. What a checkpoint does
    /// not hold still requires it: the repository itself, `.env` files, ignored files that `git clean -x`
    /// deletes, and paths that are known only when the command runs.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::{CommandFilter, CommandVerdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]).with_recovery(true);
    /// assert_eq!(filter.judge("rm -rf src").verdict(), CommandVerdict::Confine);
    /// assert_eq!(filter.judge("rm -rf .git").verdict(), CommandVerdict::Ask);
    /// assert_eq!(filter.judge("rm -rf \"$x\"").verdict(), CommandVerdict::Ask);
    /// ```
    pub fn with_recovery(mut self, recovers: bool) -> Self {
        self.settings().recovers = recovers;
        self
    }

    /// Returns `true` if commands start in a root or below one.
    pub fn starts_inside(&self) -> bool {
        let directory = self.directory.as_deref();
        directory.is_some_and(|directory| self.settings.may_start_in(directory))
    }

    fn settings(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }

    /// Checks `text` as a bash command line.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::{CommandFilter, CommandVerdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]);
    /// assert_eq!(filter.judge("ls | wc -l").verdict(), CommandVerdict::Allow);
    /// assert_eq!(filter.judge("$(cat name) now").verdict(), CommandVerdict::Ask);
    /// ```
    pub fn judge(&self, text: &str) -> Judgement {
        Walk::judge(&self.settings, self.directory.as_deref(), |walk| {
            if text.len() > MAX_BYTES {
                return walk.report_limit();
            }
            if let Some(at) = text.find(is_suspicious) {
                walk.report_at(CommandRule::ControlCharacter, at..at + 1);
            }
            walk.text(text);
        })
    }

    /// Checks a program and its arguments, without a shell.
    ///
    /// # Examples
    /// ```
    /// use shell_verdict::{CommandFilter, CommandVerdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]);
    /// let arguments = ["echo", "$(sudo id); rm -rf /"].map(str::to_owned);
    /// assert_eq!(filter.judge_argv(&arguments).verdict(), CommandVerdict::Allow);
    /// ```
    pub fn judge_argv(&self, argv: &[String]) -> Judgement {
        Walk::judge(&self.settings, self.directory.as_deref(), |walk| {
            if argv.iter().map(String::len).sum::<usize>() > MAX_BYTES || argv.len() > MAX_BYTES {
                return walk.report_limit();
            }
            if argv.iter().any(|argument| argument.contains(is_suspicious)) {
                walk.report_at(CommandRule::ControlCharacter, 0..argv.len());
            }
            walk.arguments(argv);
        })
    }
}

/// Characters that people do not see, and spaces that look like the one that separates words.
fn is_suspicious(letter: char) -> bool {
    (is_invisible(letter) || is_unusual_space(letter)) && !matches!(letter, '\t' | '\n')
}
