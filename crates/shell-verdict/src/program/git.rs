//! Effects of git beyond its rows: settings with commands, and the work tree.

use super::super::state::State;
use super::super::value::{NUMBER, Stream, is_mark};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;

/// Name parts of settings whose values run.
const RUN_BY_SETTING: [&str; 16] = [
    "alias.",
    "command",
    "pager",
    "editor",
    "fsmonitor",
    "external",
    "helper",
    "textconv",
    "clean",
    "smudge",
    "process",
    "askpass",
    "driver",
    "program",
    "cmd",
    "gitproxy",
];

const CHANGING: [&str; 20] = [
    "git init",
    "git checkout",
    "git switch",
    "git restore",
    "git reset",
    "git merge",
    "git rebase",
    "git cherry-pick",
    "git revert",
    "git apply",
    "git am",
    "git add",
    "git commit",
    "git stash push",
    "git stash pop",
    "git stash apply",
    "git clean",
    "git rm",
    "git checkout-index",
    "git gc",
];

/// Subcommands that replace files in the work tree, regardless of their arguments.
const REPLACING: [&str; 16] = [
    "git clone",
    "git worktree add",
    "git merge",
    "git pull",
    "git rebase",
    "git cherry-pick",
    "git revert",
    "git stash push",
    "git stash save",
    "git stash pop",
    "git stash apply",
    "git stash branch",
    "git checkout-index",
    "git submodule",
    "git sparse-checkout",
    "git bisect",
];
const MAKING_BRANCHES: [&str; 7] = ["b", "B", "c", "C", "create", "force-create", "orphan"];

impl Walk<'_> {
    pub(super) fn git_effects(&mut self, state: &State, name: &str, arguments: &Arguments) {
        let operands = arguments.operands.as_slice();
        let plain: Vec<&str> = operands.iter().map(String::as_str).collect();
        if CHANGING.contains(&name) && !arguments.has(&["n", "dry-run", "check", "stat"]) {
            self.writes_where_git_works(state);
        }
        self.replaces_files(name, arguments);
        match (name, plain.as_slice()) {
            ("git config", [key, values @ ..]) => {
                self.changes_setting(state, key, values, arguments);
            }
            ("git clean", paths) => self.cleans(state, paths),
            ("git checkout" | "git restore", paths)
                if paths.iter().any(|path| is_everything(path))
                    && (!arguments.has(&["staged", "S"]) || arguments.has(&["W", "worktree"])) =>
            {
                self.report(CommandRule::Discard, name);
            }
            ("git bisect", ["run", ..]) => {
                let command = operands.get(1..).unwrap_or_default();
                self.for_harm(|walk| walk.run_program(&mut state.clone(), command));
            }
            ("git submodule", ["foreach", words @ ..]) => {
                let words = words.iter().skip_while(|word| word.starts_with('-'));
                let text: Vec<&str> = words.copied().collect();
                self.suspect(state, &text.join(" "));
            }
            ("git bundle", ["create", path, ..]) => self.writes(state, path),
            ("git apply" | "git am", _) => {
                self.note_unpacked();
                self.has_unpacked |= self.input == Stream::Network;
            }
            ("git clone" | "git fetch" | "git pull" | "git push" | "git ls-remote", _) => {
                self.reaches(state, name, operands);
            }
            ("git filter-branch", _) => self.each(operands, |walk, text| {
                walk.suspect_text(state, text);
            }),
            _ => {}
        }
    }

    fn replaces_files(&mut self, name: &str, arguments: &Arguments) {
        let operands = arguments.operands.as_slice();
        let replaces = match name {
            // A new branch starts at the work tree's commit by default.
            "git checkout" | "git switch" => {
                !operands.is_empty() || !arguments.has(&MAKING_BRANCHES)
            }
            "git restore" if arguments.has(&["staged", "S"]) => arguments.has(&["W", "worktree"]),
            "git restore" => {
                self.each(operands, Self::note_arriving);
                false
            }
            "git reset" => arguments.has(&["hard", "merge", "keep"]),
            "git stash" => operands.is_empty(),
            _ => REPLACING.contains(&name),
        };
        if replaces {
            self.note_checked_out();
        }
    }

    /// `git clean` with another repository deletes the whole work tree, because no file is
    /// tracked there.
    pub(super) fn foreign_repository(&mut self, arguments: &Arguments) {
        let repositories = arguments.values('A');
        let is_foreign = |path: &String| !matches!(path.as_str(), ".git" | "./.git");
        let is_option = |word: &&String| word.starts_with('-');
        let forces =
            |word: &String| word == "--force" || !word.starts_with("--") && word.contains('f');
        let cleans = arguments
            .operands
            .first()
            .is_some_and(|name| name == "clean")
            && arguments.operands.iter().filter(is_option).any(forces);
        if cleans && arguments.has(&["git-dir"]) && repositories.into_iter().any(is_foreign) {
            self.report(CommandRule::Delete, "clean");
        }
    }

    /// The directory is implicit, so it matters only if it is known.
    fn writes_where_git_works(&mut self, state: &State) {
        let known = state.directories.iter().all(Option::is_some);
        if known
            && !state
                .directories
                .iter()
                .flatten()
                .any(|place| self.is_at_work(place))
        {
            self.writes(state, &format!("./{NUMBER}"));
        }
    }

    fn cleans(&mut self, state: &State, paths: &[&str]) {
        if paths.is_empty() {
            self.deletes(state, "./x");
        }
        if state.value("GIT_DIR").is_some() {
            self.report(CommandRule::Delete, "GIT_DIR");
        }
        if let Some(tree) = state.value("GIT_WORK_TREE") {
            self.deletes_outside(state, &tree);
        }
        for path in paths {
            self.deletes_outside(state, path);
        }
    }

    fn changes_setting(
        &mut self,
        state: &State,
        key: &str,
        values: &[&str],
        arguments: &Arguments,
    ) {
        let changes = !values.is_empty() || arguments.has(&["unset", "edit", "e", "unset-all"]);
        if !changes {
            return;
        }
        for file in arguments.values('R') {
            self.writes(state, file);
        }
        if values.is_empty() {
            self.report(CommandRule::UnknownOption, key);
        }
        if arguments.has(&["global", "system"]) {
            self.report(CommandRule::Persistence, key);
        }
        for value in values {
            self.report(CommandRule::UnknownOption, value);
            self.configuration(state, &format!("{key}={value}"));
        }
    }

    /// Checks `key=value` if git runs the value.
    pub(super) fn configuration(&mut self, state: &State, setting: &str) {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        let key = key.to_ascii_lowercase();
        if RUN_BY_SETTING.iter().any(|part| key.contains(part)) {
            self.suspect_setting(state, value);
        }
    }

    /// Checks options and addresses of remotes that name a program to run.
    fn reaches(&mut self, state: &State, name: &str, operands: &[String]) {
        if name == "git clone" {
            let words = operands
                .iter()
                .skip(1)
                .filter(|word| !word.starts_with('-'));
            for path in words {
                self.writes(state, path);
            }
        }
        let mut queue = operands.iter();
        while let Some(word) = queue.next() {
            let (option, glued) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (word.as_str(), None),
            };
            let mut value = || glued.map(str::to_owned).or_else(|| queue.next().cloned());
            match option {
                "--upload-pack" | "--receive-pack" | "--exec" | "-u"
                    if name != "git push" || option != "-u" =>
                {
                    self.suspect(state, &value().unwrap_or_default());
                }
                "-c" | "--config" => self.configuration(state, &value().unwrap_or_default()),
                "--separate-git-dir" | "--template" => {
                    self.writes(state, &value().unwrap_or_default());
                }
                _ => {
                    if let Some(command) = word.strip_prefix("ext::") {
                        let text = command.replace("% ", " ");
                        self.suspect(state, &text);
                        self.suspect_text(state, text.trim_start_matches("sh -c "));
                    }
                }
            }
        }
    }
}

/// Returns `true` if a git setting changes only the display or the author.
pub(super) fn is_plain_setting(setting: &str) -> bool {
    const BEGINNINGS: [&str; 5] = ["color.", "advice.", "status.", "column.", "user."];
    const KEYS: [&str; 14] = [
        "core.quotepath",
        "core.abbrev",
        "diff.noprefix",
        "diff.mnemonicprefix",
        "diff.renames",
        "diff.renamelimit",
        "diff.algorithm",
        "diff.colormoved",
        "diff.context",
        "log.date",
        "log.showsignature",
        "log.decorate",
        "init.defaultbranch",
        "commit.gpgsign",
    ];
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    let key = key.to_ascii_lowercase();
    let shows_all = matches!(key.as_str(), "core.pager" | "pager.log" | "pager.diff");
    KEYS.contains(&key.as_str())
        || BEGINNINGS
            .iter()
            .any(|beginning| key.starts_with(beginning))
        || shows_all && matches!(value, "cat" | "false" | "")
}

fn is_everything(path: &str) -> bool {
    matches!(path, "." | "./" | ":/" | ":" | "*") || !path.is_empty() && path.chars().all(is_mark)
}
