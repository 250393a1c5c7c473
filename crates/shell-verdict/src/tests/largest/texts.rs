//! Most expensive inputs.

const PIECES: &[&str] = &[
    "a",
    "{",
    "[",
    "$((",
    "(((",
    "ls -a ",
    "a=b;",
    "x=$x$x;",
    "if ",
    "`",
    "\\\\",
    "\"",
    "ls && ",
    "<<a\n",
    "${x",
    "a|",
    "*",
    "ls a{b,c};",
    "f(){ f; };",
    "for i in a b c;do ",
    "case ",
    "x=1;if a;then y=$x;fi;",
    "{,",
    "!",
    "time ",
    "[[ ",
    "eval ",
    "a() ",
    "env ",
    "env A=b ",
    "xargs ",
    "{a..z} ",
    "ls >a ",
    "${a:-ls} x;",
    "curl -o a h;",
    "PAGER=ls ls;",
    "python3 -c 'run([\"a\",\"b\"])';",
    "ls $(ls);",
    "tar xf a;",
    "(ls);",
    "echo a > >(cat);",
    "readonly x=a;x=b;",
    "trap 'x=/;y=a' ERR;",
    "exec 3<<<ls;sh <&3;",
    "exec > >(cat);echo a;",
    "coproc ls;",
    "echo a|tee >(cat);",
    "${x:-$(ls)} ",
    "sh -c 'ls {a,b}';",
    "sh -c \"ls \\$'a'\";",
    "cd a;",
    "{a,",
    "foo /a,/b,/c;",
    "while a;do cd b;done;",
];

pub(crate) fn largest(kilobytes: usize) -> Vec<String> {
    let fill = |piece: &&str| piece.repeat(kilobytes * 1024 / piece.len());
    PIECES.iter().map(fill).chain(composed(kilobytes)).collect()
}

fn composed(kilobytes: usize) -> Vec<String> {
    let some = |piece: &str, count: usize| piece.repeat(count * kilobytes / 16);
    vec![
        format!("foo {}", some("sh -c ls ", 1500)),
        format!("touch {}", some("a/", 8000)),
        format!("cd {}; {}", some("a/", 2000), some("touch x y;", 300)),
        format!("cd {}; {}", some("a/", 6000), some("rm -r x;", 400)),
        format!(
            "if ls;then c=ls;fi;{}$c{}",
            "echo ${x:-$(".repeat(28),
            ")}".repeat(28)
        ),
        format!(
            "{}ls{}",
            "PAGER=\"$(PAGER='ls' ".repeat(28),
            ")\" ls".repeat(28)
        ),
        some(
            &format!("{}cat{};", "echo a > >(".repeat(20), ")".repeat(20)),
            20,
        ),
        some(
            &format!("{}cat{};", "echo a|tee >(".repeat(20), ")".repeat(20)),
            20,
        ),
        format!("find {} {}", some("a ", 8000), some("-exec ls {} + ", 3000)),
        format!("x={}; {}", "a".repeat(4000), some("ls $x$x$x$x;", 1000)),
        format!("set -- {}; {}", "a ".repeat(1000), some("ls $@;", 1000)),
        (0..900 * kilobytes / 16)
            .map(|at| format!("f{at}(){{ f{0}; f{0}; }};", at.saturating_sub(1)))
            .collect::<Vec<_>>()
            .concat(),
        format!("foo {}", some("/a,", 4500)),
        format!("frobnicate {}", some("rm ", 4500)),
        format!("python3 -c '{}'", some("\"a b\",", 2500)),
        format!("find {} {}", some("a ", 2500), some("-exec ls {} + ", 600)),
        format!("printf '{}%s' {}", some("a", 5000), some("a ", 3500)),
        format!(
            "echo {} | xargs -I{{}} foo {}",
            some("a", 5000),
            some("{}", 4000)
        ),
        (0..256)
            .map(|at| format!("a{at}=1;"))
            .chain([some("(y=1);", 400)])
            .collect(),
        (0..6000 * kilobytes / 16)
            .map(|at| format!("echo a{at} | "))
            .collect::<Vec<_>>()
            .concat()
            + "cat",
    ]
}
