//! Text that is not run here: program text of which only whole forms are known, and paths in
//! arguments.

use super::files::Reach;
use super::{Rule, Value, Walk};

/// Directories of the system and of users, which program text names for no other reason.
const OUTSIDE: &str = "/etc/ /usr/ /var/ /home/ /root/ /proc/ /sys/ /opt/ /srv/ /mnt/ /media/ /boot/ /run/ /dev/ ~/ ../";

/// Characters around a path in other text.
const SEPARATORS: &[char] = &[
    ' ', '\t', '\n', '"', '\'', '`', '=', ':', '@', '<', '>', ',', ';', '(', ')', '{', '}', '|',
];

impl Walk<'_> {
    /// Searches program text for paths outside, and for fork bombs.
    pub(super) fn search(&mut self, text: &Value) {
        let shown = text.shown();
        let mut loops = ["while", "for(;;)", "for (;;)"].into_iter();
        if shown.contains("fork") && loops.any(|word| shown.contains(word)) {
            self.report(Rule::ForkBomb);
        }
        self.sweep_text(text, true, true);
    }

    /// Searches an argument for credentials, for files that run later if the command `acts`, and for
    /// paths outside.
    pub(super) fn sweep(&mut self, argument: &Value, acts: bool) {
        let is_text = argument.prefix().contains([' ', '(', '{', '\n']);
        self.sweep_text(argument, acts, is_text);
    }

    /// In text, only the known directories count, because patterns and quotients have slashes, too.
    fn sweep_text(&mut self, argument: &Value, acts: bool, is_text: bool) {
        let known = argument.prefix();
        let has_scheme = known.contains("://");
        self.charge(known.len());
        for piece in known.split(SEPARATORS) {
            // An option may be in front, as in `-I/usr/include`.
            let path = match piece.as_bytes() {
                [b'-', letter, ..] if letter.is_ascii_alphabetic() => piece.get(2..),
                _ => Some(piece),
            };
            let path = path.unwrap_or_default();
            let is_host = has_scheme && path.starts_with("//") && !path.starts_with("///");
            let begins = |start: &str| path.starts_with(start);
            let is_path = if is_text {
                OUTSIDE.split(' ').any(begins)
            } else {
                begins("/") || begins("~/") || begins("../") || path.contains("/../")
            };
            if is_path && path.len() > 1 && !is_host && !self.is_over {
                let path = match path.strip_prefix("~/") {
                    Some(rest) => format!("{}/{rest}", self.settings.paths.home),
                    None => path.to_owned(),
                };
                self.sweep_path(&Value::known(&path), argument.shown(), acts);
            }
        }
    }

    fn sweep_path(&mut self, fragment: &Value, shown: &str, acts: bool) {
        let path = self.path(fragment);
        let paths = &self.settings.paths;
        let rule = match paths.read_rule(&path) {
            // What the program does with the path is unknown: it may replace it.
            Some(Rule::ReadOutside) if acts && paths.is_startup_file(&path) => Rule::WriteOutside,
            Some(Rule::ReadOutside) if self.is_shared(&path) => return,
            Some(rule) => rule,
            None => return,
        };
        let outside = path.literal().filter(|_| rule == Rule::WriteOutside);
        let grant = outside.map(|path| Reach::Parent.grant(&path));
        self.add(rule, shown, rule.reason(), grant, false);
    }
}
