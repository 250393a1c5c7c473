//! Builtins, shells, and programs that run other programs.

use super::{Handler, Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const OPAQUE: &str = "changes how the shell reads later commands";

pub(super) const PROGRAMS: &[Row] = &[
    row(". source", Operands::Any).under(Rule::Project).explained("runs a script in this shell").with(Handler::Source),
    row(": true false", Operands::Any),
    row("alias enable bind complete compopt disown hash", Operands::Any).under(Rule::Construct).with(Handler::Alias),
    row("base64 base32 basenc", Operands::Reads)
        .flags("dDi", "--decode --ignore-garbage --base64 --base64url --base32 --base16")
        .plain("w", "--wrap")
        .with(Handler::Decoder),
    row("break continue return exit times popd dirs history fc", Operands::Any).under(Rule::Construct),
    row("busybox toybox chronic unbuffer eatmydata nocache torsocks torify dumb-init heaptrack proot", Operands::Command(0))
        .under(Rule::Construct),
    row("cat gcat", Operands::Reads)
        .flags("AbeEnstTuv", "--number --show-all --show-ends --number-nonblank --squeeze-blank")
        .with(Handler::Cat),
    row("cd pushd", Operands::Any).flags("LPen", "").with(Handler::ChangeDirectory),
    row("chrt taskset faketime", Operands::Command(1))
        .under(Rule::Construct)
        .flags("abcdfimorRv", "--all-tasks --cpu-list --batch --fifo --idle --rr --other"),
    row("command", Operands::Command(0)).flags("vVp", ""),
    row("date gdate", Operands::None)
        .flags("uR", "--utc")
        .optional("I", "--iso-8601")
        .plain("d", "--date --rfc-3339")
        .read("rf", "--file --reference")
        .triggers(&[("-s* --set*", Rule::SystemControl, "sets the clock of the machine")]),
    ruled("dmesg timedatectl hostnamectl localectl journalctl", Rule::Inspect).triggers(&[
        ("-c -C -D -n --clear set-* --set* --vacuum*", Rule::SystemControl, "changes the machine's settings or logs"),
    ]),
    row("echo printf", Operands::Any).with(Handler::Echo),
    row("entr watch watchexec", Operands::Command(0))
        .under(Rule::Endless)
        .flags("acdprszxtgeb", "--no-title --exec --errexit")
        .plain("n", "--interval")
        .optional("", "--differences"),
    row("env", Operands::Command(0))
        .under(Rule::Environment)
        .flags("i0v", "--ignore-environment --null --debug")
        .plain("u", "--unset")
        .shell("S", "--split-string")
        .displays("() -0 --null")
        .with(Handler::Env),
    row("eval", Operands::Any).under(Rule::Construct).with(Handler::Eval),
    row("exec", Operands::Command(0)).under(Rule::Construct).flags("cl", "").plain("a", "").with(Handler::Exec),
    row("export readonly declare typeset local", Operands::Any).under(Rule::Environment).with(Handler::Exports),
    row("fg bg jobs wait umask ulimit caller", Operands::Any).under(Rule::Construct).with(Handler::Test),
    row("flock", Operands::Command(1))
        .under(Rule::Construct)
        .flags("nsxuoe", "--nonblock --exclusive --shared --unlock")
        .plain("wE", "--timeout")
        .shell("c", "--command"),
    row("gdbserver ltrace strace valgrind", Operands::Command(0))
        .under(Rule::Construct)
        .flags("fTtcvyqr", "--quiet --follow-forks")
        .plain("es", "--leak-check --tool")
        .write("o", "--output --log-file"),
    row("getopts let mapfile read readarray shift unset", Operands::Any).under(Rule::Construct).with(Handler::Assign),
    row("hostname", Operands::None).under(Rule::Inspect).flags("fisIAdy", "--fqdn --short"),
    ruled("hyperfine perf time gtime script xvfb-run dbus-run-session screen tmux parallel", Rule::Construct)
        .with(Handler::Parallel),
    ruled("ifconfig ip route", Rule::Inspect).triggers(&[
        ("add del delete flush replace change set up down netmask netns", Rule::SystemControl, "changes the network of the machine"),
    ]),
    row("ionice nice", Operands::Command(0)).under(Rule::Construct).flags("#t", "").plain("nc", "--adjustment --class"),
    row("kill", Operands::Any).under(Rule::Inspect).with(Handler::Kill),
    row("ld.so", Operands::Command(0)).under(Rule::Construct).plain("", "--library-path --argv0").shell("", "--preload --audit"),
    row("nohup builtin setsid stdbuf", Operands::Command(0))
        .under(Rule::Construct)
        .flags("cfwp", "--ctty --fork --wait")
        .plain("ioe", "--input --output --error"),
    row("numactl setarch linux32 linux64 i386 x86_64 prlimit choom uclampset fakeroot tini caffeinate rlwrap cgexec", Operands::Command(0))
        .under(Rule::Construct)
        .flags("aRvsi", "--all --single-child")
        .plain("nNmgC", "--cpunodebind --membind --nofile --adjust"),
    ruled("pkill killall renice skill slay", Rule::Processes).triggers(&[
        ("-u&root -U&root -uroot -u&0 --euid&root -1 init systemd -f&.", Rule::SystemControl, "terminates processes of the system"),
    ]),
    ruled("printenv", Rule::Inspect),
    ruled("ps", Rule::Inspect).triggers(&[(
        "e ae* axe* auxe* eww* -E",
        Rule::Services,
        "shows the environment of other processes",
    )]),
    row("set shopt", Operands::Any).under(Rule::Construct).explained(OPAQUE).with(Handler::Set),
    row("sh bash dash zsh ksh mksh ash rbash fish", Operands::Any).under(Rule::Construct).with(Handler::Shell),
    row("test [", Operands::Any).with(Handler::Test),
    row("timeout gtimeout", Operands::Command(1))
        .under(Rule::Construct)
        .flags("fv", "--foreground --preserve-status --verbose")
        .plain("sk", "--signal --kill-after"),
    ruled("top htop pgrep pidof lsof ss netstat lsblk lsmod lspci lsusb man help info less more bat batcat", Rule::Inspect),
    row("trap", Operands::Any).under(Rule::Construct).with(Handler::Trap),
    row("xargs", Operands::Command(0))
        .under(Rule::Construct)
        .flags("0rtx", "--null --no-run-if-empty --verbose")
        .optional("", "--replace")
        .plain("nPLsdEI", "--max-args --max-procs --max-lines --delimiter")
        .read("a", "--arg-file")
        .with(Handler::Xargs),
];
