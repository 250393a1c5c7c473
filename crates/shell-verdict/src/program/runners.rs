//! Programs that run tools of the project, their own tools, or a given tool.

use super::super::state::State;
use super::super::table::{self, Special};
use super::super::value::{self, Stream};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;
use super::forms::is_of_project;

/// Prefixes of build properties that name code to run or load.
const STEERING: [&str; 12] = [
    "exec.executable",
    "maven.ext.",
    "maven.repo",
    "maven.home",
    "org.gradle.java.home",
    "org.gradle.jvmargs",
    "gradle.user.home",
    "user.home",
    "java.home",
    "java.security",
    "java.library",
    "java.class.path",
];

/// sbt tasks that build, test or print.
const OF_SBT: [&str; 27] = [
    "compile",
    "test",
    "testOnly",
    "testQuick",
    "run",
    "runMain",
    "clean",
    "package",
    "assembly",
    "stage",
    "doc",
    "project",
    "projects",
    "tasks",
    "settings",
    "about",
    "reload",
    "coverage",
    "coverageReport",
    "coverageAggregate",
    "scalafmt",
    "scalafmtAll",
    "scalafmtCheck",
    "scalafmtCheckAll",
    "scalafmtSbtCheck",
    "scalafixAll",
    "exit",
];

impl Walk<'_> {
    /// Returns the prefix of a tool that is checked as a separate program.
    pub(super) fn tool_within(
        &mut self,
        state: &mut State,
        name: &str,
        rest: &[String],
    ) -> Option<Stream> {
        let (first, behind) = rest.split_first()?;
        match (name, first.as_str()) {
            ("cmake", "-E") => match behind {
                [tool, folder, command @ ..] if tool == "chdir" => {
                    let mut elsewhere = self.standing_in(state, folder);
                    self.deeper(|walk| walk.run_program(&mut elsewhere, command))
                }
                _ => self.subcommand(state, "cmake -E", behind),
            },
            ("coverage run", "-m") if matches!(behind, [module, ..] if module == "pytest") => {
                self.deeper(|walk| walk.run_program(state, behind))
            }
            ("just", "-c" | "--command") => {
                self.report(CommandRule::UnknownOption, first);
                self.deeper(|walk| walk.run_program(state, behind))
            }
            ("cargo" | "rustc" | "rustdoc" | "rustfmt", toolchain) if is_toolchain(toolchain) => {
                let row = table::find("", name)?;
                self.deeper(|walk| walk.judge_row(state, row, name, behind))
            }
            _ => return None,
        }
        .or(Some(Stream::Unknown))
    }

    /// The tool is reported at the end if the input itself wrote it.
    pub(super) fn is_tool_of_project(&mut self, state: &State, folder: &str, file: &str) -> bool {
        let mut places = state.directories.iter();
        let is_known = is_of_project(folder, file)
            && places.all(|place| place.as_deref().is_some_and(|place| self.is_at_work(place)));
        if is_known {
            self.relies_on_tool(&format!("{folder}/{file}"));
        }
        is_known
    }

    /// Returns the state in the directory that an option selects.
    pub(super) fn elsewhere(&mut self, state: &State, arguments: &Arguments) -> Option<State> {
        let trees = arguments.values('K');
        let trees = trees.filter_map(|setting| setting.strip_prefix("core.worktree="));
        let folders = arguments.values('D').map(String::as_str).chain(trees);
        // Each directory is relative to the previous one.
        folders.fold(None, |before, folder| {
            Some(self.standing_in(before.as_ref().unwrap_or(state), folder))
        })
    }

    fn standing_in(&mut self, state: &State, directory: &str) -> State {
        let mut elsewhere = state.clone();
        self.change_directory(&mut elsewhere, directory);
        elsewhere.failed = None;
        self.works_in(state, directory);
        elsewhere
    }

    /// Package manager commands that run a project tool. Unknown tools require approval.
    pub(super) fn runner(
        &mut self,
        state: &mut State,
        name: &str,
        arguments: &Arguments,
    ) -> Option<Stream> {
        let mut command = arguments.operands.clone();
        // The tool may follow the name of an environment.
        if name.starts_with("hatch ")
            && let Some(first) = command.first_mut()
            && let Some((_, tool)) = first.split_once(':')
        {
            *first = tool.to_owned();
        }
        let tool = command.first().map_or("", String::as_str);
        let of_node = matches!(name, "npx" | "bunx" | "pnpx") || name.starts_with("npm ");
        let is_known = table::find("", tool)
            .is_some_and(|row| row.rule.is_none() && (!of_node || row.names.contains("eslint")));
        if !is_known {
            self.report(CommandRule::Install, name);
        }
        // Some pass the argument to a shell.
        if tool.contains(' ') {
            self.suspect(state, tool);
        }
        self.deeper(|walk| walk.run_program(state, &command))
    }

    /// A Node tool without `exec` or `run`.
    pub(super) fn tool_of_project(
        &mut self,
        state: &mut State,
        family: &str,
        words: &[String],
    ) -> Option<Stream> {
        let row = table::find("", words.first()?)?;
        if family != "npm" || !row.names.contains("eslint") {
            return None;
        }
        self.deeper(|walk| walk.run_program(state, words))
    }

    /// Some package managers run a program if no script has that name.
    pub(super) fn script_of_node(&mut self, state: &State, name: &str, operands: &[String]) {
        let script = operands.get(..1).unwrap_or_default();
        self.arguments_of_script(state, operands);
        self.goals(script);
        let runs_code = |script: &String| {
            let row = table::find("", script);
            row.is_some_and(|row| row.special == Some(Special::Interpreter))
        };
        if script.iter().any(runs_code) {
            self.report(CommandRule::Interpreter, name);
        }
    }

    /// The effect of script arguments is unknown.
    pub(super) fn arguments_of_script(&mut self, state: &State, words: &[String]) {
        self.steered_by_words(state, words);
        if let Some(word) = words.iter().find(|word| value::may_be_option(word)) {
            self.report(CommandRule::Opaque, word);
        }
    }

    pub(super) fn property(&mut self, state: &State, property: &str, arguments: &Arguments) {
        let steers = STEERING.iter().any(|name| property.starts_with(name));
        if !steers && !names_program(property) && !leads_out(property) {
            return;
        }
        self.report(CommandRule::UnknownOption, property);
        let value = |name: &str| {
            let mut all = arguments.values('S');
            all.find_map(|property| property.strip_prefix(name))
        };
        if let Some(program) = value("exec.executable=") {
            let words = value("exec.args=").unwrap_or_default();
            self.suspect(state, &format!("{program} {words}"));
        }
    }

    pub(super) fn tasks_of_sbt(&mut self, state: &State, operands: &[String]) {
        for task in operands.iter().flat_map(|operand| operand.split(';')) {
            if task.contains("eval ") || task.contains("set ") {
                self.report(CommandRule::Interpreter, task);
                self.code(state, "scala", task);
            } else if !is_known_to_sbt(task) {
                self.report(CommandRule::UnknownOption, task);
            }
        }
        self.goals(operands);
    }

    /// `bun` runs a tool, a program instead of a missing script, or shell text.
    pub(super) fn bun(&mut self, state: &State, operands: &[String]) {
        let Some((first, rest)) = behind_options(operands).split_first() else {
            return;
        };
        let command = behind_options(rest);
        match (first.as_str(), command) {
            ("exec", [text, ..]) => self.suspect(state, text),
            ("x" | "run", _) => {
                self.for_harm(|walk| walk.run_program(&mut state.clone(), command));
            }
            _ => {}
        }
    }
}

fn is_known_to_sbt(task: &str) -> bool {
    let words = task.trim().trim_start_matches(['+', '~']);
    let first = words.split_whitespace().next().unwrap_or_default();
    let name = first.rsplit(['/', ':']).next().unwrap_or_default();
    name.is_empty() && first.is_empty() || OF_SBT.contains(&name)
}

fn behind_options(words: &[String]) -> &[String] {
    let is_word = |word: &String| !word.starts_with('-');
    let at = words.iter().position(is_word).unwrap_or(words.len());
    words.get(at..).unwrap_or_default()
}

/// Returns `true` if a cmake variable names a program or file that runs, with more than a plain
/// word.
fn names_program(variable: &str) -> bool {
    const ENDS: [&str; 7] = [
        "_COMPILER",
        "_LAUNCHER",
        "_LAUNCH",
        "_LINKER",
        "_PROGRAM",
        "_INCLUDE",
        "_TOOLCHAIN_FILE",
    ];
    let (name, value) = variable.split_once('=').unwrap_or((variable, ""));
    let name = name.split(':').next().unwrap_or_default();
    let value = value.strip_prefix("/usr/bin/").unwrap_or(value);
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "+-._".contains(letter);
    ENDS.iter().any(|end| name.ends_with(end)) && !value.chars().all(is_plain)
}

/// Returns `true` if a Java build property names an agent or a file outside the project.
fn leads_out(property: &str) -> bool {
    let (name, value) = property.split_once('=').unwrap_or((property, ""));
    let from_elsewhere = value.starts_with(['/', '~'])
        || value.starts_with("http")
        || value.split('/').any(|part| part == "..");
    let is_agent = ["-javaagent", "-agent"]
        .iter()
        .any(|option| value.contains(option));
    // cmake variables are uppercase and often name system directories.
    name.starts_with(|letter: char| letter.is_ascii_lowercase()) && (from_elsewhere || is_agent)
}

fn is_toolchain(word: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let name = word.strip_prefix('+').unwrap_or_default();
    !name.is_empty() && value::is_known(name) && name.chars().all(is_plain)
}
