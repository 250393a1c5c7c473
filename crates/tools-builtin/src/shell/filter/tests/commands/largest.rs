//! The texts that cost the most.

/// Texts of about so many kilobytes, each of another kind.
pub(crate) fn largest(kilobytes: usize) -> Vec<String> {
    let fill = |piece: &str| piece.repeat(kilobytes * 1024 / piece.len());
    let some = |piece: &str, count: usize| piece.repeat(count * kilobytes / 16);
    vec![
        fill("a"),
        fill("{"),
        fill("["),
        fill("$(("),
        fill("((("),
        fill("ls -a "),
        fill("a=b;"),
        fill("x=$x$x;"),
        fill("if "),
        fill("`"),
        fill("\\\\"),
        fill("\""),
        fill("ls && "),
        fill("<<a\n"),
        fill("${x"),
        fill("a|"),
        fill("*"),
        fill("ls a{b,c};"),
        fill("f(){ f; };"),
        fill("for i in a b c;do "),
        fill("case "),
        fill("x=1;if a;then y=$x;fi;"),
        fill("{,"),
        fill("!"),
        fill("time "),
        fill("[[ "),
        fill("eval "),
        fill("a() "),
        fill("env "),
        fill("env A=b "),
        fill("xargs "),
        fill("{a..z} "),
        fill("ls >a "),
        fill("${a:-ls} x;"),
        fill("curl -o a h;"),
        fill("PAGER=ls ls;"),
        fill("python3 -c 'run([\"a\",\"b\"])';"),
        format!("foo {}", some("sh -c ls ", 1500)),
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
        fill("ls $(ls);"),
        fill("tar xf a;"),
        fill("(ls);"),
        fill("${x:-$(ls)} "),
        format!("find {} {}", some("a ", 8000), some("-exec ls {} + ", 3000)),
        format!("x={}; {}", "a".repeat(4000), some("ls $x$x$x$x;", 1000)),
        format!("set -- {}; {}", "a ".repeat(1000), some("ls $@;", 1000)),
        (0..900 * kilobytes / 16)
            .map(|at| format!("f{at}(){{ f{0}; f{0}; }};", at.saturating_sub(1)))
            .collect::<Vec<_>>()
            .concat(),
        (0..6000 * kilobytes / 16)
            .map(|at| format!("echo a{at} | "))
            .collect::<Vec<_>>()
            .concat()
            + "cat",
    ]
}
