//! Parsing and expansion, checked through the listed commands.

use super::filter;

#[test]
fn lists_commands_as_bash_runs_them() {
    for (text, commands) in [
        ("ls -l", &["ls -l"][..]),
        ("a=1 ls \"$a\"", &["ls ?"]),
        ("a=1; ls \"$a\"", &["ls 1"]),
        ("ls 'a b'\"c\"d\\ e", &["ls a bcd e"]),
        ("ls {a,b}c", &["ls ac bc"]),
        ("ls $'a\\tb'", &["ls a?b"]),
        ("ls a\\\nb", &["ls ab"]),
        ("ls # cat", &["ls"]),
        ("ls a#b", &["ls a#b"]),
        ("cat <<E\nls\nE\npwd", &["cat", "pwd"]),
        ("cat <<-E\n\tls\n\tE\npwd", &["cat", "pwd"]),
        (
            "ls ~ ~/x a=~/y",
            &["ls /home/dev /home/dev/x a=/home/dev/y"],
        ),
        ("ls \"~\" '$x' \\*", &["ls ~ $x *"]),
        ("x='a b'; ls $x \"$x\"", &["ls a b a b"]),
        ("set -- a b; ls \"$@\" $1", &["set -- a b", "ls a b a"]),
        ("ls $(echo a b)", &["echo a b", "ls a b"]),
        ("a=(x y z); ls \"${a[@]}\" ${a[1]}", &["ls x y z y"]),
        ("a=(x y z); a+=(u); ls ${a[@]:2} ${a[-1]}", &["ls z u u"]),
        ("x=a.png; ls ${x%.png} ${x^^} ${x:2}", &["ls a A.PNG png"]),
        ("read x y <<< 'a b c'; ls $x $y", &["read x y", "ls a b c"]),
        (
            "printf -v x %s-%s a b; ls $x",
            &["printf -v x %s-%s a b", "ls a-b"],
        ),
        ("declare -l x=AB; ls $x", &["declare -l x=", "ls ab"]),
        ("x=a; y=x; ls ${!y}", &["ls a"]),
        ("coproc c { ls; }; coproc cat x", &["ls", "cat x"]),
        (
            "echo bHM= | base64 -d | sh",
            &["echo bHM=", "base64 -d", "sh", "ls"],
        ),
        (
            "parallel ls ::: a b",
            &["parallel ls ::: a b", "ls a", "ls b"],
        ),
        ("if ls; then cat x; else pwd; fi", &["ls", "cat x", "pwd"]),
        ("for i in a b; do ls $i; done", &["ls a", "ls b"]),
        ("[[ a =~ (b|c)d ]] && ls", &["ls"]),
        ("((x = 1 << 2)) && ls", &["ls"]),
        (
            "case x in (a|b) ls ;; *) pwd ;& c) cat; esac",
            &["ls", "pwd", "cat"],
        ),
        ("f() { ls $1; }; f a", &["f a", "ls a"]),
    ] {
        let judgement = filter().judge(text);

        let found: Vec<String> = judgement
            .commands()
            .iter()
            .map(|words| words.join(" "))
            .collect();

        assert_eq!(found, commands, "{text:?} {:?}", judgement.findings());
    }
}
