//! Programs for permissions, links, raw bytes and builds.

use super::super::state::State;
use super::super::value::{self, Stream};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;

const PUBLISHING: [&str; 4] = ["install", "deploy", "publish", "upload"];

/// Make variables with the programs of the built-in rules.
const PROGRAMS_OF_RULES: [&str; 13] = [
    "RM", "AS", "CPP", "FC", "M2C", "PC", "CO", "GET", "LEX", "YACC", "LINT", "INSTALL", "TANGLE",
];

/// Goal prefixes of Maven plugins that build, check or print.
const OF_MAVEN: [&str; 24] = [
    "checkstyle:",
    "clean:",
    "compiler:",
    "dependency:analyze",
    "dependency:build-classpath",
    "dependency:list",
    "dependency:resolve",
    "dependency:tree",
    "enforcer:",
    "exec:",
    "failsafe:",
    "fmt:",
    "help:",
    "jacoco:",
    "jar:",
    "javadoc:",
    "pmd:",
    "quarkus:dev",
    "spotbugs:",
    "spotless:",
    "spring-boot:run",
    "surefire:",
    "versions:display",
    "war:",
];

/// Returns `true` if the plugin of a Maven goal may be downloaded, or does more than build.
fn is_foreign_goal(goal: &str) -> bool {
    const GROUPS: [&str; 2] = ["org.apache.maven.plugins:", "org.codehaus.mojo:"];
    let is_of = |starts: &[&str]| starts.iter().any(|start| goal.starts_with(start));
    match goal.matches(':').count() {
        0 => false,
        1 => !is_of(&OF_MAVEN),
        _ => !is_of(&GROUPS),
    }
}

impl Walk<'_> {
    pub(super) fn chmod(&mut self, state: &mut State, name: &str, operands: &[String]) {
        const FLAGS: [&str; 12] = [
            "-R",
            "-v",
            "-c",
            "-f",
            "-h",
            "-H",
            "-L",
            "-P",
            "--recursive",
            "--verbose",
            "--changes",
            "--silent",
        ];
        let mut words = operands
            .iter()
            .filter(|word| !FLAGS.contains(&word.as_str()));
        let Some(mode) = words.next() else {
            return;
        };
        if mode.starts_with("--reference") {
            self.report(CommandRule::UnknownOption, mode);
        }
        if name == "chmod" {
            self.mode(mode);
        } else {
            self.report(CommandRule::Protected, name);
        }
        for path in words {
            self.permits(state, path);
        }
    }

    pub(super) fn mode(&mut self, mode: &str) {
        let octal = mode.chars().all(|letter| letter.is_digit(8));
        let digits = mode.trim_start_matches('0');
        let sets_id = if octal {
            digits.len() > 3 && !digits.starts_with('1')
        } else {
            mode.split(',').any(|part| {
                let set = part.split(['+', '=']).nth(1).unwrap_or_default();
                set.contains('s') || set.trim_start_matches('0').len() > 3
            })
        };
        if sets_id {
            self.report(CommandRule::Permission, mode);
        } else if !value::is_known(mode) {
            self.report(CommandRule::Opaque, mode);
        }
    }

    /// Checks make targets that install, and variables with commands.
    pub(super) fn make(&mut self, state: &State, name: &str, arguments: &Arguments) {
        let is_input =
            |path: &String| path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/");
        for rules in arguments.values('A') {
            self.recipes(state, rules);
        }
        self.steered_by_folder(state, arguments);
        if name == "meson" {
            self.each(&arguments.operands, |walk, path| {
                walk.steered_by(state, path);
            });
        }
        if let Some(path) = arguments.values('R').find(|path| is_input(path)) {
            let downloaded = self.input == Stream::Network;
            match (self.pipe_text(path), self.input.clone()) {
                (Some(text), _) | (_, Stream::Text(text)) => {
                    self.recipes(state, &text);
                }
                _ => {}
            }
            self.report(
                if downloaded {
                    CommandRule::DownloadRun
                } else {
                    CommandRule::Interpreter
                },
                path,
            );
        }
        for operand in &arguments.operands {
            match operand.split_once('=') {
                Some((name, value)) => {
                    let name = name.trim_end_matches([':', '+', '?']);
                    self.check_environment(state, name, value);
                    self.check_given(state, name, value);
                    if PROGRAMS_OF_RULES.contains(&name) {
                        self.suspect_setting(state, value);
                    }
                }
                None if arguments.has(&["n", "dry-run"]) => {}
                None if name == "mvn" && is_foreign_goal(operand) => {
                    self.report(CommandRule::Install, operand);
                }
                None => self.goals(std::slice::from_ref(operand)),
            }
        }
    }

    pub(super) fn goals(&mut self, goals: &[String]) {
        let publishes = |goal: &&String| PUBLISHING.iter().any(|word| goal.contains(word));
        for goal in goals.iter().filter(publishes) {
            self.report(CommandRule::Install, goal);
        }
    }

    /// Checks the commands of make rules.
    fn recipes(&mut self, state: &State, rules: &str) {
        for line in rules.lines() {
            let recipe = match line.strip_prefix('\t') {
                Some(recipe) => recipe,
                None => line.split_once(';').map_or("", |(_, recipe)| recipe),
            };
            let text = recipe.trim().trim_start_matches(['@', '-', '+']);
            self.suspect(state, &text.replace("$$", "$"));
        }
    }

    pub(super) fn dd(&mut self, state: &mut State, operands: &[String]) {
        for operand in operands {
            match operand.split_once('=') {
                Some(("if", path)) => self.reads(state, path, false),
                Some(("of", path)) => self.writes(state, path),
                Some((
                    "bs" | "count" | "skip" | "seek" | "ibs" | "obs" | "conv" | "status" | "iflag"
                    | "oflag" | "cbs",
                    _,
                )) => {}
                _ => self.report(CommandRule::UnknownOption, operand),
            }
        }
    }

    /// A link would make an outside file reachable by an inside name.
    pub(super) fn links_to(&mut self, source: &str) {
        let at_work = source.starts_with('/') && self.is_at_work(source);
        let leads_out =
            source.starts_with('/') && !at_work || source.contains("..") || value::is_open(source);
        if leads_out {
            self.report(CommandRule::Protected, source);
        }
    }

    pub(super) fn link(&mut self, state: &mut State, operands: &[String]) {
        let (sources, target) = match operands.split_last() {
            Some((target, sources)) if !sources.is_empty() => (sources, Some(target)),
            _ => (operands, None),
        };
        for source in sources {
            self.reads(state, source, false);
            self.note_arriving(source);
            self.links_to(source);
        }
        if let Some(target) = target {
            self.writes(state, target);
        }
    }
}
