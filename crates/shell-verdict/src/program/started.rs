//! Programs that run other programs, locally or elsewhere.

use super::super::state::State;
use super::super::value::Stream;
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::forms::last_name;

type Effect = fn(&mut Walk<'_>, &State, &str, &[String]);

const COMMANDS: &[(&[&str], Effect)] = &[
    (&["alias"], |walk, state, _, operands| {
        walk.each(operands, |walk, alias| {
            let text = alias.split_once('=').map_or("", |(_, text)| text);
            walk.suspect(state, text);
        });
    }),
    (&["less", "more", "view"], |walk, state, _, operands| {
        walk.suspects_behind(state, operands, "+!");
    }),
    (&["gh alias"], |walk, state, _, operands| {
        walk.suspects_behind(state, operands, "!");
    }),
    (WITH_COMMANDS, |walk, state, _, operands| {
        walk.suspect_arguments(state, operands);
    }),
    (&["helm"], |walk, state, _, operands| {
        walk.suspect_arguments(state, operands);
        walk.reads_some(state, operands);
    }),
    (OF_GO, |walk, _, name, operands| {
        if operands.iter().any(|package| package.contains('@')) {
            walk.report(CommandRule::Install, name);
        }
    }),
    (&["sbt"], |walk, state, _, operands| {
        walk.tasks_of_sbt(state, operands);
    }),
    (&["just", "task", "go-task", "rake"], |walk, _, _, goals| {
        walk.goals(goals);
    }),
    (
        &["npm run", "npm run-script"],
        |walk, state, name, operands| {
            walk.script_of_node(state, name, operands);
        },
    ),
    (&["npm test", "npm t"], |walk, state, _, operands| {
        walk.arguments_of_script(state, operands);
    }),
    // The privileges of the other user are unknown, but the command is checked.
    (&["sudo", "doas"], |walk, state, _, operands| {
        if walk.is_elsewhere {
            walk.suspect_arguments(state, operands);
        }
    }),
    (&["tox"], |walk, state, _, operands| {
        if let [first, command @ ..] = operands
            && first == "exec"
        {
            walk.deeper(|walk| walk.run_program(&mut state.clone(), command));
        }
    }),
    (&["script"], |walk, state, name, operands| {
        if let [_, command @ ..] = operands
            && !command.is_empty()
        {
            walk.report(CommandRule::UnknownOption, name);
            walk.for_harm(|walk| walk.run_program(&mut state.clone(), command));
        }
    }),
    (&["npm workspace"], |walk, state, _, operands| {
        let words = operands.get(1..).unwrap_or_default();
        walk.subcommand(&mut state.clone(), "npm", words);
    }),
    (&["npm version"], |walk, _, name, operands| {
        if !operands.is_empty() {
            walk.report(CommandRule::Install, name);
        }
    }),
    (&["npm config", "npm set"], |walk, state, _, operands| {
        walk.setting_of_npm(state, operands);
    }),
    (OF_CONTAINERS, |walk, state, name, operands| {
        walk.container(state, operands);
        walk.runs_in_container(name, operands);
    }),
    (IN_CLUSTER, |walk, _, _, operands| {
        walk.runs_in_cluster(operands);
    }),
    (COPYING, |walk, state, _, operands| {
        walk.each(operands, |walk, path| walk.reads_quietly(state, path));
        let addresses = operands.iter().map(|address| last_name(address));
        walk.downloads.extend(addresses);
    }),
    (SENDING, |walk, state, _, operands| {
        walk.each(operands, |walk, path| walk.reads_quietly(state, path));
    }),
    (&["lftp", "ftp"], |walk, state, _, operands| {
        walk.escapes(state, &operands.join("\n"));
        if let Stream::Text(text) = walk.input.clone() {
            walk.escapes(state, &text);
        }
    }),
    (&["ansible"], |walk, state, _, operands| {
        walk.ansible(state, operands);
    }),
    (&["git send-email"], |walk, state, _, operands| {
        walk.each(operands, |walk, word| {
            if let Some((_, command)) = word.split_once("-cmd=") {
                walk.suspect(state, command);
            }
        });
    }),
];

/// Programs with a command among their operands.
const WITH_COMMANDS: &[&str] = &["tmux", "screen", "perf", "hyperfine", "watchexec", "nix"];
const OF_GO: &[&str] = &["go run", "go build", "go test", "go vet"];
const OF_CONTAINERS: &[&str] = &[
    "docker run",
    "docker create",
    "docker exec",
    "docker compose run",
    "docker compose exec",
];
const IN_CLUSTER: &[&str] = &["kubectl exec", "kubectl run", "kubectl debug"];
/// Programs that copy their operands from elsewhere.
const COPYING: &[&str] = &["docker cp", "docker compose cp", "aria2c"];
const SENDING: &[&str] = &["mail", "mutt", "aws", "gcloud", "glab"];

impl Walk<'_> {
    pub(super) fn further_commands(&mut self, state: &State, name: &str, operands: &[String]) {
        if let Some((_, effect)) = COMMANDS.iter().find(|(names, _)| names.contains(&name)) {
            effect(self, state, name, operands);
        }
    }

    fn suspects_behind(&mut self, state: &State, operands: &[String], sign: &str) {
        self.each(operands, |walk, word| {
            if let Some(text) = word.strip_prefix(sign) {
                walk.suspect(state, text);
            }
        });
    }

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
}
