//! How long do searching and listing a tree take, compared with `rg` and `fd`?
//!
//! benches/corpus.sh && cargo bench -p benches --bench search -- [--quick]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use benches::bar::{self, Bar};
use benches::contest::{Contest, is_installed, output_of};
use benches::corpus::Tree;
use benches::measure::Effort;
use benches::options::Options;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::{Arguments, ToolContext, ToolInput, TypedTool};
use tools_builtin::files::{FileSearch, ListFiles};
use tools_builtin::search::{SearchCode, SearchCodeInput, SearchCodeOutput};
use tools_builtin::workspace::Workspace;

/// A rare string and a frequent one.
const RARE: &str = "memory_order_seq_cst";
const RARE_EXPRESSION: &str = r"\bmemory_order_(seq_cst|consume)\b.*;";
const COMMON: &str = "self";
const GLOB: &str = "**/*.rs";

fn main() {
    let options = Options::from_command_line();
    let mut bars = Vec::new();
    for tree in ["small", "large"].into_iter().filter_map(Tree::find) {
        let bench = Bench::new(tree, options.effort);
        if is_installed("rg") {
            bench.against_rg(&mut bars);
        }
        if bench.is_large() && is_installed("fd") {
            bench.against_fd(&mut bars);
        }
    }
    bar::print(&bars);
}

struct Bench {
    tree: Tree,
    engine: SearchCode,
    runtime: Runtime,
    rounds: usize,
}

impl Bench {
    fn new(tree: Tree, effort: Effort) -> Self {
        let workspace = Workspace::open(&tree.path).expect("the tree exists");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        Self {
            engine: SearchCode::new(workspace),
            runtime: runtime.expect("a runtime"),
            rounds: match (effort, tree.name) {
                (Effort::Quick, _) => 1,
                (_, "large") => 9,
                _ => 31,
            },
            tree,
        }
    }

    fn is_large(&self) -> bool {
        self.tree.name == "large"
    }

    fn search(
        &self,
        query: &str,
        limit: usize,
        change: impl Fn(&mut SearchCodeInput),
    ) -> SearchCodeOutput {
        let mut input = input(query, limit);
        change(&mut input);
        let run = async { self.engine.run(&ToolContext::test(), input).await };
        self.runtime.block_on(run).expect("a search")
    }

    fn rg(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("rg");
        command
            .current_dir(&self.tree.path)
            .args([
                "--no-config",
                "--no-ignore-parent",
                "--no-ignore-global",
                "--no-heading",
                "-n",
            ])
            .args(arguments);
        command
    }

    fn against_rg(&self, bars: &mut Vec<Bar>) {
        let name = self.tree.name;
        let (limit, goal) = if self.is_large() {
            (1.0, 0.75)
        } else {
            (0.8, 0.6)
        };
        for (what, query, is_regex, case_sensitive) in [
            ("literal", RARE, false, true),
            ("any case", RARE, false, false),
            ("expression", RARE_EXPRESSION, true, true),
        ] {
            let arguments = [if case_sensitive { "-s" } else { "-i" }, "-e", query];
            let ours = || {
                self.search(query, 1000, |input| {
                    (input.regex, input.case_sensitive) = (is_regex, case_sensitive);
                })
            };
            assert_eq!(
                places(&ours()),
                rg_places(&output_of(&mut self.rg(&arguments)))
            );
            let contest = Contest::run(
                self.rounds,
                || drop(ours()),
                || drop(output_of(&mut self.rg(&arguments))),
            );
            println!("{name}, {what}: {contest:?}");
            for (measure, ratio) in [("wall", contest.wall), ("CPU", contest.cpu)] {
                let figure = format!("{name} tree, {what}: {measure} / rg");
                bars.push(Bar::ceiling(figure, ratio, limit).goal(goal));
            }
        }
        let first = Contest::run(
            self.rounds.max(15),
            || drop(self.search(COMMON, 100, |input| input.case_sensitive = true)),
            || self.first_of_rg(100),
        );
        println!("{name}, the first 100: {first:?}");
        let limit = if self.is_large() { 0.7 } else { 0.4 };
        let figure = format!("{name} tree, first 100: wall / rg");
        bars.push(Bar::ceiling(figure, first.wall, limit));
    }

    /// Reads `lines` lines of `rg` and closes its pipe.
    fn first_of_rg(&self, lines: usize) {
        let mut child = self
            .rg(&["-s", "-e", COMMON])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("rg runs");
        let output = child.stdout.take().expect("a pipe");
        assert_eq!(BufReader::new(output).lines().take(lines).count(), lines);
        let _ = child.wait();
    }

    fn against_fd(&self, bars: &mut Vec<Bar>) {
        let workspace = Workspace::open(&self.tree.path).expect("the tree exists");
        let list = ListFiles::new(workspace.clone());
        let search = FileSearch::new(workspace);
        let all = || {
            let input = json!({"recursive": true, "limit": usize::MAX});
            let paths = self.called(&list, &input).files.into_iter();
            paths.map(|file| file.path).collect()
        };
        let some = || {
            let input = json!({"pattern": GLOB, "limit": usize::MAX});
            self.called(&search, &input).files
        };
        bars.push(self.paths_against_fd("list with sizes", &all, &[], 1.8));
        let words = ["--glob", "--full-path", GLOB];
        bars.push(self.paths_against_fd("glob", &some, &words, 1.0));
    }

    /// Runs a tool with these arguments.
    fn called<E: TypedTool>(&self, engine: &E, input: &Value) -> E::Output {
        let arguments = Arguments::from_value(input.clone());
        let input = E::Input::from_arguments(&arguments).expect("an input");
        let context = ToolContext::test();
        let run = engine.run(&context, input);
        self.runtime.block_on(run).expect("the call succeeds")
    }

    fn paths_against_fd(
        &self,
        name: &str,
        ours: &dyn Fn() -> Vec<String>,
        words: &[&str],
        limit: f64,
    ) -> Bar {
        let theirs = || {
            let mut command = Command::new("fd");
            command
                .current_dir(&self.tree.path)
                .args(["--no-ignore-parent", "--type", "f"])
                .args(words);
            output_of(&mut command)
        };
        let (expected, found) = (theirs(), ours());
        let mut lines: Vec<&str> = expected
            .lines()
            .map(|line| line.trim_start_matches("./"))
            .collect();
        lines.sort_unstable();
        if found != lines {
            println!("{name}: {} files, fd has {}", found.len(), lines.len());
        }
        let contest = Contest::run(self.rounds, || drop(ours()), || drop(theirs()));
        println!("{name}: {contest:?}");
        let figure = format!("large tree, {name}: wall / fd");
        Bar::ceiling(figure, contest.wall, limit)
    }
}

fn input(query: &str, limit: usize) -> SearchCodeInput {
    let input = serde_json::json!({"query": query, "limit": limit, "case_sensitive": true});
    serde_json::from_value(input).expect("an input")
}

fn places(output: &SearchCodeOutput) -> Vec<(String, usize)> {
    assert!(!output.truncated);
    let place = |found: &tools_builtin::search::SearchMatch| (found.path.clone(), found.line);
    output.matches.iter().map(place).collect()
}

/// Returns the lines that `rg` found, in our order, without its messages about binary files.
fn rg_places(output: &str) -> Vec<(String, usize)> {
    let mut places: Vec<_> = output
        .lines()
        .filter_map(|line| {
            let (path, rest) = line.split_once(':')?;
            let number = rest.split(':').next()?.parse().ok()?;
            Some((path.trim_start_matches("./").to_owned(), number))
        })
        .collect();
    places.sort_unstable();
    places
}
