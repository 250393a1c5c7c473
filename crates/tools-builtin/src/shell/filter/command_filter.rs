//! The filter itself.

use super::limits::MOST_BYTES;
use super::paths::Places;
use super::value;
use super::verdict::{Finding, Judgement, Rule};
use super::walk::Walk;

/// Judges commands before they run: allowed, asked about, or forbidden.
///
/// A command is read as bash would read it, so quotes, variables, substitutions and wrappers such as `env` or `xargs` hide nothing, and a harmful
/// name that is only searched for or printed does no harm. What cannot be known without running it is asked about. Paths are judged by their
/// text: links are not followed, and what a program or script does by itself is not seen. The filter is a guard rail, not a wall.
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
    places: Places,
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
        let home = "/home/~".to_owned();
        Self {
            places: Places { roots, home },
            directory,
        }
    }

    /// Says where the home folder is that `~` and `$HOME` mean, an absolute path.
    #[must_use]
    pub fn with_home(mut self, home: &str) -> Self {
        if let Some(home) = Places::resolve(home, None) {
            self.places.home = home;
        }
        self
    }

    /// Says where commands start, an absolute path, or a path below the first root.
    #[must_use]
    pub fn with_working_directory(mut self, directory: &str) -> Self {
        self.directory = Places::resolve(directory, self.directory.as_deref());
        self
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
        let mut walk = Walk::new(&self.places);
        if let Some(at) = text.find(is_suspicious) {
            walk.report_at(Rule::ControlCharacter, "", at..at + 1);
        }
        // Marks are one byte each, so spans stay what they are for all that is kept.
        walk.text(&value::without_marks(text), self.directory.as_deref());
        walk.finish()
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
        let mut walk = Walk::new(&self.places);
        if argv.iter().any(|argument| argument.contains(is_suspicious)) {
            walk.report_at(Rule::ControlCharacter, "", 0..argv.len());
        }
        let arguments: Vec<String> = argv
            .iter()
            .map(|argument| value::without_marks(argument))
            .collect();
        walk.arguments(&arguments, self.directory.as_deref());
        walk.finish()
    }
}

fn over_limit() -> Judgement {
    let mut judgement = Judgement::default();
    judgement.add(Finding::new(Rule::Limit, String::new(), 0..0));
    judgement
}

/// Control characters, and those that make a text look like another one.
fn is_suspicious(letter: char) -> bool {
    value::is_forged(letter)
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
