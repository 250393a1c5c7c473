//! Subcommands, and the options of git before them.

use super::super::table::{self, Row};
use super::files::Reach;
use super::options::Arguments;
use super::{Origin, Rule, Stream, Value, Walk};

/// Endings of git settings whose value is a command.
const SETTINGS: &str = "pager editor command helper textconv clean smudge process fsmonitor program cmd \
    driver external";

impl Walk<'_> {
    /// Walks a subcommand with its own row. Returns `None` if the row of the program applies.
    pub(super) fn subcommand(
        &mut self,
        row: &'static Row,
        family: &str,
        arguments: &[Value],
    ) -> Option<Stream> {
        let options = if family == "git" {
            self.git_options(arguments)
        } else {
            0
        };
        let arguments = arguments.get(options..).unwrap_or_default();
        let sorted = Arguments::sort(row, arguments, true);
        let Some((first, rest)) = sorted.operands.split_first() else {
            if row.rule.is_none() && !arguments.is_empty() && sorted.has_unknown {
                self.report(Rule::UnknownOption);
            }
            return (row.rule.is_none()).then_some(Stream::Unknown(Origin::Unknown));
        };
        let name = first.literal().unwrap_or_default();
        if row.rule == Some(Rule::Project) {
            self.search_options(arguments, false);
        }
        for (kind, value) in &sorted.values {
            self.option(row, *kind, value);
        }
        let Some(inner) = table::find(family, name) else {
            if row.rule.is_none() {
                self.report(Rule::UnknownOption);
                self.sweep(arguments, true, true);
                return Some(Stream::Unknown(Origin::Unknown));
            }
            return None;
        };
        if sorted.has_unknown {
            self.report(Rule::UnknownOption);
        }
        self.sweep(arguments, inner.rule.is_some(), false);
        if let [only] = rest
            && only.fixed() == Some("--help")
        {
            self.report(Rule::Inspect);
            return Some(Stream::Unknown(Origin::Unknown));
        }
        Some(self.apply(inner, &format!("{family} {name}"), name, rest))
    }

    /// Checks options before a git subcommand. Returns their number.
    fn git_options(&mut self, arguments: &[Value]) -> usize {
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            let next = arguments.get(at + 1).cloned().unwrap_or_default();
            let text = word.literal().unwrap_or(word.prefix());
            match text {
                "-C" | "--git-dir" | "--work-tree" => {
                    self.other_repository(&next);
                    at += 2;
                }
                "-c" | "--config-env" => {
                    self.explain(Rule::Environment, "changes settings of git for one command");
                    let setting = next.literal().unwrap_or_default();
                    let (key, command) = setting.split_once('=').unwrap_or_default();
                    let ending = key.rsplit('.').next().unwrap_or_default().to_lowercase();
                    if key.starts_with("alias.")
                        || SETTINGS.split(' ').any(|known| ending.ends_with(known))
                    {
                        self.search_code(command.trim_start_matches('!'));
                    }
                    at += 2;
                }
                _ if text.starts_with("--git-dir=")
                    || text.starts_with("--work-tree=")
                    || text.starts_with("--exec-path=") =>
                {
                    self.other_repository(&word.after(text.find('=').unwrap_or_default() + 1));
                    at += 1;
                }
                _ => break,
            }
        }
        at
    }

    fn other_repository(&mut self, directory: &Value) {
        for path in self.paths(directory) {
            if self.settings.paths.is_outside(&path) {
                let grant = path.literal().map(|path| Reach::Below.grant(&path));
                self.add(
                    Rule::WriteOutside,
                    self.part.clone(),
                    Some("works in another repository"),
                    grant,
                );
            } else if directory.fixed() != Some(".git") {
                self.report(Rule::Dynamic);
            }
        }
    }
}
