//! What the rows of programs cannot say.

use super::super::state::State;
use super::super::value::{self, Stream};
use super::super::verdict::Rule;
use super::super::walk::Walk;
use super::arguments::Arguments;
use super::forms::last_name;

impl Walk<'_> {
    /// What a row cannot say of a program.
    pub(super) fn further_effects(&mut self, state: &State, name: &str, arguments: &Arguments) {
        let operands = arguments.operands.as_slice();
        if name.starts_with("git ") {
            self.git_effects(state, name, arguments);
        }
        self.steered_from(state, name, arguments);
        match name {
            "test" | "[" | "wait" => self.names_of_variables(state, name, arguments),
            "hash" => self.hash(operands),
            "shopt" => self.options_of_shell(operands),
            // It makes the file that it locks.
            "flock" => self.each(operands.get(..1).unwrap_or_default(), |walk, path| {
                walk.works_in(state, path);
            }),
            "mktemp" => self.temporary_file(state, arguments),
            "unzip" | "patch" => {
                self.writes(state, "./x");
                self.note_unpacked();
                let archive = operands.first().is_some_and(|path| self.is_download(path));
                self.has_unpacked |= archive || self.input == Stream::Network;
            }
            // What lies in the folder is copied, not the folder.
            _ if name.starts_with("cmake -E copy_directory") => self.note_unpacked(),
            "install" | "ginstall" if arguments.has(&["d", "directory"]) => {
                self.each(operands, |walk, path| walk.writes(state, path));
            }
            "csplit" => self.each(operands.get(..1).unwrap_or_default(), |walk, path| {
                walk.reads(state, path, false);
            }),
            "date" | "gdate" | "ifconfig" | "ip" | "timedatectl" | "hostnamectl" | "localectl" => {
                self.machine(name, operands);
            }
            "man" => self.reads_some(state, operands),
            "cpio" => self.cpio(state, arguments),
            // Readers and writers of its own are programs in Lua.
            "pandoc" => {
                let mut forms = arguments.values('V');
                let runs = |form: &&String| form.contains(".lua") || value::is_open(form);
                if let Some(form) = forms.find(runs) {
                    self.report(Rule::Interpreter, form);
                }
            }
            "rsync" => self.rsync(state, arguments),
            "ssh" | "scp" | "sftp" | "autossh" => {
                self.remote_shell(state, operands);
                self.remote_command(name, operands);
            }
            "git" => self.foreign_repository(arguments),
            _ if name.starts_with("gh ") => self.forge(state, name, arguments),
            "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" => self.compiler(state, arguments),
            "cmake" => {
                let names_goal = |word: &&String| {
                    word.contains("install") || word.contains('=') && !word.starts_with('-')
                };
                let mut goals = arguments.values('V').chain(operands);
                if let Some(goal) = goals.find(names_goal).filter(|_| arguments.has(&["build"])) {
                    self.report(Rule::Install, goal);
                }
            }
            "kubectl get" | "kubectl describe" | "kubectl logs" => self.cluster(arguments),
            _ => {
                let name = name.replace("docker container ", "docker ");
                let name = name.replace("docker-compose ", "docker compose ");
                self.further_commands(state, &name, operands);
            }
        }
    }

    /// Names of variables among the arguments, perhaps with a subscript.
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

    /// Programs that run others, here or elsewhere.
    pub(super) fn further_commands(&mut self, state: &State, name: &str, operands: &[String]) {
        match name {
            "alias" => self.each(operands, |walk, alias| {
                let text = alias.split_once('=').map_or("", |(_, text)| text);
                walk.suspect(state, text);
            }),
            "less" | "more" | "view" => self.each(operands, |walk, operand| {
                if let Some(text) = operand.strip_prefix("+!") {
                    walk.suspect(state, text);
                }
            }),
            "tmux" | "screen" | "perf" | "hyperfine" | "watchexec" | "nix" | "helm" => {
                self.suspect_arguments(state, operands);
                if name == "helm" {
                    self.reads_some(state, operands);
                }
            }
            "go run" | "go build" | "go test" | "go vet"
                if operands.iter().any(|package| package.contains('@')) =>
            {
                self.report(Rule::Install, name);
            }
            "sbt" => self.tasks_of_sbt(state, operands),
            "just" | "task" | "go-task" | "rake" => self.goals(operands),
            "npm run" | "npm run-script" => self.script_of_node(state, name, operands),
            "npm test" | "npm t" => self.arguments_of_script(state, operands),
            // What somebody else may do there is not known, but what it does is.
            "sudo" | "doas" if self.is_elsewhere => self.suspect_arguments(state, operands),
            "tox" if operands.first().is_some_and(|word| word == "exec") => {
                let command = operands.get(1..).unwrap_or_default();
                self.deeper(|walk| walk.run_program(&mut state.clone(), command));
            }
            "script" if operands.len() > 1 => {
                self.report(Rule::UnknownOption, name);
                let command = operands.get(1..).unwrap_or_default();
                self.for_harm(|walk| walk.run_program(&mut state.clone(), command));
            }
            "npm workspace" => {
                let words = operands.get(1..).unwrap_or_default();
                self.subcommand(&mut state.clone(), "npm", words);
            }
            "npm version" if !operands.is_empty() => self.report(Rule::Install, name),
            "npm config" | "npm set" => self.setting_of_npm(state, operands),
            "docker run"
            | "docker create"
            | "docker exec"
            | "docker compose run"
            | "docker compose exec" => {
                self.container(state, operands);
                self.runs_in_container(name, operands);
            }
            "kubectl exec" | "kubectl run" | "kubectl debug" => self.runs_in_cluster(operands),
            "docker cp" | "docker compose cp" | "aria2c" => {
                self.each(operands, |walk, path| walk.reads_quietly(state, path));
                self.downloads
                    .extend(operands.iter().map(|address| last_name(address)));
            }
            "mail" | "mutt" | "aws" | "gcloud" | "glab" => {
                self.each(operands, |walk, path| walk.reads_quietly(state, path));
            }
            "lftp" | "ftp" => {
                self.escapes(state, &operands.join("\n"));
                if let Stream::Text(text) = self.input.clone() {
                    self.escapes(state, &text);
                }
            }
            "ansible" => self.ansible(state, operands),
            "git send-email" => self.each(operands, |walk, word| {
                if let Some((_, command)) = word.split_once("-cmd=") {
                    walk.suspect(state, command);
                }
            }),
            "gh alias" => self.each(operands, |walk, word| {
                if let Some(text) = word.strip_prefix('!') {
                    walk.suspect(state, text);
                }
            }),
            _ => {}
        }
    }

    /// Settings of npm that are programs.
    fn setting_of_npm(&mut self, state: &State, operands: &[String]) {
        let words = operands.iter().flat_map(|word| word.splitn(2, '='));
        let words: Vec<&str> = words.filter(|word| *word != "set").collect();
        for pair in words.windows(2) {
            if let [
                "script-shell" | "shell" | "editor" | "git" | "viewer" | "browser",
                value,
            ] = pair
            {
                self.suspect(state, value);
            }
        }
    }

    /// Programs that tell about the machine, as long as they are not told to change it.
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
            ("ip", _) => return self.report(Rule::UnknownOption, name),
            (_, [] | ["status" | "show", ..]) => false,
            (_, [word, ..]) if word.starts_with("list-") => false,
            _ => return self.report(Rule::UnknownOption, name),
        };
        if changes {
            self.report(Rule::SystemControl, name);
        }
    }
}
