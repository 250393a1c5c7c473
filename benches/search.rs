//! Cost of searching and listing a tree, compared with `rg` and `fd`.
//!
//! benches/corpus.sh && cargo bench --bench search -- [--quick]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::bar::{self, Bar};
use benches::contest::{Contest, is_installed, output_of, status};
use benches::corpus::Tree;
use benches::measure::Effort;
use benches::options::Options;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::{CancellationToken, TextLimit, ToolContext, TypedTool};
use tools_builtin::files::{FileSearch, ListFiles};
use tools_builtin::search::{SearchCode, SearchCodeInput, SearchCodeOutput};
use tools_builtin::workspace::Workspace;

/// Variable for the child process that measures the memory of a search.
const MEMORY: &str = "BENCH_MEMORY_OF";

/// A rare string and a frequent one.
const RARE: &str = "memory_order_seq_cst";
const RARE_EXPRESSION: &str = r"\bmemory_order_(seq_cst|consume)\b.*;";
const COMMON: &str = "self";
const GLOB: &str = "**/*.rs";

fn main() {
    if let Ok(path) = std::env::var(MEMORY) {
        return print_memory(Path::new(&path));
    }
    let options = Options::from_command_line();
    let mut bars = Vec::new();
    for tree in ["small", "large"].into_iter().filter_map(Tree::find) {
        let bench = Bench::new(tree, options.effort);
        if is_installed("rg") {
            bench.against_rg(&mut bars);
        }
        if is_installed("fd") {
            bench.against_fd(&mut bars);
        }
        if bench.tree.name == "large" {
            bench.alone(&mut bars);
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

    fn search(
        &self,
        query: &str,
        limit: usize,
        change: impl Fn(&mut SearchCodeInput),
    ) -> SearchCodeOutput {
        let mut input = input(query, limit);
        change(&mut input);
        let run = async {
            self.engine
                .run(&ToolContext::test(), input, &TextLimit::default())
                .await
        };
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
        let whole = if name == "large" { 1.0 } else { 0.75 };
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
            bars.push(Bar::ceiling(
                format!("{name}, {what}: wall / rg"),
                contest.wall,
                whole,
                aim(whole),
            ));
            bars.push(Bar::ceiling(
                format!("{name}, {what}: cpu / rg"),
                contest.cpu,
                whole,
                aim(whole),
            ));
        }
        let first = Contest::run(
            self.rounds.max(15),
            || drop(self.search(COMMON, 100, |input| input.case_sensitive = true)),
            || self.first_of_rg(100),
        );
        println!("{name}, the first 100: {first:?}");
        let most = if name == "large" { 0.7 } else { 0.4 };
        bars.push(Bar::ceiling(
            format!("{name}, the first 100: wall / rg"),
            first.wall,
            most,
            aim(most),
        ));
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
        let name = self.tree.name;
        bars.push(self.paths_against_fd(&format!("{name}, list"), &all, &[], 1.2));
        let words = ["--glob", "--full-path", GLOB];
        bars.push(self.paths_against_fd(&format!("{name}, glob"), &some, &words, 0.75));
    }

    /// Runs a tool with these arguments.
    fn called<E: TypedTool>(&self, engine: &E, input: &Value) -> E::Output {
        let input = E::Input::deserialize(input).expect("an input");
        let (context, limits) = (ToolContext::test(), TextLimit::default());
        let run = engine.run(&context, input, &limits);
        self.runtime.block_on(run).expect("the call succeeds")
    }

    fn paths_against_fd(
        &self,
        name: &str,
        ours: &dyn Fn() -> Vec<String>,
        words: &[&str],
        most: f64,
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
        Bar::ceiling(format!("{name}: wall / fd"), contest.wall, most, aim(most))
    }

    /// Measurements without a comparison.
    fn alone(&self, bars: &mut Vec<Bar>) {
        let output = output_of(
            Command::new(std::env::current_exe().expect("this program"))
                .env(MEMORY, &self.tree.path),
        );
        let kilobytes: f64 = output.trim().parse().expect("a number");
        bars.push(Bar::ceiling(
            "large: MB of memory over the start",
            kilobytes / 1024.0,
            24.0,
            16.0,
        ));
        bars.push(Bar::ceiling(
            "large: ms after a deadline of 50 ms",
            self.lateness(),
            20.0,
            5.0,
        ));
        bars.push(Bar::ceiling(
            "large: ms from cancelling to quiet",
            self.quiet(),
            20.0,
            5.0,
        ));
        let (ratio, threads) = self.eight_at_once();
        bars.push(Bar::ceiling(
            "large: 8 concurrent / 8 sequential",
            ratio,
            1.2,
            1.0,
        ));
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        #[expect(clippy::cast_precision_loss, reason = "threads are few")]
        bars.push(Bar::ceiling(
            format!("large: threads of 8 concurrent, on {processors} CPUs"),
            threads as f64,
            processors as f64 + 2.0,
            processors as f64 + 1.0,
        ));
    }

    fn lateness(&self) -> f64 {
        let limit = Duration::from_millis(50);
        let engine = self.engine.clone().with_time_limit(limit);
        let late = (0..5).map(|_| {
            let since = Instant::now();
            let context = ToolContext::test();
            let run = async {
                engine
                    .run(&context, input(RARE, 1000), &TextLimit::default())
                    .await
            };
            assert!(
                self.runtime
                    .block_on(run)
                    .expect("partial results")
                    .truncated
            );
            since.elapsed().saturating_sub(limit)
        });
        late.max().unwrap_or_default().as_secs_f64() * 1000.0
    }

    /// Returns the time between cancelling a search and its return, in milliseconds.
    fn quiet(&self) -> f64 {
        let token = CancellationToken::new();
        let context = ToolContext::test().with_cancellation(token.clone());
        let limits = TextLimit::default();
        let search = self.engine.run(&context, input(RARE, 1000), &limits);
        self.runtime.block_on(async {
            let cancelling = async {
                tokio::time::sleep(Duration::from_millis(50)).await;
                token.cancel();
                Instant::now()
            };
            let (outcome, since) = tokio::join!(search, cancelling);
            assert!(outcome.is_err());
            since.elapsed().as_secs_f64() * 1000.0
        })
    }

    /// Returns the time of eight concurrent searches relative to eight sequential ones, and the
    /// peak number of threads.
    fn eight_at_once(&self) -> (f64, u64) {
        let since = Instant::now();
        for _ in 0..8 {
            drop(self.search(RARE, 1000, |_| ()));
        }
        let in_sequence = since.elapsed();
        let is_over = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let stop = Arc::clone(&is_over);
        let watcher = std::thread::spawn(move || {
            let mut most = 0;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                most = most.max(status("Threads"));
                std::thread::sleep(Duration::from_millis(1));
            }
            // Exclude the watcher itself.
            most - 1
        });
        let since = Instant::now();
        self.runtime.block_on(async {
            let mut searches = tokio::task::JoinSet::new();
            for _ in 0..8 {
                let engine = self.engine.clone();
                searches.spawn(async move {
                    engine
                        .run(
                            &ToolContext::test(),
                            input(RARE, 1000),
                            &TextLimit::default(),
                        )
                        .await
                });
            }
            searches.join_all().await
        });
        let at_once = since.elapsed();
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        let threads = watcher.join().expect("the watcher");
        (at_once.as_secs_f64() / in_sequence.as_secs_f64(), threads)
    }
}

/// Returns a goal 20 % below the limit.
fn aim(bar: f64) -> f64 {
    (bar * 80.0).round() / 100.0
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

/// Prints the memory growth of a search, in kilobytes.
fn print_memory(path: &Path) {
    let tree = Tree {
        name: "large",
        path: path.to_owned(),
    };
    let bench = Bench::new(tree, Effort::Quick);
    let before = status("VmRSS");
    drop(bench.search(RARE, 1000, |_| ()));
    println!("{}", status("VmHWM") - before);
}
