//! The filter itself.

use std::sync::Arc;

use super::limits::MOST_BYTES;
use super::paths::Places;
use super::settings::Settings;
use super::value;
use super::verdict::{Finding, Judgement, Rule, Verdict};
use super::walk::{Installed, Walk};
use crate::workspace::{Root, Workspace};

/// Judges commands before they run: allowed, asked about, or forbidden.
///
/// A command is read as bash would read it, so quotes, variables, substitutions and wrappers such as `env` or `xargs` hide nothing, and a harmful
/// name that is only searched for or printed does no harm. What cannot be known without running it is asked about. Where an option, a setting,
/// a variable or a piece of code names a command, that command is looked at for harm too. Paths are judged by their text: links are not followed, and what a program or script does by itself is not seen. The filter is a guard rail, not a wall.
///
/// Judging reads no file, starts nothing and takes time in proportion to the text. Texts over 64 kB, nested deeper than 64 levels or with
/// more than 20,000 steps are forbidden.
///
/// # Examples
/// ```
/// use tools_builtin::shell::{CommandFilter, Rule, Verdict};
///
/// let filter = CommandFilter::standard(["/srv/app"]).with_home("/home/dev");
/// assert_eq!(filter.judge("cargo test && git diff").verdict(), Verdict::Allow);
/// assert_eq!(filter.judge("git commit -m 'rm -rf /'").verdict(), Verdict::Allow);
///
/// let judgement = filter.judge("x=/; rm -rf $x");
/// assert_eq!(judgement.verdict(), Verdict::Forbid);
/// assert_eq!(judgement.findings()[0].rule(), Rule::Delete);
/// ```
#[derive(Debug, Clone)]
pub struct CommandFilter {
    pub(super) settings: Arc<Settings>,
    directory: Option<String>,
}

impl CommandFilter {
    /// A filter for work below `roots`, absolute paths. Commands start in the first of them.
    ///
    /// Without a root, everything that writes outside of shared temporary folders is forbidden.
    #[must_use]
    pub fn standard<Root: Into<String>>(roots: impl IntoIterator<Item = Root>) -> Self {
        let roots: Vec<String> = roots
            .into_iter()
            .filter_map(|root| Places::resolve(&root.into(), None))
            .collect();
        let directory = roots.first().cloned();
        let places = Places {
            roots,
            home: "/home/~".to_owned(),
            protected: Vec::new(),
        };
        Self {
            settings: Arc::new(Settings::of(places)),
            directory,
        }
    }

    /// A filter for work in a workspace: below the roots that may be written to, with the names that it protects.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::shell::{CommandFilter, Verdict};
    /// use tools_builtin::workspace::Workspace;
    ///
    /// let scratch = Scratch::new();
    /// let filter = CommandFilter::of_workspace(&Workspace::open(scratch.path())?);
    /// assert_eq!(filter.judge("touch ./a").verdict(), Verdict::Allow);
    /// assert_eq!(filter.judge("touch /opt/a").verdict(), Verdict::Forbid);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_workspace(workspace: &Workspace) -> Self {
        let (read_only, writable): (Vec<_>, Vec<_>) =
            workspace.roots().partition(|root| root.is_read_only());
        let mut filter = Self::standard(paths(&writable));
        filter.settings().read_only = paths(&read_only).collect();
        // Commands start in the first root, also where that may only be read.
        if let Some(first) = workspace.roots().next() {
            filter.directory = Places::resolve(&first.real_path().to_string_lossy(), None);
        }
        let names = workspace.protected_names();
        names.fold(filter, Self::with_protected_name)
    }

    /// Says where the home folder is that `~` and `$HOME` mean, an absolute path.
    #[must_use]
    pub fn with_home(mut self, home: &str) -> Self {
        if let Some(home) = Places::resolve(home, None) {
            self.settings().places.home = home;
        }
        self
    }

    /// Says where commands start, an absolute path, or a path below where they started so far: the first root.
    #[must_use]
    pub fn with_working_directory(mut self, directory: &str) -> Self {
        self.directory = Places::resolve(directory, self.directory.as_deref());
        self
    }

    /// Lets commands also write below `root`, an absolute path.
    #[must_use]
    pub fn with_root(mut self, root: &str) -> Self {
        self.settings()
            .places
            .roots
            .extend(Places::resolve(root, None));
        self
    }

    /// Asks before a file or folder of this name is changed, such as `deploy.yaml` or `secrets/*.pem`, at any depth.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::shell::{CommandFilter, Verdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]).with_protected_name("secrets/*.pem");
    /// assert_eq!(filter.judge("touch a/secrets/b.pem").verdict(), Verdict::Ask);
    /// assert_eq!(filter.judge("touch a/b.pem").verdict(), Verdict::Allow);
    /// ```
    #[must_use]
    pub fn with_protected_name(mut self, name: &str) -> Self {
        let parts = name.split('/').filter(|part| !matches!(*part, "" | "."));
        let pattern = |part: &str| part.replace(['*', '?'], &value::GLOB.to_string());
        let parts: Vec<String> = parts.map(pattern).collect();
        if !parts.is_empty() {
            self.settings().places.protected.push(parts);
        }
        self
    }

    /// Trusts a program, by its name without a folder: what it is and which options it gets is no longer asked about.
    ///
    /// Files that are named to it are judged as before, as far as the filter knows which of its arguments are files. A
    /// program that is forbidden by name, such as `sudo`, runs with whatever follows.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::shell::{CommandFilter, Verdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]).with_allowed_program("terraform");
    /// assert_eq!(filter.judge("terraform apply").verdict(), Verdict::Allow);
    /// assert_eq!(filter.judge("terraform apply > /etc/motd").verdict(), Verdict::Forbid);
    /// ```
    #[must_use]
    pub fn with_allowed_program(mut self, name: &str) -> Self {
        self.settings().allowed.insert(name.to_owned());
        self
    }

    /// Forbids a program by its name without a folder, wherever it stands in a command.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::shell::{CommandFilter, Verdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]).with_forbidden_program("git");
    /// assert_eq!(filter.judge("ls | xargs git add").verdict(), Verdict::Forbid);
    /// ```
    #[must_use]
    pub fn with_forbidden_program(mut self, name: &str) -> Self {
        self.settings().forbidden.insert(name.to_owned());
        self
    }

    /// Makes a rule stricter or wider: allows what it asks about, asks about what it forbids, forbids what it asks about.
    /// [`Rule::Limit`] stays as it is, because what is over a limit was not read.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::shell::{CommandFilter, Rule, Verdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]).with_verdict(Rule::Interpreter, Verdict::Allow);
    /// assert_eq!(filter.judge("python3 report.py").verdict(), Verdict::Allow);
    /// ```
    #[must_use]
    pub fn with_verdict(mut self, rule: Rule, verdict: Verdict) -> Self {
        if rule != Rule::Limit {
            self.settings().verdicts.insert(rule, verdict);
        }
        self
    }

    /// Whether commands start in a root or below one.
    pub(crate) fn starts_inside(&self) -> bool {
        let directory = self.directory.as_deref();
        directory.is_some_and(|directory| self.settings.may_start_in(directory))
    }

    fn settings(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }

    /// Judges `text` as a command line for bash.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::shell::{CommandFilter, Verdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]);
    /// assert_eq!(filter.judge("ls | wc -l").verdict(), Verdict::Allow);
    /// assert_eq!(filter.judge("$(cat name) now").verdict(), Verdict::Ask);
    /// ```
    #[must_use]
    pub fn judge(&self, text: &str) -> Judgement {
        if text.len() > MOST_BYTES {
            return over_limit();
        }
        // Marks are one byte each, so spans stay what they are for all that is kept.
        let kept = value::without_marks(text);
        self.judged(|walk| {
            if let Some(at) = text.find(is_suspicious) {
                walk.report_at(Rule::ControlCharacter, "", at..at + 1);
            }
            walk.text(&kept, self.directory.as_deref());
        })
    }

    /// The worst that `walk` finds, whatever shells are installed.
    fn judged(&self, walk: impl Fn(&mut Walk<'_>)) -> Judgement {
        let with = |installed| {
            let mut one = Walk::new(&self.settings, installed);
            walk(&mut one);
            let differ = one.shells.differ() && one.may_be_walked_again();
            (one.finish(), differ)
        };
        let (mut judgement, differ) = with(Installed::Bash);
        for installed in Installed::FURTHER.into_iter().filter(|_| differ) {
            judgement.join(with(installed).0);
        }
        judgement
    }

    /// Judges one program with its arguments, without a shell.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::shell::{CommandFilter, Verdict};
    ///
    /// let filter = CommandFilter::standard(["/srv/app"]);
    /// let arguments = ["echo", "$(sudo id); rm -rf /"].map(str::to_owned);
    /// assert_eq!(filter.judge_argv(&arguments).verdict(), Verdict::Allow);
    /// ```
    #[must_use]
    pub fn judge_argv(&self, argv: &[String]) -> Judgement {
        if argv.iter().map(String::len).sum::<usize>() > MOST_BYTES || argv.len() > MOST_BYTES {
            return over_limit();
        }
        let arguments: Vec<String> = argv
            .iter()
            .map(|argument| value::without_marks(argument))
            .collect();
        self.judged(|walk| {
            if argv.iter().any(|argument| argument.contains(is_suspicious)) {
                walk.report_at(Rule::ControlCharacter, "", 0..argv.len());
            }
            walk.arguments(&arguments, self.directory.as_deref());
        })
    }
}

fn over_limit() -> Judgement {
    let mut judgement = Judgement::default();
    let rule = Rule::Limit;
    judgement.add(Finding::new(rule, rule.verdict(), String::new(), 0..0));
    judgement
}

/// Control characters, and those that make a text look like another one.
fn is_suspicious(letter: char) -> bool {
    value::is_forged(letter)
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Where roots are: with links resolved, and as the host wrote it.
fn paths(roots: &[&Root]) -> impl Iterator<Item = String> {
    let both = |root: &&Root| {
        [root.real_path(), root.path()].map(|path| path.to_string_lossy().into_owned())
    };
    roots.iter().flat_map(both)
}
