//! Effects that table rows cannot express.

use super::super::state::State;
use super::super::value::{self, Stream};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;

type Effect = fn(&mut Walk<'_>, &State, &str, &Arguments);

const EFFECTS: &[(&[&str], Effect)] = &[
    (&["test", "[", "wait"], |walk, state, name, arguments| {
        walk.names_of_variables(state, name, arguments);
    }),
    (&["hash"], |walk, _, _, arguments| {
        walk.hash(&arguments.operands);
    }),
    (&["shopt"], |walk, _, _, arguments| {
        walk.options_of_shell(&arguments.operands);
    }),
    // `flock` creates its lock file.
    (&["flock"], |walk, state, _, arguments| {
        let file = arguments.operands.get(..1).unwrap_or_default();
        walk.each(file, |walk, path| walk.works_in(state, path));
    }),
    (&["mktemp"], |walk, state, _, arguments| {
        walk.temporary_file(state, arguments);
    }),
    (&["unzip", "patch"], |walk, state, _, arguments| {
        walk.unpacks(state, arguments);
    }),
    (&["install", "ginstall"], |walk, state, _, arguments| {
        if arguments.has(&["d", "directory"]) {
            walk.each(&arguments.operands, |walk, path| walk.writes(state, path));
        }
    }),
    (&["csplit"], |walk, state, _, arguments| {
        let file = arguments.operands.get(..1).unwrap_or_default();
        walk.each(file, |walk, path| walk.reads(state, path, false));
    }),
    (OF_MACHINE, |walk, _, name, arguments| {
        walk.machine(name, &arguments.operands);
    }),
    (&["man"], |walk, state, _, arguments| {
        walk.reads_some(state, &arguments.operands);
    }),
    (&["cpio"], |walk, state, _, arguments| {
        walk.cpio(state, arguments);
    }),
    (&["pandoc"], |walk, _, _, arguments| walk.forms(arguments)),
    (&["rsync"], |walk, state, _, arguments| {
        walk.rsync(state, arguments);
    }),
    (REMOTE, |walk, state, name, arguments| {
        walk.remote_shell(state, &arguments.operands);
        walk.remote_command(name, &arguments.operands);
    }),
    (&["git"], |walk, _, _, arguments| {
        walk.foreign_repository(arguments);
    }),
    (COMPILERS, |walk, state, _, arguments| {
        walk.compiler(state, arguments);
    }),
    (&["cmake"], |walk, _, _, arguments| {
        walk.goals_of_cmake(arguments);
    }),
    (LOOKS_AT_CLUSTER, |walk, _, _, arguments| {
        walk.cluster(arguments);
    }),
];

const OF_MACHINE: &[&str] = &[
    "date",
    "gdate",
    "ifconfig",
    "ip",
    "timedatectl",
    "hostnamectl",
    "localectl",
];
const REMOTE: &[&str] = &["ssh", "scp", "sftp", "autossh"];
const COMPILERS: &[&str] = &["gcc", "g++", "cc", "c++", "clang", "clang++"];
const LOOKS_AT_CLUSTER: &[&str] = &["kubectl get", "kubectl describe", "kubectl logs"];

impl Walk<'_> {
    pub(super) fn further_effects(&mut self, state: &State, name: &str, arguments: &Arguments) {
        if name.starts_with("git ") {
            self.git_effects(state, name, arguments);
        }
        self.steered_from(state, name, arguments);
        if let Some((_, effect)) = EFFECTS.iter().find(|(names, _)| names.contains(&name)) {
            return effect(self, state, name, arguments);
        }
        // The content of the directory is copied, not the directory.
        if name.starts_with("cmake -E copy_directory") {
            return self.note_unpacked();
        }
        if name.starts_with("gh ") {
            return self.forge(state, name, arguments);
        }
        let name = name.replace("docker container ", "docker ");
        let name = name.replace("docker-compose ", "docker compose ");
        self.further_commands(state, &name, &arguments.operands);
    }

    fn unpacks(&mut self, state: &State, arguments: &Arguments) {
        self.writes(state, "./x");
        self.note_unpacked();
        let archive = arguments.operands.first();
        let is_download = archive.is_some_and(|path| self.is_download(path));
        self.has_unpacked |= is_download || self.input == Stream::Network;
    }

    /// Pandoc filters, readers and writers are Lua programs.
    fn forms(&mut self, arguments: &Arguments) {
        let mut forms = arguments.values('V');
        let runs = |form: &&String| form.contains(".lua") || value::is_open(form);
        if let Some(form) = forms.find(runs) {
            self.report(CommandRule::Interpreter, form);
        }
    }

    fn goals_of_cmake(&mut self, arguments: &Arguments) {
        let names_goal = |word: &&String| {
            word.contains("install") || word.contains('=') && !word.starts_with('-')
        };
        let mut goals = arguments.values('V').chain(&arguments.operands);
        if let Some(goal) = goals.find(names_goal).filter(|_| arguments.has(&["build"])) {
            self.report(CommandRule::Install, goal);
        }
    }

    fn names_of_variables(&mut self, state: &State, name: &str, arguments: &Arguments) {
        let operands = arguments.operands.as_slice();
        let tested = operands.iter().zip(operands.iter().skip(1));
        let tested = tested.filter(|(option, _)| matches!(option.as_str(), "-v" | "-R"));
        let tested = tested
            .map(|(_, variable)| variable)
            .filter(|_| name != "wait");
        for variable in tested {
            self.evaluated(state, variable);
            self.computes_subscript(state, variable);
        }
        for variable in arguments.values('V').filter(|_| name == "wait") {
            self.check_environment(state, variable, "?");
            self.evaluated(state, variable);
        }
    }

    /// Programs that print system information, unless they change it.
    fn machine(&mut self, name: &str, operands: &[String]) {
        let words: Vec<&str> = operands.iter().map(String::as_str).collect();
        let changes = match (name, words.as_slice()) {
            ("date" | "gdate", words) => words.iter().any(|word| {
                word.chars()
                    .all(|digit| digit.is_ascii_digit() || digit == '.')
            }),
            ("ifconfig", words) => words.len() > 1,
            (
                "ip",
                []
                | [_]
                | [
                    _,
                    "show" | "list" | "ls" | "lst" | "sh" | "get" | "help" | "dev",
                    ..,
                ],
            ) => false,
            ("ip", _) => return self.report(CommandRule::UnknownOption, name),
            (_, [] | ["status" | "show", ..]) => false,
            (_, [word, ..]) if word.starts_with("list-") => false,
            _ => return self.report(CommandRule::UnknownOption, name),
        };
        if changes {
            self.report(CommandRule::SystemControl, name);
        }
    }
}
