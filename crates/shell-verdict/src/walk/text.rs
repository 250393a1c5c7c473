//! Text that is not run here: program text of which only whole forms are known, and paths in
//! arguments.

use super::files::Reach;
use super::{Rule, Value, Walk};

/// Calls and commands in the code of interpreters that delete files. Without a checkpoint, nothing
/// brings the files back.
const LOSSES: [&str; 20] = [
    "rm -",
    "rmtree",
    "remove_tree",
    "removedirs",
    "remove_entry",
    "RemoveAll",
    "unlink(",
    "unlink ",
    "unlinkSync(",
    ".rm(",
    "remove(",
    "rmSync",
    "rm_r",
    "File.delete",
    "delete-directory",
    "removeSync",
    "Remove-Item",
    "rmdir(",
    "reset --hard",
    "truncate(",
];

/// Directories of the system and of users, which program text names for no other reason.
const OUTSIDE: &str = "/etc/ /usr/ /var/ /home/ /root/ /proc/ /sys/ /opt/ /srv/ /mnt/ /media/ /boot/ /run/ /dev/ ~/ ../";

/// Characters that end a path in other text.
const ENDS: [char; 8] = ['\'', '"', ')', ',', ';', '\n', '`', '}'];

impl Walk<'_> {
    /// Searches program text for paths outside, for calls that delete files, and for fork bombs.
    pub(super) fn search(&mut self, text: &Value) {
        let shown = text.shown();
        if shown.contains("fork")
            && ["while", "for(;;)", "for (;;)"]
                .iter()
                .any(|word| shown.contains(word))
        {
            self.report(Rule::ForkBomb);
        }
        self.search_losses(shown);
        self.sweep(std::slice::from_ref(text), true);
    }

    pub(super) fn search_losses(&mut self, text: &str) {
        self.charge(text.len());
        if LOSSES.iter().any(|word| text.contains(word)) {
            self.add(Rule::Delete, self.part.clone(), None, None, true);
        }
    }

    /// Searches arguments for credentials, for files that run later if the command `acts`, and for paths
    /// outside.
    pub(super) fn sweep(&mut self, arguments: &[Value], acts: bool) {
        for argument in arguments {
            for at in fragments(argument.prefix()) {
                let end = argument.prefix().len();
                self.charge(end - at);
                if self.is_over {
                    return;
                }
                let mut fragment = argument.after(at);
                if fragment.prefix().starts_with("~/") {
                    let rest = fragment.prefix().get(1..).unwrap_or_default();
                    fragment = Value::known(&format!("{}{rest}", self.settings.paths.home));
                }
                // In other text, a path ends where it is quoted or listed.
                let end = fragment.prefix().find(ENDS);
                if let Some(end) = end {
                    fragment = Value::known(fragment.prefix().get(..end).unwrap_or_default());
                }
                self.sweep_path(&fragment, argument, acts);
            }
        }
    }

    fn sweep_path(&mut self, fragment: &Value, argument: &Value, acts: bool) {
        for path in self.paths(fragment) {
            let paths = &self.settings.paths;
            let shown = argument.shown().to_owned();
            let literal = path.literal();
            let is_shared = literal
                .as_ref()
                .is_some_and(|path| self.settings.is_read_only(path));
            if paths.is_secret(&path) {
                self.add(Rule::Secret, shown, None, None, false);
            } else if acts && paths.is_startup_file(&path) {
                // What the program does with the path is unknown: it may replace it.
                let grant = literal.map(|path| Reach::Parent.grant(&path));
                self.add(Rule::WriteOutside, shown, None, grant, false);
            } else if paths.read_rule(&path) == Some(Rule::ReadOutside)
                && paths.is_outside(&path)
                && !is_shared
            {
                self.add(Rule::ReadOutside, shown, None, None, false);
            }
        }
    }
}

/// Starts of the parts of an argument that may be paths outside the working directory. In text with
/// spaces, only the known directories count, because patterns and quotients have slashes, too.
fn fragments(prefix: &str) -> impl Iterator<Item = usize> {
    let is_text = prefix.contains([' ', '(', '{', '\n']);
    let starts = prefix.match_indices(['/', '~']).map(|(at, _)| at);
    let starts = starts.filter(|at| {
        let (before, path) = prefix.split_at(*at);
        let is_url = matches!(
            before.rsplit([' ', '"', '\'']).next(),
            Some("http:" | "https:")
        ) && path.starts_with("//");
        let last = before.chars().last();
        last.is_none_or(|last| "=:@<>,'\"( `".contains(last)) && !is_url
            || before.starts_with('-') && before.len() == 2
            || before.ends_with("file://")
            || before.ends_with("..")
    });
    let starts = starts.map(|at| {
        let before = prefix.get(..at).unwrap_or_default();
        at - if before.ends_with("..") { 2 } else { 0 }
    });
    starts.filter(move |at| {
        let path = prefix.get(*at..).unwrap_or_default();
        !is_text || OUTSIDE.split(' ').any(|known| path.starts_with(known))
    })
}

/// Returns `true` for `{print $1, $NF}`: printing fields without a file, a pipe or a name.
pub(super) fn prints_fields(program: &str) -> bool {
    let inner = program
        .trim()
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let fields = inner
        .map(str::trim)
        .and_then(|inner| inner.strip_prefix("print"));
    let is_field = |field: &str| {
        let number = field.trim().strip_prefix('$');
        number.is_some_and(|number| {
            number == "NF" || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    fields.is_some_and(|fields| {
        fields.is_empty() || fields.starts_with([' ', '$']) && fields.split(',').all(is_field)
    })
}

/// Returns `true` for a program of `jq` that only selects parts of its input, such as `.a[0] | .b`.
pub(super) fn is_path_filter(program: &str) -> bool {
    let mut before = ' ';
    for letter in program.chars() {
        let is_word = letter == '_' || letter.is_ascii_alphabetic();
        let begins_word = is_word && !(before == '_' || before.is_ascii_alphanumeric());
        let is_known = letter.is_ascii_alphanumeric() || "_.[]|, -:".contains(letter);
        if !is_known || begins_word && before != '.' {
            return false;
        }
        before = letter;
    }
    true
}

/// Returns `true` for `Np`, `N,Mp` and `s/…/…/` with flags that neither run nor write.
pub(super) fn is_plain_sed(program: &str) -> bool {
    let is_line = |text: &str| {
        text == "$" || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if let Some(lines) = program.strip_suffix('p') {
        let (first, last) = lines.split_once(',').unwrap_or((lines, lines));
        return is_line(first) && is_line(last);
    }
    let Some(rest) = program.strip_prefix("s/") else {
        return false;
    };
    let mut ends = Vec::new();
    let mut is_escaped = false;
    for (at, letter) in rest.char_indices() {
        match letter {
            '\n' => return false,
            '/' if !is_escaped => ends.push(at),
            _ => {}
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    match ends.as_slice() {
        [_, last] => rest
            .get(last + 1..)
            .is_some_and(|flags| flags.chars().all(|flag| "gpiI0123456789".contains(flag))),
        _ => false,
    }
}
