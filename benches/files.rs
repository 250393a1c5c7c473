//! Cost of listing, reading and changing files, compared with `fd` and the standard library.
//!
//! cargo bench --bench files -- [--quick]
//!
//! Times are wall clock times. `fd` runs as a process and is skipped if it is not installed.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use benches::bar::{self, Bar};
use benches::measure::{Case, Effort, interleaved_on_the_wall};
use benches::options::Options;
use memchr::{memchr_iter, memmem};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::{TextLimit, ToolContext, TypedTool};
use tools_builtin::Workspace;
use tools_builtin::files::{FileSearch, ListFiles, ReadFile, ReplaceString};

/// Argument for a child process that replaces text once and prints its memory growth.
const PEAK: &str = "--peak";
const CHUNK: usize = 64 * 1024;
const LARGE: usize = 10 * 1024 * 1024;

fn main() {
    let mut words = std::env::args().skip(1);
    if let (Some(PEAK), Some(folder)) = (words.next().as_deref(), words.next()) {
        println!("{}", grown_by_a_replacement(Path::new(&folder)));
        return;
    }
    let effort = Options::from_command_line().effort;
    let bench = Bench::new(effort);
    let mut bars = Vec::new();
    bars.extend(bench.listing());
    bars.push(bench.beginning());
    bars.push(bench.middle());
    bars.extend(bench.replacing());
    bar::print(&bars);
}

/// Directory with test files, and the environment of the tools.
struct Bench {
    effort: Effort,
    folder: PathBuf,
    workspace: Workspace,
    runtime: Runtime,
}

impl Bench {
    fn new(effort: Effort) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-files");
        make_files(&folder).expect("the bench directory is writable");
        Self {
            effort,
            workspace: Workspace::open(&folder).expect("the directory exists"),
            folder,
            runtime: tokio::runtime::Builder::new_current_thread()
                .build()
                .expect("a runtime"),
        }
    }

    fn call<E: TypedTool>(&self, engine: &E, input: Value) -> E::Output {
        let input = serde_json::from_value(input).expect("the input is valid");
        let call = engine.run_once(input);
        self.runtime.block_on(call)
    }

    /// Lists all files of a tree, and the files with one extension.
    fn listing(&self) -> Vec<Bar> {
        let list = ListFiles::new(self.workspace.clone());
        let search = FileSearch::new(self.workspace.clone());
        let all = json!({"path": "tree", "recursive": true, "limit": 1_000_000});
        let some = json!({"base_path": "tree", "pattern": "**/*.rs", "limit": 1_000_000});
        let (count_all, count_some) = (
            self.call(&list, all.clone()).files.len(),
            self.call(&search, some.clone()).files.len(),
        );
        let mut cases = vec![
            Case::new("list_files, recursive", || self.call(&list, all.clone())),
            Case::new("file_search **/*.rs", || self.call(&search, some.clone())),
            Case::checked(
                "std: read_dir, names only, sorted",
                &json!(count_all),
                || walk_std(&self.folder.join("tree")),
                |paths| json!(paths.len()),
            ),
        ];
        let fd = |words: &'static [&'static str]| move || run_fd(&self.folder.join("tree"), words);
        let has_fd = fd(&["--version"])().is_some();
        if has_fd {
            for (name, count, words) in [
                ("fd, all files", count_all, &["--type", "f", "."][..]),
                (
                    "fd --glob *.rs",
                    count_some,
                    &["--type", "f", "--glob", "*.rs"],
                ),
            ] {
                cases.push(Case::checked(name, &json!(count), fd(words), |lines| {
                    json!(lines)
                }));
            }
        } else {
            println!("fd is not installed, skipping its comparison");
        }
        println!("\nlisting {count_all} files, {count_some} of them *.rs");
        let measured = interleaved_on_the_wall(&mut cases, self.effort, 31);
        measured.print();
        if !has_fd {
            return Vec::new();
        }
        let ratio = |ours, theirs| measured.ratio(ours, theirs);
        vec![
            ceiling(
                "list recursive, sorted / fd",
                ratio("list_files, recursive", "fd, all files"),
                1.2,
            ),
            ceiling(
                "glob **/*.rs / fd",
                ratio("file_search **/*.rs", "fd --glob *.rs"),
                0.75,
            ),
        ]
    }

    /// Reading the first lines must take the same time for small and large files.
    fn beginning(&self) -> Bar {
        let read = ReadFile::new(self.workspace.clone());
        let lines = |path: &str| json!({"path": path, "start_line": 1, "end_line": 200});
        let expected = json!(self.call(&read, lines("small.txt")).content);
        let names = ["lines 1-200 of 20 KB", "lines 1-200 of 10 MB"];
        let mut cases = [("small.txt", names[0]), ("large.txt", names[1])].map(|(path, name)| {
            let call = || self.call(&read, lines(path));
            Case::checked(name, &expected, call, |output| json!(output.content))
        });
        println!("\nreading the beginning");
        let measured = interleaved_on_the_wall(&mut cases, self.effort, 101);
        measured.print();
        ceiling(
            "lines 1-200, 10 MB / 20 KB",
            measured.ratio(names[1], names[0]),
            1.5,
        )
    }

    /// Reading lines in the middle must not take longer than finding them.
    fn middle(&self) -> Bar {
        let read = ReadFile::new(self.workspace.clone());
        let lines = json!({"path": "large.txt", "start_line": 100_000, "end_line": 100_200});
        let path = self.folder.join("large.txt");
        let expected = json!(self.call(&read, lines.clone()).content);
        let names = [
            "std: memchr over 64 KB chunks",
            "lines 100000-100200 of 10 MB",
        ];
        let mut cases = [
            Case::checked(
                names[0],
                &expected,
                || scan(&path, 100_000, 100_200).expect("the file can be read"),
                Value::String,
            ),
            Case::checked(
                names[1],
                &expected,
                || self.call(&read, lines.clone()),
                |output| json!(output.content),
            ),
        ];
        println!("\nreading lines in the middle");
        let measured = interleaved_on_the_wall(&mut cases, self.effort, 101);
        measured.print();
        ceiling(
            "lines 100000-100200 / memchr scan",
            measured.ratio(names[1], names[0]),
            1.1,
        )
    }

    /// Changing a large file must not take longer than reading it and writing it atomically.
    fn replacing(&self) -> Vec<Bar> {
        let replace = ReplaceString::new(self.workspace.clone());
        let (ours, theirs) = (self.folder.join("ours.txt"), self.folder.join("theirs.txt"));
        for path in [&ours, &theirs] {
            fs::copy(self.folder.join("large.txt"), path).expect("the disk has space");
        }
        let mut turn = 0;
        let names = [
            "std: read, write, sync, rename",
            "replace_string_in_file in 10 MB",
        ];
        let mut cases = [
            Case::new(names[0], || {
                rewrite(&theirs).expect("the file can be written");
            }),
            Case::new(names[1], || {
                turn += 1;
                self.call(&replace, replacement(turn))
            }),
        ];
        println!("\nreplacing a word at the end of 10 MB, with fsync on both sides");
        let measured = interleaved_on_the_wall(&mut cases, self.effort, 31);
        measured.print();
        let bar = ceiling(
            "replace / read + write",
            measured.ratio(names[1], names[0]),
            1.2,
        );
        [Some(bar), self.peak()].into_iter().flatten().collect()
    }

    /// Measures the memory of a change in a separate process.
    fn peak(&self) -> Option<Bar> {
        let program = std::env::current_exe().expect("this program has a name");
        let output = Command::new(program).arg(PEAK).arg(&self.folder).output();
        let output = output.expect("this program starts").stdout;
        let grown: f64 = String::from_utf8(output).ok()?.trim().parse().ok()?;
        let size = fs::metadata(self.folder.join("large.txt")).ok()?.len();
        if grown <= 0.0 {
            println!("this system does not report memory usage");
            return None;
        }
        println!("  memory of one replacement {:11.0} KB", grown / 1024.0);
        #[expect(clippy::cast_precision_loss, reason = "the file is small")]
        let ratio = grown / size as f64;
        Some(ceiling("replace: peak memory / file", ratio, 2.2))
    }
}

/// Runs an engine without a registry.
trait RunOnce: TypedTool {
    async fn run_once(&self, input: Self::Input) -> Self::Output {
        let outcome = self
            .run(&ToolContext::test(), input, &TextLimit::default())
            .await;
        outcome.expect("the call succeeds")
    }
}

impl<E: TypedTool> RunOnce for E {}

fn ceiling(name: &str, measured: f64, bar: f64) -> Bar {
    Bar::ceiling(name, measured, bar, bar)
}

/// Replaces a word, alternating between two values.
fn replacement(turn: usize) -> Value {
    let (old, new) = if turn.is_multiple_of(2) {
        ("after", "before")
    } else {
        ("before", "after")
    };
    json!({"path": "ours.txt", "old_string": old, "new_string": new})
}

/// Rewrites a file atomically and durably.
fn rewrite(path: &Path) -> io::Result<()> {
    let content = fs::read(path)?;
    let temporary = path.with_extension("tmp");
    let mut file = fs::File::create(&temporary)?;
    file.write_all(&content)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    fs::File::open(path.with_file_name("."))?.sync_all()
}

/// Returns the lines `first..=last`, without the final newline.
fn scan(path: &Path, first: usize, last: usize) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut chunk = vec![0; CHUNK];
    let (mut passed, mut text) = (0, Vec::new());
    while passed < last {
        let size = file.read(&mut chunk)?;
        let piece = &chunk[..size];
        let found = memchr_iter(b'\n', piece).count();
        if size == 0 {
            break;
        }
        if passed + found + 1 >= first {
            let place = |line: usize| match line.checked_sub(passed) {
                None | Some(0) => Some(0),
                Some(line) => memchr_iter(b'\n', piece).nth(line - 1).map(|at| at + 1),
            };
            let start = place(first - 1).unwrap_or(size);
            let end = place(last).unwrap_or(size);
            text.extend_from_slice(&piece[start..end]);
        }
        passed += found;
    }
    text.pop();
    Ok(String::from_utf8(text).expect("the file is text"))
}

fn walk_std(root: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)
            .expect("the directory exists")
            .flatten()
        {
            let name = entry.file_name();
            if name == "target" || name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// Returns the number of lines that `fd` prints, or `None` if it is not installed.
fn run_fd(folder: &Path, words: &[&str]) -> Option<usize> {
    let fixed = [
        "--color",
        "never",
        "--no-require-git",
        "--no-global-ignore-file",
    ];
    let output = Command::new("fd")
        .args(fixed)
        .args(words)
        .current_dir(folder)
        .output()
        .ok()?;
    Some(memmem::find_iter(&output.stdout, b"\n").count())
}

/// Returns the memory growth of a process during one replacement, in bytes; 0 if unknown.
fn grown_by_a_replacement(folder: &Path) -> u64 {
    let workspace = Workspace::open(folder).expect("the directory exists");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let replace = ReplaceString::new(workspace);
    let call = |input: Value| {
        let input = serde_json::from_value(input).expect("the input is valid");
        runtime.block_on(replace.run(&ToolContext::test(), input, &TextLimit::default()))
    };
    fs::copy(folder.join("large.txt"), folder.join("ours.txt")).expect("the disk has space");
    fs::write(folder.join("tiny.txt"), "before").expect("the disk has space");
    call(json!({"path": "tiny.txt", "old_string": "before", "new_string": "after"}))
        .expect("the call succeeds");
    let before = peak_memory();
    call(replacement(1)).expect("the call succeeds");
    peak_memory().saturating_sub(before)
}

/// Returns the peak memory of this process, in bytes.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok());
    kilobytes.map_or(0, |kilobytes: u64| kilobytes * 1024)
}

/// Creates a small file, a large one, and a tree of 20,000 files with ignored directories.
fn make_files(folder: &Path) -> io::Result<()> {
    let lines = |size: usize| -> String {
        let line = |number| {
            format!("{number:08} a line of a text that is read by its lines, not too short\n")
        };
        let mut text: String = (0..).map(line).take(size / 70).collect();
        text.push_str("the word before the end\n");
        text
    };
    fs::create_dir_all(folder)?;
    fs::write(folder.join("small.txt"), lines(20 * 1024))?;
    fs::write(folder.join("large.txt"), lines(LARGE))?;
    let done = folder.join("tree/.done");
    if done.exists() {
        return Ok(());
    }
    for outer in 0..100 {
        for inner in 0..10 {
            let place = folder.join(format!("tree/part_{outer:02}/module_{inner}"));
            fs::create_dir_all(&place)?;
            for file in 0..20 {
                let ending = ["rs", "md", "toml", "txt"][file % 4];
                fs::write(place.join(format!("file_{file:02}.{ending}")), "text\n")?;
            }
        }
        let built = folder.join(format!("tree/part_{outer:02}/target"));
        fs::create_dir_all(&built)?;
        fs::write(built.join("omitted.rs"), "")?;
    }
    fs::write(folder.join("tree/.gitignore"), "target/\n")?;
    fs::write(done, "")
}
