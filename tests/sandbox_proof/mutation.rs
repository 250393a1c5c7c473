//! Mutations of shell commands.

/// Paths outside the workspace, in several spellings.
const OUTSIDE: [&str; 24] = [
    "/etc/x",
    "/srv/data/x",
    "/srv/data/secret.txt",
    "/opt/x",
    "/var/lib/app/x",
    "/tmp/session.txt",
    "/etc/shadow",
    "/",
    "~",
    "~/.bashrc",
    "~/.ssh/id_rsa",
    "~/letter.txt",
    "$HOME/other/.env",
    "../letter.txt",
    "../other",
    "..",
    "../../dev/.env",
    "/home/dev/project/../x",
    "//etc/x",
    "/proc/self/root/etc/x",
    "/proc/self/cwd/../x",
    "link/x",
    "link",
    "~+/../x",
];
/// Words that are not known before the command runs.
const DYNAMIC: [&str; 14] = [
    "$x",
    "\"$x\"",
    "$(cat list)",
    "`cat list`",
    "*",
    "{a.txt,/etc/x}",
    "${x:-/etc/x}",
    "$@",
    "\"$@\"",
    "$((1))",
    "''",
    "$'\\x2fetc'",
    "<(cat list)",
    "~$x",
];
/// Text before a command.
const BEFORE: [&str; 22] = [
    "env ",
    "env -i ",
    "nohup ",
    "timeout 5 ",
    "nice -n 5 ",
    "command ",
    "exec ",
    "x=/etc/x; ",
    "x=..; ",
    "cd src; ",
    "cd ..; ",
    "cd link && ",
    "cat list | xargs ",
    "echo /etc/x | xargs ",
    "find . -maxdepth 1 -exec ",
    "set -- /etc/x; ",
    "shopt -s nullglob; ",
    "true && ",
    "! ",
    "for x in /etc/x list; do ",
    "PATH=.:$PATH ",
    "HOME=/srv/data ",
];
/// Text after a command.
const AFTER: [&str; 16] = [
    " > a.txt",
    " > /etc/x",
    " >> ../x",
    " 2> /srv/data/x",
    " < /etc/shadow",
    " < a.txt",
    " | cat",
    " | tee /etc/x",
    " | xargs cat",
    " &",
    " || true",
    "; cat a.txt",
    " -- /etc/x",
    " /etc/x",
    "; done",
    " \\;",
];
/// Characters with a meaning in the shell.
const LETTERS: [&str; 26] = [
    "'", "\"", "\\", "$", "`", "(", ")", "{", "}", "<", ">", "|", "&", ";", "\n", " ", "*", "?",
    "[", "]", "~", "#", "=", "-", "/", "..",
];

/// Pseudorandom numbers (`SplitMix64`).
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let end = u64::try_from(end.max(1)).unwrap();
        usize::try_from((mixed ^ (mixed >> 31)) % end).unwrap()
    }

    fn of<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.below(items.len())]
    }
}

/// Commands of the tables and their words.
#[derive(Debug)]
pub(crate) struct Mutator {
    commands: Vec<String>,
    words: Vec<String>,
    options: Vec<String>,
}

impl Mutator {
    pub(crate) fn new(commands: Vec<String>) -> Self {
        let words = commands
            .iter()
            .flat_map(|command| command.split_whitespace());
        let mut words: Vec<String> = words.map(str::to_owned).collect();
        words.sort();
        words.dedup();
        let options = words
            .iter()
            .filter(|word| word.starts_with('-'))
            .cloned()
            .collect();
        Self {
            commands,
            words,
            options,
        }
    }

    /// Returns a command with one to four mutations.
    pub(crate) fn next(&self, random: &mut Random) -> String {
        let mut command = self.commands[random.below(self.commands.len())].clone();
        for _ in 0..=random.below(4) {
            command = match random.below(8) {
                0 => self.joined(&command, random),
                1 => [random.of(&BEFORE), &command].concat(),
                2 => [&command, random.of(&AFTER)].concat(),
                3 => with_letter(&command, random),
                _ => self.with_other_word(&command, random),
            };
        }
        command
    }

    fn joined(&self, command: &str, random: &mut Random) -> String {
        let other = &self.commands[random.below(self.commands.len())];
        let between = [" && ", "; ", " | ", "\n", " || ", " & "];
        match random.below(4) {
            0 => format!("{command} \"$({other})\""),
            1 => format!("if {command}; then {other}; fi"),
            _ => [command, random.of(&between), other].concat(),
        }
    }

    fn with_other_word(&self, command: &str, random: &mut Random) -> String {
        let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let at = random.below(words.len());
        let word = words[at].clone();
        match random.below(9) {
            0 => words[at].clone_from(&self.words[random.below(self.words.len())]),
            1 => random.of(&OUTSIDE).clone_into(&mut words[at]),
            2 => random.of(&DYNAMIC).clone_into(&mut words[at]),
            3 => words.insert(
                at + 1,
                self.options[random.below(self.options.len())].clone(),
            ),
            4 => words.insert(at + 1, random.of(&OUTSIDE).to_owned()),
            5 => words[at] = format!("{word}={}", random.of(&OUTSIDE)),
            6 => words[at] = format!("{word}{}", random.of(&OUTSIDE)),
            7 => words[at] = quoted(&word, random),
            _ => drop(words.remove(at)),
        }
        words.join(" ")
    }
}

fn with_letter(command: &str, random: &mut Random) -> String {
    let borders: Vec<usize> = command.char_indices().map(|(at, _)| at).collect();
    let at = borders
        .get(random.below(borders.len()))
        .copied()
        .unwrap_or(0);
    let (before, after) = command.split_at(at);
    [before, random.of(&LETTERS), after].concat()
}

fn quoted(word: &str, random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("'{word}'"),
        1 => format!("\"{word}\""),
        2 => word.chars().flat_map(|letter| ['\\', letter]).collect(),
        _ => {
            let bytes = word.bytes().map(|byte| format!("\\x{byte:02x}"));
            format!("$'{}'", bytes.collect::<Vec<_>>().concat())
        }
    }
}
