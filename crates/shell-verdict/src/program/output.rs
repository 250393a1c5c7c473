//! Output of programs, if it is known without running them.

use super::super::state::State;
use super::super::value::{self, DEEP, GLOB, NUMBER, Stream, TOP_OF_REPOSITORY, is_open};
use super::super::walk::{Walk, is_device, only_directory};
use super::arguments::Arguments;

/// Programs that print all or some of their input.
const HANDING_ON: [&str; 22] = [
    "cat", "tee", "head", "tail", "grep", "sed", "cut", "tr", "rev", "sort", "uniq", "iconv",
    "dos2unix", "gzip", "bzip2", "xz", "zstd", "gunzip", "bunzip2", "unxz", "unzstd", "zcat",
];

impl Walk<'_> {
    pub(super) fn output(&mut self, state: &State, name: &str, arguments: &Arguments) -> Stream {
        let operands = arguments.operands.as_slice();
        if self.input == Stream::Network && !matches!(name, "wc" | "md5sum" | "sha256sum") {
            return Stream::Network;
        }
        if operands.iter().any(|operand| self.is_download(operand)) {
            return Stream::Network;
        }
        let is_decoding = |operand: &String| self.content_of(operand) == Stream::Decoded;
        if HANDING_ON.contains(&name)
            && (self.input == Stream::Decoded || operands.iter().any(is_decoding))
        {
            return Stream::Decoded;
        }
        match name {
            "pwd" => only_directory(state).map_or(Stream::Unknown, |place| a_line(&place)),
            "dirname" if is_one_known(operands) => a_line(&folder_of(operands)),
            "which" | "type" | "command" if name == "which" || arguments.has(&["v", "p", "a"]) => {
                found_program(operands)
            }
            _ if name.starts_with("kubectl ") || name.starts_with("gh ") => Stream::Network,
            "nproc" | "wc" | "id" | "seq" | "uname" | "basename" | "date" => {
                short_name(name, arguments)
            }
            "mktemp" if operands.is_empty() => a_line(&format!("/tmp/{NUMBER}")),
            "tee" => self.input.clone(),
            "cat" if changes_what_it_prints(arguments) => Stream::Unknown,
            "cat" if operands.is_empty() => self.input.clone(),
            "cat" if operands.len() == 1 => self.content_of(&operands.concat()),
            "git rev-parse" if arguments.options == ["show-toplevel"] && operands.is_empty() => {
                self.top_of_repository(state)
            }
            _ if name.starts_with("git ") => told_by_git(name, arguments),
            "fd" | "rg" => Stream::Paths([format!("./{DEEP}/{NUMBER}")].into()),
            "ls" => listed(arguments),
            "grep" | "head" | "tail" | "sort" | "uniq" | "sed" | "cut" => {
                self.filtered(name, arguments)
            }
            // Verbose output contains actions or paths.
            "mkdir" | "rm" | "mv" | "cp" if arguments.has(&["v", "verbose"]) => Stream::Unknown,
            // The target may be the output.
            "mv" | "cp" if operands.iter().any(|path| is_device(state, path)) => Stream::Unknown,
            "cd" if operands.iter().any(|operand| operand == "-") => Stream::Unknown,
            "mkdir" | "touch" | "rm" | "mv" | "cp" | "cd" | "export" | "set" | "true" | "false"
            | ":" | "test" | "[" | "sleep" | "exit" => Stream::Empty,
            _ => self.changed(name, arguments),
        }
    }

    /// Returns transcoded text.
    fn changed(&self, name: &str, arguments: &Arguments) -> Stream {
        let decodes = arguments.has(&["d", "D", "decode", "r"]);
        let otherwise = match name {
            "rev" | "tr" => Stream::Unknown,
            "base64" | "base32" | "basenc" | "xxd" | "openssl base64" | "openssl enc"
                if decodes =>
            {
                Stream::Decoded
            }
            _ => return Stream::Unknown,
        };
        self.changed_text(name, arguments).unwrap_or(otherwise)
    }

    fn top_of_repository(&self, state: &State) -> Stream {
        let mut places = state.directories.iter();
        if places.all(|place| place.as_ref().is_some_and(|place| self.is_at_work(place))) {
            a_line(&TOP_OF_REPOSITORY.to_string())
        } else {
            Stream::Unknown
        }
    }

    fn filtered(&self, name: &str, arguments: &Arguments) -> Stream {
        let operands = arguments.operands.as_slice();
        match (name, &self.input) {
            ("grep", Stream::Paths(_)) if operands.len() < 2 => self.some_of_the_paths(),
            ("sed" | "cut", _) if !operands.is_empty() => Stream::Unknown,
            (_, Stream::Paths(paths)) => Stream::Paths(paths.clone()),
            ("grep", _) if arguments.has(&["l", "files-with-matches", "L"]) => matching(operands),
            _ => Stream::Unknown,
        }
    }

    fn changed_text(&self, name: &str, arguments: &Arguments) -> Option<Stream> {
        let Stream::Text(text) = &self.input else {
            return None;
        };
        let text = text.as_str();
        let changed = match (name, arguments.operands.as_slice()) {
            _ if !value::is_known(text) => return None,
            ("rev", []) => text.split_inclusive('\n').map(reversed).collect(),
            ("base64", []) => decoded(text)?,
            ("xxd", []) if arguments.has(&["p"]) => from_hexadecimal(text)?,
            ("tr", [from, to]) if arguments.options.is_empty() => translated(text, from, to)?,
            _ => return None,
        };
        Some(Stream::Text(changed))
    }

    /// Returns the paths of the input, of which some may be missing.
    fn some_of_the_paths(&self) -> Stream {
        match &self.input {
            Stream::Paths(paths) => {
                Stream::Paths(paths.iter().map(|path| format!("{path}{NUMBER}")).collect())
            }
            _ => Stream::Unknown,
        }
    }
}

fn a_line(text: &str) -> Stream {
    Stream::Text(format!("{text}\n"))
}

/// Programs that print a number or a short name by default.
fn short_name(name: &str, arguments: &Arguments) -> Stream {
    let operands = arguments.operands.as_slice();
    let is_free = match name {
        "wc" => !operands.is_empty(),
        "seq" => arguments.has(&["f", "s", "format", "separator"]),
        "date" => operands
            .iter()
            .any(|format| format.contains("..") || !format.chars().all(is_plain_in_a_date)),
        "basename" if is_one_known(operands) => {
            let path = operands.concat();
            let last = path.trim_end_matches('/').rsplit('/').next();
            let last = last.filter(|last| !last.is_empty()).unwrap_or("/");
            return a_line(last);
        }
        "basename" => operands
            .iter()
            .any(|path| is_open(path) || matches!(path.as_str(), "/" | "." | "..")),
        _ => false,
    };
    if is_free {
        Stream::Unknown
    } else {
        a_line(&NUMBER.to_string())
    }
}

/// Reverses a line but keeps its line ending.
fn reversed(line: &str) -> String {
    let letters = line.strip_suffix('\n').unwrap_or(line);
    let end = line.get(letters.len()..).unwrap_or_default();
    letters.chars().rev().chain(end.chars()).collect()
}

fn is_plain_in_a_date(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "%+-_:., @".contains(letter)
}

fn changes_what_it_prints(arguments: &Arguments) -> bool {
    !arguments.options.iter().all(|option| option == "u")
}

fn told_by_git(name: &str, arguments: &Arguments) -> Stream {
    let operands = arguments.operands.as_slice();
    let tells_places = arguments.has(&["show-toplevel", "git-dir", "show-prefix"]);
    let is_hash = |format: &String| matches!(format.as_str(), "%H" | "%h");
    let only_hashes = match name {
        "git log" => arguments.options == ["format"] && arguments.values('V').all(is_hash),
        _ => !arguments.has(&["format", "pretty"]),
    };
    match name {
        "git branch" if arguments.has(&["show-current"]) => a_line(&NUMBER.to_string()),
        "git rev-parse" if !tells_places && operands.iter().all(|name| is_revision(name)) => {
            a_line(&NUMBER.to_string())
        }
        "git log" | "git rev-list" if only_hashes => Stream::Paths([NUMBER.to_string()].into()),
        "git ls-files" if operands.is_empty() => Stream::Paths([format!("./{DEEP}")].into()),
        "git ls-files" | "git diff" | "git grep" => {
            Stream::Paths([format!("./{DEEP}/{NUMBER}")].into())
        }
        _ => Stream::Unknown,
    }
}

/// Returns `true` if git prints a hash for this and not the word itself.
fn is_revision(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '@')
        && !name.contains('/')
}

fn is_one_known(operands: &[String]) -> bool {
    operands.len() == 1 && operands.iter().all(|path| value::is_known(path))
}

fn found_program(operands: &[String]) -> Stream {
    match operands {
        [name] if name.contains('/') => a_line(name),
        [name] => a_line(&format!("/usr/bin/{name}")),
        _ => Stream::Unknown,
    }
}

fn folder_of(operands: &[String]) -> String {
    let path = operands.concat();
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((folder, _)) => folder.to_owned(),
        None if path.starts_with('/') => "/".to_owned(),
        None => ".".to_owned(),
    }
}

/// Decodes base64. Returns `None` if the input is invalid.
fn decoded(text: &str) -> Option<String> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_usize, 0_u32);
    for letter in text
        .chars()
        .filter(|letter| !letter.is_whitespace() && *letter != '=')
    {
        bits = (bits << 6 | LETTERS.find(letter)?) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    String::from_utf8(bytes)
        .ok()
        .map(|text| value::without_marks(&text))
}

/// Decodes pairs of hexadecimal digits. Returns `None` if the input is invalid.
fn from_hexadecimal(text: &str) -> Option<String> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .map(|letter| u8::try_from(letter.to_digit(16)?).ok())
        .collect::<Option<_>>()?;
    let bytes = digits
        .chunks_exact(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit));
    let text = String::from_utf8(bytes.collect()).ok()?;
    Some(value::without_marks(&text))
}

/// Replaces characters like `tr` with plain sets.
fn translated(text: &str, from: &str, to: &str) -> Option<String> {
    let (from, to) = (letters_of(from)?, letters_of(to)?);
    let last = to.last()?;
    let replaced = |letter: char| {
        let at = from.iter().position(|other| *other == letter);
        at.map_or(letter, |at| *to.get(at).unwrap_or(last))
    };
    Some(text.chars().map(replaced).collect())
}

fn letters_of(set: &str) -> Option<Vec<char>> {
    let letters: Vec<char> = set.chars().collect();
    if set.contains(['[', '\\']) || !value::is_known(set) || letters.len() > 64 {
        return None;
    }
    let mut all = Vec::new();
    let mut rest = letters.as_slice();
    while let [first, behind @ ..] = rest {
        if let ['-', last, behind @ ..] = behind {
            all.extend((*first..=*last).take(128));
            rest = behind;
        } else {
            all.push(*first);
            rest = behind;
        }
    }
    Some(all)
}

fn listed(arguments: &Arguments) -> Stream {
    match arguments.operands.as_slice() {
        [] => Stream::Paths([format!("./{GLOB}")].into()),
        paths if arguments.options == ["d"] => Stream::Paths(paths.into()),
        _ => Stream::Unknown,
    }
}

fn matching(operands: &[String]) -> Stream {
    let places = operands.get(1..).unwrap_or_default();
    if places.is_empty() {
        return Stream::Paths([format!("./{DEEP}/{NUMBER}")].into());
    }
    Stream::Paths(
        places
            .iter()
            .map(|place| format!("{place}/{DEEP}/{NUMBER}"))
            .collect(),
    )
}
