//! Parsing and expansion, checked through the listed commands.

use super::filter;

#[test]
fn lists_commands_as_bash_runs_them() {
    for (text, commands) in [
        ("ls -l", &["ls -l"][..]),
        ("a=1 ls \"$a\"", &["a=1", "ls ?"]),
        ("a=1; ls \"$a\"", &["a=1", "ls ?"]),
        ("ls 'a b'\"c\"d\\ e", &["ls a bcd e"]),
        ("ls {a,b}c", &["ls {a,b}c"]),
        ("ls f{08..10}.x", &["ls f{08..10}.x"]),
        (
            "ls $TMPDIR/a \"$HOME\" $PWD",
            &["ls $TMPDIR/a /home/dev /home/dev/project"],
        ),
        (
            "HOME=x; ls ~ $HOME",
            &["HOME=x", "ls /home/dev /home/dev", "ls ? ?"],
        ),
        ("ls a\\\nb", &["ls ab"]),
        ("ls # cat", &["ls"]),
        ("cat <<E\nls\nE\npwd", &["cat", "pwd"]),
        ("ls ~ ~/x", &["ls /home/dev /home/dev/x"]),
        ("ls \"~\" '$x' \\*", &["ls ~ $x *"]),
        ("set -- a b; ls \"$@\" $1", &["set -- a b", "ls ? ?"]),
        ("ls $(echo a b)", &["echo a b", "ls ?"]),
        (
            "echo bHM= | base64 -d | sh",
            &["echo bHM=", "base64 -d", "sh"],
        ),
        ("if ls; then cat x; fi", &["ls", "cat x"]),
        ("for i in a b; do ls $i; done", &["ls ?"]),
        ("f() { ls $1; }; f a", &["ls ?", "f a"]),
        (
            "env A=1 timeout 5 ls",
            &["env A=1 timeout 5 ls", "timeout 5 ls", "ls"],
        ),
        ("ls > out.txt", &["> out.txt", "ls"]),
    ] {
        let judgement = filter().judge(text);

        let found: Vec<String> = judgement
            .commands()
            .iter()
            .map(|command| command.words().join(" "))
            .collect();

        assert_eq!(found, commands, "{text:?} {:?}", judgement.findings());
    }
}
