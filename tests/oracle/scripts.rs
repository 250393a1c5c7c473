//! Generated scripts.

use proptest::prelude::*;
use proptest::sample::select;

/// Generates scripts of a few commands, up to three levels deep.
pub(crate) fn scripts() -> impl Strategy<Value = String> {
    let command = simple(word()).prop_recursive(3, 24, 4, |inner| {
        let script = script(inner);
        prop_oneof![
            2 => simple(substituted(script.clone())),
            2 => compound(script.clone()),
            1 => (compound(script.clone()), redirection(word())).prop_map(|(command, to)| format!("{command} {to}")),
            1 => function(script.clone()),
        ]
    });
    script(command)
}

fn script(command: impl Strategy<Value = String> + Clone + 'static) -> BoxedStrategy<String> {
    let connector = select(vec![
        "; ",
        " && ",
        " || ",
        " | ",
        " & ",
        "\n",
        " |& ",
        " &&\n",
        " |\n",
        ";\n\n# a 'comment\n",
        " \\\n; ",
    ]);
    let further = prop::collection::vec((connector, command.clone()), 0..3);
    let prefix = prop_oneof![8 => Just(""), 1 => select(vec!["! ", "time -p ", "! ! "])];
    let list = (prefix, command, further).prop_map(|(prefix, first, further)| {
        further
            .into_iter()
            .fold(prefix.to_owned() + &first, |list, (connector, command)| {
                list + connector + &command
            })
    });
    let document = (
        list.clone(),
        plain_word(),
        select(vec!["<<E", "<<-E", "<<'E'", "<<\"E\"", "<< \\E"]),
        body(),
        select(vec!["ls", "git $x | wc"]),
    );
    let documented = document.prop_map(|(before, word, sign, body, behind)| {
        format!("{before}\ncat {sign} {word} && {behind}\n{body}\nE\n")
    });
    prop_oneof![6 => list, 1 => documented].boxed()
}

fn body() -> impl Strategy<Value = String> {
    select(vec![
        "text",
        "a $x b",
        "$(ls -l)",
        "it's \"so\"",
        "`pwd`",
        "\\$x \\` \\\\ \\a",
        "${x:-y}",
        "\tE2",
        "$((1 + 2))",
        "",
    ])
    .prop_map(str::to_owned)
}

fn simple(word: impl Strategy<Value = String> + Clone + 'static) -> BoxedStrategy<String> {
    let assignment = prop_oneof![
        4 => Just(String::new()),
        1 => (select(vec!["x=", "y+=", "LANG="]), word.clone()).prop_map(|(name, value)| format!("{name}{value} ")),
        1 => prop::collection::vec(word.clone(), 1..3).prop_map(|items| format!("x=({}) ", items.join(" "))),
    ];
    let name = select(vec![
        "ls",
        "echo",
        "git",
        "rm",
        "./run",
        "'l's",
        "\\cat",
        "export x=1 y",
        "test",
        "[",
        "ifx",
        "do_it",
        "l{s,}",
    ]);
    let words = prop::collection::vec(word, 0..4);
    let redirection = prop_oneof![3 => Just(String::new()), 1 => redirection(self::word())];
    (assignment, name, words, redirection)
        .prop_map(|(assignment, name, words, to)| {
            format!("{assignment}{name} {} {to}", words.join(" "))
                .trim_end()
                .to_owned()
        })
        .boxed()
}

fn redirection(word: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let sign = select(vec![
        ">", ">>", "<", "2>", ">|", "&>", "&>>", "<<<", "<>", "> ", "3<",
    ]);
    prop_oneof![
        3 => (sign, word).prop_map(|(sign, word)| format!("{sign}{word}")),
        1 => select(vec!["2>&1", ">&2", "<&3", "1>&-", ">/dev/null 2>&1"]).prop_map(str::to_owned),
    ]
}

/// Parts of words without commands.
const PIECES: &[&str] = &[
    "a",
    "file.txt",
    "-l",
    "--name=x",
    "src/main.rs",
    "'single quoted'",
    "'$x `ls`'",
    "''",
    "\"\"",
    "\"a b\"",
    "\"$x\"",
    "\"${x}y\"",
    "\"it's\"",
    "\"a\\\"b\\\\c\\$d\\e\"",
    "\\*",
    "\\ ",
    "\\\"",
    "\\\n",
    "$x",
    "${x}",
    "${x:-y}",
    "${x:-'y z'}",
    "\"${x:-y z}\"",
    "${x%.*}",
    "${x##*/}",
    "${x/a/b}",
    "${x:1:2}",
    "${#x}",
    "${x[1]}",
    "${x[@]}",
    "\"${x[@]}\"",
    "$1",
    "$@",
    "\"$@\"",
    "$?",
    "$$",
    "$!",
    "$#",
    "$-",
    "$((1 + 2))",
    "$((x << 2))",
    "$(( (1 + 2) * 3 ))",
    "$'a\\tb'",
    "$'\\x41\\101\\u0041'",
    "$'it\\'s'",
    "$\"text\"",
    "{a,b}",
    "{1..3}",
    "~",
    "~/x",
    "*.rs",
    "?",
    "[a-z]",
    "a#b",
    "a=b",
    "%",
    "@",
    "!",
    "=",
    "$",
    "a\\\nb",
    "é",
    "if",
    "1",
    "a$x",
    "x\"y\"'z'",
];

fn piece() -> impl Strategy<Value = &'static str> {
    select(PIECES)
}

/// Words for the line of a here-document, where brush miscounts braces and parentheses.
fn plain_word() -> impl Strategy<Value = &'static str> {
    select(vec![
        "a", "-n", "'b c'", "\"$x\"", "\\*", "$x", "*.rs", "2>&1", "> out",
    ])
}

fn word() -> BoxedStrategy<String> {
    prop::collection::vec(piece(), 1..3)
        .prop_map(|pieces| pieces.concat())
        .boxed()
}

fn substituted(script: impl Strategy<Value = String> + Clone + 'static) -> BoxedStrategy<String> {
    let around = select(vec![
        ("$( ", "\n)"),
        ("\"$( ", "\n)\""),
        ("<( ", "\n)"),
        (">( ", "\n)"),
        ("${x:-$( ", "\n)}"),
        ("\"a$( ", "\n)b\""),
        ("$( ( ", "\n) )"),
        ("a$( ", "\n)"),
    ]);
    let held =
        (around, script).prop_map(|((before, behind), script)| format!("{before}{script}{behind}"));
    let backquoted = select(vec![
        "`ls -l`",
        "\"`echo a`\"",
        "`echo \\`pwd\\``",
        "`echo \\$x`",
        "\"`echo \\\"a\\\"`\"",
        "a`ls`b",
    ]);
    prop_oneof![2 => held, 1 => backquoted.prop_map(str::to_owned), 1 => word()].boxed()
}

fn compound(script: impl Strategy<Value = String> + Clone + 'static) -> BoxedStrategy<String> {
    let pair = (script.clone(), script.clone());
    prop_oneof![
        script.clone().prop_map(|inner| format!("( {inner}\n)")),
        script.clone().prop_map(|inner| format!("{{ {inner}\n}}")),
        pair.clone()
            .prop_map(|(condition, body)| format!("if {condition}\nthen {body}\nfi")),
        (pair.clone(), pair.clone()).prop_map(|((a, b), (c, d))| format!(
            "if {a}\nthen {b}\nelif {c}\nthen {d}\nelse {d}\nfi"
        )),
        pair.clone()
            .prop_map(|(condition, body)| format!("while {condition}\ndo {body}\ndone")),
        pair.clone()
            .prop_map(|(condition, body)| format!("until {condition}\ndo {body}\ndone")),
        (prop::collection::vec(word(), 1..3), script.clone())
            .prop_map(|(items, body)| format!("for i in {}; do {body}\ndone", items.join(" "))),
        script
            .clone()
            .prop_map(|body| format!("for i\ndo {body}\ndone")),
        (word(), pair).prop_map(|(subject, (a, b))| format!(
            "case {subject} in a) {a}\n;; (b | *.rs) {b}\n;; *) ;; esac"
        )),
    ]
    .boxed()
}

fn function(
    script: impl Strategy<Value = String> + Clone + 'static,
) -> impl Strategy<Value = String> {
    let heads = select(vec!["f() ", "f ()\n"]);
    (heads, script).prop_map(|(head, body)| format!("{head}{{ {body}\n}}"))
}
