//! Obfuscated forms of a command.

/// Text around any commands.
const AROUND: &[(&str, &str)] = &[
    ("", "\n"),
    ("( ", "\n)"),
    ("{ ", "\n}"),
    ("true && ", ""),
    ("(cd src && ls); ", ""),
    ("echo \"$( ", "\n)\""),
    ("x=$( ", "\n)"),
    ("if true; then ", "\nfi"),
    ("if ls; then :; else ", "\nfi"),
    ("for i in 1 2; do ", "\ndone"),
    ("while ls x; do ", "\ndone"),
    ("f() { ", "\n}; f"),
    ("case x in x) ", "\n;; esac"),
    ("! ", ""),
    ("ls\n", "\nls"),
    ("ls & ", ""),
    ("x=1; y='a b'; ", ""),
    ("cat <( ", "\n)"),
    ("bash <<'END'\n", "\nEND"),
    ("cat <<'END' | sh\n", "\nEND"),
];

/// Prefixes of one program with its arguments.
const IN_FRONT: &[&str] = &[
    "env ",
    "env -i A=b ",
    "A=b ",
    "nohup ",
    "nice -n 5 ",
    "timeout 10 ",
    "time ",
    "stdbuf -oL ",
    "command ",
    "exec ",
    "echo | xargs -r ",
    "find . -maxdepth 0 -exec env ",
    "watch ",
];

/// Returns the command within other commands and constructs.
pub(super) fn wrapped(command: &str) -> Vec<String> {
    AROUND
        .iter()
        .map(|(before, after)| format!("{before}{command}{after}"))
        .collect()
}

/// Returns the obfuscated forms, which all have the same effect.
pub(super) fn disguised(command: &str) -> Vec<String> {
    let mut texts = wrapped(command);
    let quoted = format!("'{}'", command.replace('\'', r"'\''"));
    for shell in [
        "sh -c",
        "bash -c",
        "/bin/sh -ec",
        "env sh -c",
        "eval",
        "trap",
    ] {
        let end = if shell == "trap" { " EXIT" } else { "" };
        texts.push(format!("{shell} {quoted}{end}"));
    }
    texts.push(format!("x={quoted}; eval \"$x\""));
    if is_one_program(command) {
        texts.extend(IN_FRONT.iter().map(|front| {
            let end = if front.starts_with("find") {
                " \\;"
            } else {
                ""
            };
            format!("{front}{command}{end}")
        }));
        texts.extend(respelled(command));
    }
    texts
}

/// Returns `true` if a wrapper can run the command unchanged.
fn is_one_program(command: &str) -> bool {
    const OF_THE_SHELL: &str = " cd pushd export set source . exec eval wait jobs history alias while if for mapfile type command time nohup ";
    let name = command.split(' ').next().unwrap_or_default();
    !command.contains([
        ';', '&', '|', '<', '>', '(', '{', '[', '\n', '=', '*', '?', '~', '$', '`', '\\',
    ]) && !name.contains(['"', '\''])
        && !OF_THE_SHELL.contains(&format!(" {name} "))
}

/// Returns the command with other spellings of the program name.
fn respelled(command: &str) -> Vec<String> {
    let (name, rest) = command.split_at(command.find(' ').unwrap_or(command.len()));
    let (first, others) = name.split_at(1);
    vec![
        format!("'{name}'{rest}"),
        format!("{first}\"{others}\"{rest}"),
        format!("{first}\\{others}{rest}"),
        format!("{first}''{others}{rest}"),
        format!("$'{name}'{rest}"),
        format!("x={name}; $x{rest}"),
        format!("x={others}; {first}${{x}}{rest}"),
        format!("$(echo {name}){rest}"),
        format!("{first}\\\n{others}{rest}"),
    ]
}
