//! What programs print, as far as that is known without running them.

use super::super::state::State;
use super::super::value::{DEEP, GLOB, NUMBER, Stream, is_open};
use super::super::walk::{Walk, only_directory};
use super::arguments::Arguments;

impl Walk<'_> {
    pub(super) fn output(&mut self, state: &State, name: &str, arguments: &Arguments) -> Stream {
        let operands = arguments.operands.as_slice();
        if self.input == Stream::Network && !matches!(name, "wc" | "md5sum" | "sha256sum") {
            return Stream::Network;
        }
        if operands.iter().any(|operand| self.is_download(operand)) {
            return Stream::Network;
        }
        match name {
            "pwd" => only_directory(state).map_or(Stream::Unknown, Stream::Text),
            "nproc" | "wc" | "id" | "seq" | "uname" | "basename" => {
                Stream::Text(NUMBER.to_string())
            }
            "date"
                if !operands
                    .iter()
                    .any(|format| format.contains('/') || is_open(format)) =>
            {
                Stream::Text(NUMBER.to_string())
            }
            "mktemp" if operands.is_empty() => Stream::Text(format!("/tmp/{NUMBER}")),
            "cat" | "tee" if operands.is_empty() || operands == ["-"] => self.input.clone(),
            "git ls-files" if operands.is_empty() => Stream::Paths([format!("./{DEEP}")].into()),
            "git ls-files" | "fd" | "rg" | "git diff" | "git grep" => {
                Stream::Paths([format!("./{DEEP}/{NUMBER}")].into())
            }
            "ls" => listed(operands),
            "grep" if matches!(self.input, Stream::Paths(_)) && operands.len() < 2 => {
                self.some_of_the_paths()
            }
            "grep" | "head" | "tail" | "sort" | "uniq" | "tr" | "sed" | "cut" => {
                match &self.input {
                    Stream::Paths(paths)
                        if !matches!(name, "tr" | "sed" | "cut") || operands.is_empty() =>
                    {
                        Stream::Paths(paths.clone())
                    }
                    _ if name == "grep" && arguments.has(&["l", "files-with-matches", "L"]) => {
                        matching(operands)
                    }
                    _ => Stream::Unknown,
                }
            }
            "telnet" | "ftp" | "ssh" | "dig" | "nslookup" | "host" | "whois" | "lynx" | "w3m"
            | "http" | "https" => Stream::Network,
            "mkdir" | "touch" | "rm" | "mv" | "cp" | "cd" | "export" | "set" | "true" | "false"
            | ":" | "test" | "[" | "sleep" | "exit" => Stream::Empty,
            _ => Stream::Unknown,
        }
    }
}

impl Walk<'_> {
    /// The paths of the input, of which some are left out.
    fn some_of_the_paths(&self) -> Stream {
        match &self.input {
            Stream::Paths(paths) => {
                Stream::Paths(paths.iter().map(|path| format!("{path}{NUMBER}")).collect())
            }
            _ => Stream::Unknown,
        }
    }
}

fn listed(operands: &[String]) -> Stream {
    match operands {
        [] => Stream::Paths([format!("./{GLOB}")].into()),
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
