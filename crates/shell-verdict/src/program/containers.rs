//! Commands in containers and on other machines, and their access to this machine.

use super::super::state::State;
use super::super::value::Stream;
use super::super::verdict::CommandRule;
use super::super::walk::Walk;

/// Sockets of container engines. Write access gives full control of the machine.
pub(super) const ENGINES: [&str; 4] = [
    "/docker.sock",
    "/podman.sock",
    "/containerd.sock",
    "/crio.sock",
];
/// Short options without a value.
const FLAGS: &str = "ditPqT";
/// Long options without a value; all others have one.
const LONG_FLAGS: [&str; 22] = [
    "--build",
    "--detach",
    "--disable-content-trust",
    "--help",
    "--init",
    "--interactive",
    "--no-TTY",
    "--no-deps",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--privileged",
    "--publish-all",
    "--quiet",
    "--quiet-build",
    "--quiet-pull",
    "--read-only",
    "--remove-orphans",
    "--rm",
    "--service-ports",
    "--tty",
    "--use-aliases",
    "--use-api-socket",
];

impl Walk<'_> {
    /// Checks the access of a container to this machine.
    pub(super) fn container(&mut self, state: &State, operands: &[String]) {
        for (at, word) in operands.iter().enumerate() {
            let next = operands.get(at + 1).map(String::as_str);
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (word.as_str(), next),
            };
            match (option, value) {
                ("--privileged" | "--use-api-socket", _)
                | ("--pid" | "--userns" | "--ipc", Some("host")) => {
                    self.report(CommandRule::Privilege, word);
                }
                ("--cap-add", Some(power)) if power == "ALL" || power.contains("SYS_") => {
                    self.report(CommandRule::Privilege, word);
                }
                ("--device", Some(device)) => {
                    let path = device.split(':').next().unwrap_or_default();
                    self.reads(state, path, false);
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
        // A source without a slash is the name of a volume.
        if !path.contains('/') && !path.starts_with(['.', '~']) {
            return;
        }
        if ENGINES.iter().any(|socket| path.ends_with(socket)) {
            self.report(CommandRule::Privilege, path);
        }
        self.reads(state, path, true);
        if !mount.ends_with(":ro") {
            self.writes(state, path);
        }
    }

    pub(super) fn runs_in_container(&mut self, name: &str, operands: &[String]) {
        let at = end_of_options(operands);
        let (options, rest) = operands.split_at(at.min(operands.len()));
        let mut words = rest.iter().skip(1).cloned();
        let entry = entry_point(options);
        let command: Vec<String> = entry.into_iter().chain(&mut words).collect();
        // Only compose forwards stdin by default.
        let reads = name.contains("compose") || options.iter().any(|word| is_interactive(word));
        self.runs_elsewhere(reads, |walk, state| {
            walk.run_program(state, &command);
        });
    }

    pub(super) fn runs_in_cluster(&mut self, operands: &[String]) {
        if operands
            .iter()
            .any(|word| word == "--privileged" || word == "--privileged=true")
        {
            self.report(CommandRule::Privilege, "--privileged");
        }
        let Some(at) = operands.iter().position(|word| word == "--") else {
            return;
        };
        let (options, command) = operands.split_at(at);
        let reads = options.iter().any(|word| is_interactive(word));
        self.runs_elsewhere(reads, |walk, state| {
            walk.run_program(state, command.get(1..).unwrap_or_default());
        });
    }

    /// Checks a command line for the shell of another host.
    pub(super) fn runs_on_host(&mut self, line: &str) {
        if !line.trim().is_empty() {
            self.runs_elsewhere(true, |walk, state| {
                walk.again(state, line);
            });
        }
    }

    /// Reports only rules that apply on every machine, because the files there are unknown.
    fn runs_elsewhere(&mut self, reads: bool, inner: impl FnOnce(&mut Self, &mut State)) {
        let outer = std::mem::replace(&mut self.is_elsewhere, true);
        let files = (
            std::mem::take(&mut self.downloads),
            std::mem::take(&mut self.decodings),
            std::mem::take(&mut self.has_unpacked),
        );
        let input = self.input.clone();
        if !reads {
            self.input = Stream::Empty;
        }
        let mut state = State::in_directory(None);
        self.for_harm(|walk| walk.deeper(|walk| inner(walk, &mut state)));
        self.input = input;
        (self.downloads, self.decodings, self.has_unpacked) = files;
        self.is_elsewhere = outer;
    }
}

/// Returns the position of the image or container name.
fn end_of_options(operands: &[String]) -> usize {
    let mut at = 0;
    while let Some(word) = operands.get(at).filter(|word| word.starts_with('-')) {
        at += match word.strip_prefix("--") {
            Some("") => return at + 1,
            Some(_) if word.contains('=') || LONG_FLAGS.contains(&word.as_str()) => 1,
            Some(_) => 2,
            None => {
                let letters = word
                    .trim_start_matches('-')
                    .trim_start_matches(|letter| FLAGS.contains(letter));
                1 + usize::from(letters.len() == 1)
            }
        };
    }
    at
}

/// Returns the program that replaces the entry point of the image.
fn entry_point(options: &[String]) -> Option<String> {
    let glued = options
        .iter()
        .find_map(|word| word.strip_prefix("--entrypoint="));
    let at = options.iter().position(|word| word == "--entrypoint");
    let next = at.and_then(|at| options.get(at + 1)).map(String::as_str);
    glued.or(next).map(str::to_owned)
}

fn is_interactive(option: &str) -> bool {
    let is_short = option.starts_with('-') && !option.starts_with("--") && option.len() <= 5;
    is_short && option.contains('i') || matches!(option, "--interactive" | "--stdin")
}
