//! Paths, each with the operations that succeed on it.

use std::path::Path;

/// Paths that resolve inside, with the letters of the operations that succeed.
const INSIDE: &[(&str, &str)] = &[
    ("a.txt", "rwe"),
    ("./a.txt", "rwe"),
    (".//a.txt", "rwe"),
    ("sub/../a.txt", "rwe"),
    ("sub/./b.txt", "rwe"),
    ("...", "rwe"),
    (r"back\slash.txt", "rwe"),
    ("in_file", "rwe"),
    ("in_dir/b.txt", "rwe"),
    ("in_dir/up/a.txt", "rwe"),
    (".", "ldf"),
    ("./", "ldf"),
    ("sub", "ldf"),
    ("sub/", "ldf"),
    ("sub//", "ldf"),
    ("sub/..", "ldf"),
    ("sub/up", "ldf"),
    ("in_dir", "ldf"),
    ("in_dir/", "ldf"),
    ("in_dir/up", "ldf"),
    ("dangling_in", "w"),
    ("brand/new/file", "wc"),
    ("%2e%2e/x", "wc"),
    ("..%2fx", "wc"),
    (" ", "wc"),
    (".. /x", "wc"),
    ("．．/x", "wc"),
    (r"..\secret.txt", "wc"),
    (r"sub\..\..\secret.txt", "wc"),
];

/// Paths on which every operation fails.
const REFUSED: &[&str] = &[
    "..",
    "../",
    "../secret.txt",
    "../../etc/passwd",
    "../new_file",
    "../ws/a.txt",
    "../ws-evil/secret.txt",
    "./../secret.txt",
    ".//..//secret.txt",
    "sub/../../secret.txt",
    "sub/deep/../../../secret.txt",
    "brand/../new.txt",
    "brand/../../secret.txt",
    "brand/../../new_file",
    "in_dir/../../secret.txt",
    "in_dir/up/../secret.txt",
    "sub/up/../secret.txt",
    "sub/up_up",
    "sub/up_up/secret.txt",
    "sub/up_up/new_file",
    "out_file",
    "out_dir",
    "out_dir/",
    "out_dir/secret.txt",
    "out_dir/new_file",
    "out_dir/new/new_file",
    "out_dir/../ws/a.txt",
    "out_prefix/secret.txt",
    "abs_file",
    "abs_dir",
    "abs_dir/passwd",
    "abs_dir/new_file",
    "abs_root",
    "abs_root/etc/passwd",
    "abs_in",
    "chain",
    "chain_2",
    "loop_a",
    "loop_a/x",
    "self",
    "self/x",
    "dangling_out",
    "dangling_abs",
    "proc_root/etc/passwd",
    "through_root",
    "fifo",
    "socket",
    "~",
    "~/x",
    "$HOME",
    r"%USERPROFILE%\x",
    "a.txt/",
    "a.txt/x",
    "a.txt/..",
    "a.txt/../a.txt",
    "",
    "/",
    "//",
    "/etc/passwd",
    "//etc/passwd",
    "/proc/self/environ",
    "/dev/zero",
    "/dev/tty",
    "C:",
    r"C:\Windows\win.ini",
    "c:/Windows/win.ini",
    "C:secret.txt",
    r"\\server\share\x",
    r"\\?\C:\x",
    "//server/share/x",
    "a.txt\0",
    "a.txt\0.png",
    "\0",
];

/// Returns all paths, including paths with the absolute path of the root.
pub(super) fn cases(root: &Path) -> Vec<(String, String)> {
    let full = |rest: &str| format!("{}{rest}", root.display());
    let refused = REFUSED.iter().map(|path| ((*path).to_owned(), ""));
    let inside = INSIDE
        .iter()
        .map(|(path, allowed)| ((*path).to_owned(), *allowed));
    let built = [
        (full("/a.txt"), "rwe"),
        (full("//sub/../a.txt"), "rwe"),
        (full(""), "ldf"),
        (full("/"), "ldf"),
        (full("/../secret.txt"), ""),
        (full("-evil/secret.txt"), ""),
        (full("/../ws-evil/secret.txt"), ""),
        (full("/out_file"), ""),
        ("n/".repeat(3000), ""),
        ("d".repeat(300), ""),
    ];
    let all = inside.chain(refused).chain(built);
    all.map(|(path, allowed)| (path, completed(allowed)))
        .collect()
}

/// Adds the operations that succeed whenever the given ones do.
fn completed(allowed: &str) -> String {
    let mut all = allowed.to_owned();
    for (letter, others) in [('e', "a"), ('l', "ms"), ('c', "m"), ('r', "s")] {
        if allowed.contains(letter) {
            all.push_str(others);
        }
    }
    all
}

/// Returns all paths next to and in the roots of a workspace with several roots.
pub(super) fn cases_of_several(scratch: &Path) -> Vec<(String, String)> {
    let full = |rest: &str| format!("{}/{rest}", scratch.display());
    let own = [
        (full("granted/g.txt"), "rwe"),
        (full("granted//./g.txt"), "rwe"),
        (full("granted"), "ldf"),
        (full("granted/brand/new"), "wc"),
        (full("granted/out_file"), ""),
        (full("granted/out_dir/secret.txt"), ""),
        (full("granted/out_dir/new_file"), ""),
        (full("granted/to_first/a.txt"), ""),
        (full("granted/../secret.txt"), ""),
        (full("granted/../ws/a.txt"), ""),
        (full("granted/../manual/m.txt"), ""),
        (full("granted-evil"), ""),
        (full("granted/g.txt/x"), ""),
        (full("manual/m.txt"), "r"),
        (full("manual/./m.txt"), "r"),
        (full("manual"), "ldf"),
        (full("manual/new"), ""),
        (full("manual/new/new"), ""),
        (full("manual/out_file"), ""),
        (full("manual/../secret.txt"), ""),
        (full("secret.txt"), ""),
        (full("outside/secret.txt"), ""),
        (full(""), ""),
        ("../granted/g.txt".to_owned(), ""),
        ("../manual/m.txt".to_owned(), ""),
    ];
    let own = own.map(|(path, allowed)| (path, completed(allowed)));
    cases(&scratch.join("ws")).into_iter().chain(own).collect()
}
