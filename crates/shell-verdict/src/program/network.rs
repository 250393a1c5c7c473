//! Programs that connect to other hosts.

use super::super::state::State;
use super::super::value::{self, Stream};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;
use super::containers::ENGINES;
use super::forms::last_name;

impl Walk<'_> {
    pub(super) fn fetch(&mut self, state: &mut State, name: &str, arguments: &Arguments) -> Stream {
        let addresses = arguments.operands.iter().chain(arguments.values('N'));
        let addresses: Vec<String> = addresses.cloned().collect();
        let local = !addresses.is_empty() && addresses.iter().all(|address| is_local(address));
        if arguments.has(&["version", "help", "V"]) && arguments.operands.is_empty() {
            return Stream::Unknown;
        }
        if !local {
            self.report(CommandRule::Network, name);
        }
        if let Some(cookies) = arguments.values('J').find(|value| !value.contains('=')) {
            self.reads_quietly(state, cookies);
        }
        for address in &addresses {
            if let Some(path) = local_file(address) {
                self.reads(state, path, false);
            }
            self.downloads.insert(last_name(address));
        }
        self.sockets(arguments);
        if name == "wget" || arguments.has(&["O", "remote-name"]) {
            self.writes(state, "./x");
        }
        let written: Vec<String> = arguments.values('W').map(|path| last_name(path)).collect();
        self.downloads.extend(written);
        self.downloads.remove("");
        Stream::Network
    }

    /// Checks deletions at the target, and programs that reach it.
    pub(super) fn rsync(&mut self, state: &State, arguments: &Arguments) {
        self.each(&arguments.operands, Self::note_arriving);
        let deletes = |option: &String| option.starts_with("delete");
        if let Some(target) = arguments
            .operands
            .last()
            .filter(|_| arguments.options.iter().any(deletes))
            && !target.contains(':')
        {
            self.deletes(state, target);
        }
    }

    /// Checks options with a program that connects to another host.
    pub(super) fn remote_shell(&mut self, state: &State, operands: &[String]) {
        let mut queue = operands.iter();
        while let Some(word) = queue.next() {
            let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                self.reads_quietly(state, word);
                continue;
            };
            let (option, glued) = letters.split_at(letters.len().min(1));
            if !matches!(option, "o" | "F" | "S" | "b" | "i" | "P" | "p" | "l") {
                continue;
            }
            let value = match glued {
                "" => queue.next().map_or("", String::as_str),
                glued => glued,
            };
            match option {
                "o" => {
                    let (key, command) = value.split_once(['=', ' ']).unwrap_or((value, ""));
                    if key.to_ascii_lowercase().ends_with("command") {
                        self.suspect(state, command);
                    }
                }
                "S" => self.suspect(state, value),
                "F" | "b" => self.reads_quietly(state, value),
                _ => {}
            }
        }
    }

    /// Checks whether another host runs downloaded or unknown code.
    pub(super) fn remote_command(&mut self, name: &str, operands: &[String]) {
        let words = behind_the_host(operands);
        if !matches!(name, "ssh" | "autossh") || words.is_empty() {
            return;
        }
        if words.iter().any(|word| value::from_network(word)) {
            self.report(CommandRule::DownloadRun, name);
        }
        self.runs_on_host(&words.join(" "));
        let rule = match self.input {
            Stream::Network => CommandRule::DownloadRun,
            Stream::Decoded => CommandRule::Encoded,
            _ => return,
        };
        let text = words.join(" ");
        let mut commands = text.split([';', '|', '&', '\n', '(']);
        if commands.any(reads_its_code) {
            self.report(rule, name);
        }
    }

    /// Unknown words could send data to the forge.
    pub(super) fn forge(&mut self, state: &State, name: &str, arguments: &Arguments) {
        let words = || arguments.operands.iter().chain(arguments.values('V'));
        if words().any(|word| value::is_open(word)) {
            self.report(CommandRule::Network, name);
        }
        for word in words() {
            self.reads_quietly(state, word);
        }
        self.further_commands(state, name, &arguments.operands);
    }

    /// Some Ansible modules pass their arguments to a shell.
    pub(super) fn ansible(&mut self, state: &State, operands: &[String]) {
        let behind = |options: [&str; 2]| {
            let at = operands
                .iter()
                .position(|word| options.contains(&word.as_str()));
            at.and_then(|at| operands.get(at + 1))
        };
        let module = behind(["-m", "--module-name"]).map_or("command", String::as_str);
        let (Some(text), true) = (
            behind(["-a", "--args"]),
            matches!(module.rsplit('.').next(), Some("command" | "shell" | "raw")),
        ) else {
            return;
        };
        if operands
            .iter()
            .any(|word| matches!(word.as_str(), "localhost" | "127.0.0.1"))
        {
            self.suspect(state, text);
        } else {
            self.runs_on_host(text);
        }
    }

    /// New objects of a container engine give control of the whole machine.
    fn sockets(&mut self, arguments: &Arguments) {
        let methods = ["POST", "PUT", "DELETE", "PATCH"];
        let changes = arguments.has(&[
            "d",
            "data",
            "data-raw",
            "data-binary",
            "json",
            "F",
            "form",
            "T",
        ]) || arguments
            .values('V')
            .any(|value| methods.contains(&value.as_str()));
        for socket in arguments.values('Q') {
            self.report(CommandRule::UnknownOption, socket);
            if changes && ENGINES.iter().any(|engine| socket.ends_with(engine)) {
                self.report(CommandRule::Privilege, socket);
            }
        }
    }

    /// Reports cluster secrets and unknown names, because either can expose data.
    pub(super) fn cluster(&mut self, arguments: &Arguments) {
        let forms: Vec<&String> = arguments.values('V').collect();
        let mut kinds = arguments
            .operands
            .iter()
            .flat_map(|word| word.split([',', '/']));
        let asks_for_secrets = kinds.any(|kind| kind.to_ascii_lowercase().starts_with("secret"));
        let shows_values = |form: &&String| {
            let mut all = ["yaml", "json", "template", "columns"].iter();
            all.any(|name| form.contains(name))
        };
        if asks_for_secrets && forms.iter().any(shows_values) {
            self.report(CommandRule::Secret, "secret");
        }
        let mut words = arguments.operands.iter().chain(forms.iter().copied());
        let is_doubtful = words.any(|word| value::is_open(word) || word.contains("-file"));
        if asks_for_secrets || is_doubtful {
            self.report(CommandRule::Network, "kubectl");
        }
    }

    pub(super) fn netcat(&mut self, name: &str, operands: &[String]) -> Stream {
        if looks_at_a_port(operands) {
            return Stream::Unknown;
        }
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
                CommandRule::ReverseShell
            } else {
                CommandRule::Network
            },
            name,
        );
        Stream::Network
    }
}

/// Returns `true` if netcat only checks a port of this machine.
fn looks_at_a_port(operands: &[String]) -> bool {
    let is_number = |word: &str| word.chars().all(|digit| digit.is_ascii_digit());
    let mut looks = false;
    let mut words = operands.iter().map(String::as_str);
    let mut others = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "-z" | "-zv" | "-vz" => looks = true,
            "-v" => {}
            "-w" if words.next().is_some_and(is_number) => {}
            other => others.push(other),
        }
    }
    match others.as_slice() {
        ["localhost" | "127.0.0.1" | "::1", ports @ ..] => {
            looks && ports.iter().all(|port| is_number(port))
        }
        _ => false,
    }
}

fn behind_the_host(operands: &[String]) -> &[String] {
    const WITH_VALUE: &str = "BbcDEeFIiJLlmOopQRSWw";
    let mut at = 0;
    while let Some(option) = operands.get(at).and_then(|word| word.strip_prefix('-')) {
        let takes_next = option.len() == 1 && WITH_VALUE.contains(option);
        at += 1 + usize::from(takes_next);
    }
    operands.get(at + 1..).unwrap_or_default()
}

fn reads_its_code(command: &str) -> bool {
    const IN_FRONT: [&str; 7] = ["sudo", "env", "exec", "nohup", "nice", "time", "command"];
    const RUNNING: [&str; 12] = [
        "sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "python", "python3", "perl", "ruby",
        "node",
    ];
    let is_plain = |word: &&str| !word.starts_with('-') && !word.contains('=');
    let mut words = command
        .split_whitespace()
        .skip_while(|word| !is_plain(word) || IN_FRONT.contains(word));
    let program = words.next().map(last_name).unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    let has_code = rest.iter().any(|word| matches!(*word, "-c" | "-e" | "-m"));
    let has_file = rest.iter().any(is_plain);
    let reads = rest.contains(&"-s") || rest.contains(&"-") || !has_file;
    RUNNING.contains(&program.as_str()) && reads && !has_code
}

fn local_file(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once("://")?;
    let path = rest.get(rest.find('/')?..)?;
    scheme.eq_ignore_ascii_case("file").then_some(path)
}

pub(super) fn is_local(address: &str) -> bool {
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
