//! Programs that fetch from or talk to other hosts.

use super::super::state::State;
use super::super::value::Stream;
use super::super::verdict::Rule;
use super::super::walk::Walk;
use super::arguments::Arguments;

impl Walk<'_> {
    pub(super) fn fetch(&mut self, state: &mut State, name: &str, arguments: &Arguments) -> Stream {
        let local = !arguments.operands.is_empty()
            && arguments.operands.iter().all(|address| is_local(address));
        if arguments.has(&["version", "help", "V"]) && arguments.operands.is_empty() {
            return Stream::Unknown;
        }
        if !local {
            self.report(Rule::Network, name);
        }
        for address in &arguments.operands {
            if let Some(path) = address.strip_prefix("file://") {
                self.reads(state, path, false);
            }
            self.downloads.insert(last_name(address));
        }
        if name == "wget" || arguments.has(&["O", "remote-name"]) {
            self.writes(state, "./x");
        }
        let written: Vec<String> = arguments.values('W').map(|path| last_name(path)).collect();
        self.downloads.extend(written);
        self.downloads.remove("");
        Stream::Network
    }

    /// What of this machine a container gets to see or to change.
    pub(super) fn container(&mut self, state: &State, operands: &[String]) {
        for (at, word) in operands.iter().enumerate() {
            let next = operands.get(at + 1).map(String::as_str);
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (word.as_str(), next),
            };
            match (option, value) {
                ("--privileged", _) | ("--pid" | "--userns" | "--ipc", Some("host")) => {
                    self.report(Rule::Privilege, word);
                }
                ("-v" | "--volume", Some(mount)) => self.mounted(state, mount),
                ("--mount", Some(mount)) => self.mounted_by_name(state, mount),
                _ => {
                    let glued = word.strip_prefix("-v").filter(|rest| rest.contains(':'));
                    if let Some(mount) = glued {
                        self.mounted(state, mount);
                    }
                }
            }
        }
    }

    fn mounted_by_name(&mut self, state: &State, mount: &str) {
        for part in mount.split(',') {
            let path = part.strip_prefix("source=").or(part.strip_prefix("src="));
            if let Some(path) = path {
                self.mounted(state, path);
            }
        }
    }

    fn mounted(&mut self, state: &State, mount: &str) {
        let path = mount.split(':').next().unwrap_or_default();
        // What has no slash is the name of a volume.
        if !path.contains('/') && !path.starts_with(['.', '~']) {
            return;
        }
        self.reads(state, path, true);
        if !mount.ends_with(":ro") {
            self.writes(state, path);
        }
    }

    pub(super) fn netcat(&mut self, name: &str, operands: &[String]) -> Stream {
        let runs = operands.iter().any(|operand| {
            let lower = operand.to_ascii_lowercase();
            let option = operand.starts_with('-')
                && !operand.starts_with("--")
                && operand.contains(['e', 'c']);
            (option && name != "socat")
                || lower.starts_with("--exec")
                || lower.starts_with("--sh-exec")
                || lower.contains("exec:")
                || lower.contains("system:")
        });
        self.report(
            if runs {
                Rule::ReverseShell
            } else {
                Rule::Network
            },
            name,
        );
        Stream::Network
    }
}

fn last_name(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Whether an address is of this machine.
fn is_local(address: &str) -> bool {
    let rest = address
        .strip_prefix("http://")
        .or_else(|| address.strip_prefix("https://"))
        .unwrap_or(address);
    let host = rest.split('/').next().unwrap_or_default();
    let host = host
        .rsplit_once(':')
        .filter(|(_, port)| port.chars().all(|digit| digit.is_ascii_digit()))
        .map_or(host, |(host, _)| host);
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}
