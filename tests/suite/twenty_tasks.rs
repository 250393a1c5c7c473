//! Twenty small tasks that a scripted model solves with a set of a document and with the standard one.
//!
//! `cargo test -p tests --test suite twenty_tasks -- --ignored --nocapture` prints the table.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{Registry, Toolset};
use tool_test::Scratch;
use tools_builtin::toolsets::{ToolGroup, ToolsetName};
use tools_builtin::{Kit, Workspace};

/// What the model does, in the terms of no set.
#[derive(Clone, Copy)]
enum Step {
    Read(&'static str),
    /// The last lines.
    Tail(&'static str, i64),
    Search(&'static str),
    Count(&'static str),
    /// Changes of one file: the quoted text, its replacement, and what the file has if that differs.
    Edit(
        &'static str,
        &'static [(&'static str, &'static str, &'static str)],
    ),
    /// Replaces the text in the line.
    EditLine(&'static str, &'static str, &'static str, usize),
    /// Replaces the text wherever it is.
    EditAll(&'static str, &'static str, &'static str, usize),
    Write(&'static str, &'static str),
    Delete(&'static str),
    Move(&'static str, &'static str),
    Run(&'static str),
    /// Not the model: the user saves a file.
    User(&'static str, &'static str),
}

/// A task: its files, the steps, and what must be true at the end.
struct Task {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    steps: &'static [Step],
    /// Files at the end, or parts of the results if the name is empty.
    expected: &'static [(&'static str, &'static str)],
}

use Step::{Count, Delete, Edit, EditAll, EditLine, Move, Read, Run, Search, Tail, User, Write};

const CODE: &str = "fn sum(a: i32, b: i32) -> i32 {\n    a - b\n}\n";
const TWO: &str = "[dev]\nport = 80\n\n[prod]\nport = 80\n";
const NOISE: &str = "for i in $(seq 1 20000); do echo \"step $i done\"; if [ $i = 9000 ]; then echo 'error: linker failed'; fi; done";

const TASKS: [Task; 20] = [
    Task {
        name: "find a function",
        files: &[("src/a.rs", CODE), ("src/b.rs", "fn b() {}\n")],
        steps: &[Search("fn sum")],
        expected: &[("", "src/a.rs:1")],
    },
    Task {
        name: "fix a line",
        files: &[("src/a.rs", CODE)],
        steps: &[
            Read("src/a.rs"),
            Edit("src/a.rs", &[("a - b", "a + b", "")]),
        ],
        expected: &[(
            "src/a.rs",
            "fn sum(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
        )],
    },
    Task {
        name: "fix behind trailing blanks",
        files: &[("a.txt", "one  \ntwo \nthree\n")],
        steps: &[
            Read("a.txt"),
            Edit("a.txt", &[("one\ntwo", "one\n2", "one  \ntwo")]),
        ],
        expected: &[("a.txt", "one  \n2 \nthree\n")],
    },
    Task {
        name: "fix with Windows line endings",
        files: &[("a.txt", "one\r\ntwo\r\n")],
        steps: &[
            Read("a.txt"),
            Edit("a.txt", &[("one\ntwo\n", "one\n2\n", "one\r\ntwo\r\n")]),
        ],
        expected: &[("a.txt", "one\r\n2\r\n")],
    },
    Task {
        name: "fix behind tabs",
        files: &[("a.go", "func a() {\n\tif x {\n\t\tb()\n\t}\n}\n")],
        steps: &[
            Read("a.go"),
            Edit(
                "a.go",
                &[(
                    "    if x {\n        b()\n",
                    "    if x {\n        c()\n",
                    "\tif x {\n\t\tb()\n",
                )],
            ),
        ],
        expected: &[("a.go", "func a() {\n\tif x {\n\t\tc()\n\t}\n}\n")],
    },
    Task {
        name: "fix beside typographic quotes",
        files: &[("a.md", "It’s “here”.\nport 80\n")],
        steps: &[
            Read("a.md"),
            Edit(
                "a.md",
                &[(
                    "It's \"here\".\nport 80",
                    "It's \"here\".\nport 81",
                    "It’s “here”.\nport 80",
                )],
            ),
        ],
        expected: &[("a.md", "It’s “here”.\nport 81\n")],
    },
    Task {
        name: "fix the second of two equal lines",
        files: &[("a.toml", TWO)],
        steps: &[
            Read("a.toml"),
            EditLine("a.toml", "port = 80", "port = 443", 5),
        ],
        expected: &[("a.toml", "[dev]\nport = 80\n\n[prod]\nport = 443\n")],
    },
    Task {
        name: "rename across files",
        files: &[
            ("a.rs", "old(); old();\n"),
            ("b.rs", "old();\n"),
            ("c.rs", "fn old() {}\n"),
        ],
        steps: &[
            Search("old"),
            EditAll("a.rs", "old", "new", 2),
            EditAll("b.rs", "old", "new", 1),
            EditAll("c.rs", "old", "new", 1),
        ],
        expected: &[
            ("a.rs", "new(); new();\n"),
            ("b.rs", "new();\n"),
            ("c.rs", "fn new() {}\n"),
        ],
    },
    Task {
        name: "add a test",
        files: &[("src/a.rs", CODE)],
        steps: &[
            Read("src/a.rs"),
            Edit(
                "src/a.rs",
                &[(
                    "    a - b\n}\n",
                    "    a - b\n}\n\n#[test]\nfn sums() {\n    assert_eq!(sum(1, 2), 3);\n}\n",
                    "",
                )],
            ),
        ],
        expected: &[(
            "src/a.rs",
            "fn sum(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[test]\nfn sums() {\n    assert_eq!(sum(1, 2), 3);\n}\n",
        )],
    },
    Task {
        name: "find the error in a log",
        files: &[("app.log", "start\nwarn: slow\nerror: disk full\nstop\n")],
        steps: &[Search("error:")],
        expected: &[("", "disk full")],
    },
    Task {
        name: "read the end of a log",
        files: &[("app.log", "start\nwarn: slow\nerror: disk full\nstop\n")],
        steps: &[Tail("app.log", 2)],
        expected: &[("", "stop")],
    },
    Task {
        name: "find the error of a build",
        files: &[],
        steps: &[Run(NOISE)],
        expected: &[("", "linker failed")],
    },
    Task {
        name: "create a file",
        files: &[],
        steps: &[Write("src/new/a.rs", "fn a() {}\n")],
        expected: &[("src/new/a.rs", "fn a() {}\n")],
    },
    Task {
        name: "replace a file",
        files: &[("a.json", "{}\n")],
        steps: &[Read("a.json"), Write("a.json", "{\"a\": 1}\n")],
        expected: &[("a.json", "{\"a\": 1}\n")],
    },
    Task {
        name: "delete a file",
        files: &[("old.txt", "x\n"), ("a.txt", "a\n")],
        steps: &[Delete("old.txt")],
        expected: &[("old.txt", ""), ("a.txt", "a\n")],
    },
    Task {
        name: "move a file",
        files: &[("a.txt", "a\n")],
        steps: &[Move("a.txt", "docs/b.txt")],
        expected: &[("a.txt", ""), ("docs/b.txt", "a\n")],
    },
    Task {
        name: "undo an own edit",
        files: &[("a.txt", "one\n")],
        steps: &[
            Edit("a.txt", &[("one", "two", "")]),
            Edit("a.txt", &[("two", "one", "")]),
        ],
        expected: &[("a.txt", "one\n")],
    },
    Task {
        name: "count the open points",
        files: &[("a.rs", "// TODO a\n// TODO b\n// TODO c\n")],
        steps: &[Count("TODO")],
        expected: &[("", "3")],
    },
    Task {
        name: "change five places of a file",
        files: &[(
            "a.css",
            "a { color: red }\nb { color: red; }\nc { top: 1px }\nd { top: 2px }\ne { top: 3px }\n",
        )],
        steps: &[
            Read("a.css"),
            Edit(
                "a.css",
                &[
                    ("a { color: red }", "a { color: blue }", ""),
                    ("b { color: red; }", "b { color: blue; }", ""),
                    ("1px", "4px", ""),
                    ("2px", "5px", ""),
                    ("3px", "6px", ""),
                ],
            ),
        ],
        expected: &[(
            "a.css",
            "a { color: blue }\nb { color: blue; }\nc { top: 4px }\nd { top: 5px }\ne { top: 6px }\n",
        )],
    },
    Task {
        name: "keep what the user saved",
        files: &[("a.txt", "one\n")],
        steps: &[
            Read("a.txt"),
            User("a.txt", "one\nmine\n"),
            Write("a.txt", "1\n"),
        ],
        expected: &[("a.txt", "one\nmine\n")],
    },
];

/// Calls, of which each is for the failure of the one before it.
type Attempts = Vec<(&'static str, Value)>;

/// Turns steps into calls of one set.
type Translation = fn(Step) -> Vec<Attempts>;

/// Returns the calls of a step with `cli_agent`, which has neither `edits` nor tools that move or delete.
fn with_old(step: Step) -> Vec<Attempts> {
    let one = |tool, arguments| vec![vec![(tool, arguments)]];
    let run = |command: String| one("run_in_terminal", json!({"command": command}));
    let replace = |path: &str, old: &str, new: &str| {
        (
            "replace_string_in_file",
            json!({"path": path, "old_string": old, "new_string": new}),
        )
    };
    match step {
        Read(path) => one("read_file", json!({"path": path})),
        Tail(path, lines) => run(format!("tail -n {lines} {path}")),
        Search(pattern) => one("grep_search", json!({"pattern": pattern})),
        Count(pattern) => run(format!("grep -r {pattern} . | wc -l")),
        Edit(path, edits) => edits
            .iter()
            .map(|(old, new, exact)| {
                let mut attempts = vec![replace(path, old, new)];
                if !exact.is_empty() {
                    attempts.push(("read_file", json!({"path": path})));
                    attempts.push(replace(path, exact, &adapted(old, new, exact)));
                }
                attempts
            })
            .collect(),
        EditLine(path, old, new, _) => vec![vec![replace(path, old, new)]],
        EditAll(path, old, new, count) => vec![vec![replace(path, old, new)]; count],
        Write(path, text) => {
            let overwrite = format!("cat > {path} <<'EOF'\n{text}EOF");
            vec![vec![
                ("create_file", json!({"path": path, "content": text})),
                ("run_in_terminal", json!({"command": overwrite})),
            ]]
        }
        Delete(path) => run(format!("rm {path}")),
        Move(from, to) => run(format!("mkdir -p $(dirname {to}) && mv {from} {to}")),
        Run(command) => run(command.to_owned()),
        User(..) => Vec::new(),
    }
}

/// Returns the calls of a step with the standard set.
fn with_new(step: Step) -> Vec<Attempts> {
    let one = |tool, arguments| vec![vec![(tool, arguments)]];
    match step {
        Read(path) => one("read", json!({"path": path})),
        Tail(path, lines) => one("read", json!({"path": path, "start_line": -lines})),
        Search(pattern) => one("search", json!({"pattern": pattern})),
        Count(pattern) => one("search", json!({"pattern": pattern, "show": "counts"})),
        Edit(path, edits) => {
            let edits: Vec<Value> = edits
                .iter()
                .map(|(old, new, _)| json!({"old": old, "new": new}))
                .collect();
            one("edit", json!({"path": path, "edits": edits}))
        }
        EditLine(path, old, new, line) => vec![vec![
            (
                "edit",
                json!({"path": path, "edits": [{"old": old, "new": new}]}),
            ),
            (
                "edit",
                json!({"path": path, "edits": [{"old": old, "new": new, "near_line": line}]}),
            ),
        ]],
        EditAll(path, old, new, _) => one(
            "edit",
            json!({"path": path, "edits": [{"old": old, "new": new, "all": true}]}),
        ),
        Write(path, text) => one("write", json!({"path": path, "content": text})),
        Delete(path) => one("delete", json!({"path": path})),
        Move(from, to) => one("move", json!({"from": from, "to": to})),
        Run(command) => one("bash", json!({"command": command})),
        User(..) => Vec::new(),
    }
}

/// Returns the replacement as a model writes it after it has read the file again.
fn adapted(old: &str, new: &str, exact: &str) -> String {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let quoted: Vec<(String, String)> = lines(old).into_iter().zip(lines(exact)).collect();
    let adapt = |line: String| {
        let kept = quoted.iter().find(|(old, _)| *old == line);
        kept.map_or_else(|| line.replace("    ", "\t"), |(_, own)| own.clone())
    };
    let ending = if exact.contains('\r') { "\r\n" } else { "\n" };
    let adapted: Vec<String> = lines(new).into_iter().map(adapt).collect();
    let end = if new.ends_with('\n') { ending } else { "" };
    adapted.join(ending) + end
}

/// Returns a string without whitespace at the ends of its lines, which nobody sees.
fn without_blanks(text: &str) -> String {
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| line.trim_end_matches(' '))
        .collect();
    lines.join("\n")
}

#[derive(Default)]
struct Tally {
    calls: usize,
    failed: usize,
    /// Characters of arguments and results.
    characters: usize,
    solved: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.characters += other.characters;
        self.solved += other.solved;
    }
}

async fn solve(task: &Task, set: ToolsetName, calls: Translation) -> Tally {
    let scratch = task
        .files
        .iter()
        .fold(Scratch::new(), |scratch, (name, text)| {
            scratch.file(name, text)
        });
    let registry = registry(set, &scratch);
    let (mut tally, mut seen) = (Tally::default(), String::new());
    for step in task.steps {
        if let User(path, text) = step {
            std::fs::write(scratch.path().join(path), text).unwrap();
        }
        for attempts in calls(*step) {
            for (tool, arguments) in attempts {
                tally.characters += arguments.to_string().chars().count();
                let result = registry.execute(tool, arguments).await;
                let text = result.to_string();
                tally.calls += 1;
                tally.failed += usize::from(!result.success);
                tally.characters += text.chars().count();
                seen.push_str(&text);
                // A read between two attempts solves nothing.
                if result.success && !tool.starts_with("read") {
                    break;
                }
            }
        }
    }
    let is_met = |(name, text): &(&str, &str)| match *name {
        "" => seen.contains(text),
        name if text.is_empty() => !scratch.has(name),
        name => scratch.has(name) && without_blanks(&scratch.read(name)) == without_blanks(text),
    };
    tally.solved = usize::from(task.expected.iter().all(is_met));
    tally
}

fn toolset(set: ToolsetName, kit: &Kit) -> Toolset {
    let toolset = set.toolset(kit).unwrap();
    if set != ToolsetName::Standard {
        return toolset;
    }
    let toolset = ToolGroup::Delete.add_to(toolset, kit).unwrap();
    ToolGroup::Move.add_to(toolset, kit).unwrap()
}

fn registry(set: ToolsetName, scratch: &Scratch) -> Registry {
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .toolset(&toolset(set, &kit))
        .unwrap()
        .build()
}

/// Returns the characters of the definitions, which every request repeats.
fn definitions(set: ToolsetName) -> usize {
    let registry = registry(set, &Scratch::new());
    let definitions = registry.list();
    let shown = |definition: &tool_core::ToolDefinition| json!({"name": definition.name(), "description": definition.description(), "input_schema": definition.input_schema()});
    definitions
        .iter()
        .map(|definition| shown(definition).to_string().chars().count())
        .sum()
}

#[tokio::test]
#[ignore = "prints a comparison"]
async fn standard_set_solves_more_with_fewer_calls() {
    let sets: [(ToolsetName, Translation); 2] = [
        (ToolsetName::CliAgent, with_old),
        (ToolsetName::Standard, with_new),
    ];
    let (mut totals, mut table) = ([Tally::default(), Tally::default()], String::new());
    for task in &TASKS {
        write!(table, "{:36}", task.name).unwrap();
        for ((set, calls), total) in sets.iter().zip(&mut totals) {
            let tally = solve(task, *set, *calls).await;
            let mark = if tally.solved == 1 { "" } else { " WRONG" };
            write!(
                table,
                " | {} calls, {} failed, {} tokens{mark}",
                tally.calls,
                tally.failed,
                tally.characters / 4
            )
            .unwrap();
            total.add(&tally);
        }
        table.push('\n');
    }
    for ((set, _), total) in sets.iter().zip(&totals) {
        let definitions = definitions(*set) / 4;
        // Each call is one more request with all definitions, and each task ends with one without a call.
        let requests = total.calls + TASKS.len();
        writeln!(table, "{set}: {} of 20 solved, {} calls, {} failed, {} tokens of arguments and results, {definitions} of definitions ({} in {requests} requests)", total.solved, total.calls, total.failed, total.characters / 4, definitions * requests).unwrap();
    }
    println!("{table}");
    let [old, new] = totals;
    assert_eq!(new.solved, TASKS.len(), "{table}");
    assert!(
        new.calls < old.calls && new.failed < old.failed && new.characters < old.characters,
        "{table}"
    );
}
