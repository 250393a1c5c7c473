//! Builtins, shells, and programs that run other programs.

use super::{Handler, Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const OPAQUE: &str = "changes how the shell reads later commands";

pub(super) const PROGRAMS: &[Row] = &[
    row(". source", Operands::Any, "")
        .under(Rule::Opaque)
        .explained("runs a script in this shell")
        .with(Handler::Source),
    row(": true false", Operands::Any, "*"),
    row("alias complete compopt", Operands::AtMost(0), "-p")
        .under(Rule::Construct)
        .otherwise(Rule::Opaque, OPAQUE),
    row("base64 base32 basenc", Operands::Reads, "-dDi --decode --ignore-garbage --base64 --base64url --base32 --base16 -w= --wrap=").decodes(),
    row("bind disown enable", Operands::AtMost(0), "-arlph")
        .under(Rule::Construct)
        .otherwise(Rule::Opaque, OPAQUE),
    row("break continue exit", Operands::AtMost(1), "").under(Rule::Construct),
    row("builtin nohup setsid", Operands::Command(0), "-cfw --ctty --fork --wait").under(Rule::Construct),
    row("busybox toybox chronic unbuffer eatmydata nocache torsocks torify dumb-init heaptrack proot", Operands::Command(0), "").under(Rule::Construct),
    row("caller dirs fc history jobs return times ulimit umask wait", Operands::Any, "-lprnaScHhtuvmsf#")
        .under(Rule::Construct)
        .with(Handler::Names),
    row("cat gcat", Operands::Reads, "-AbeEnstTuv --number --show-all --show-ends --number-nonblank --squeeze-blank"),
    row("cd pushd", Operands::AtMost(1), "-LPe").with(Handler::ChangeDirectory),
    row("chrt taskset faketime", Operands::Command(1), "-abcdfimorRv --all-tasks --cpu-list --batch --fifo --idle --rr --other").under(Rule::Construct),
    row("command", Operands::Any, "-vVp").needs("-v -V").under(Rule::Inspect),
    row("command", Operands::Command(0), "-p").under(Rule::Construct),
    row("date gdate", Operands::Formats, "-uR --utc -I? --iso-8601? -d= --date= --rfc-3339= -rf< --file< --reference<")
        .alarms(&[("-s* --set*", Rule::SystemControl, "sets the clock of the machine")]),
    ruled("dmesg timedatectl hostnamectl localectl journalctl", Rule::Inspect).alarms(&[
        ("-c -C -D -n --clear set-* --set* --vacuum*", Rule::SystemControl, "changes the machine's settings or logs"),
    ]),
    row("echo printf", Operands::Any, "*").with(Handler::Print),
    row("entr watchexec", Operands::Command(0), "-acdprz --exec --errexit -n= --interval=").under(Rule::Endless),
    row("env", Operands::AtMost(0), "-0 --null").under(Rule::Inspect),
    row("env", Operands::Command(0), "-i0v --ignore-environment --null --debug -u= --unset= -S! --split-string!")
        .under(Rule::Environment)
        .with(Handler::Env),
    row("eval", Operands::Any, "*").under(Rule::Opaque).with(Handler::Eval),
    row("exec", Operands::Command(0), "-cl -a=").under(Rule::Construct).with(Handler::Exec),
    row("export readonly declare typeset local", Operands::Any, "*").under(Rule::Environment).with(Handler::Names),
    row("fg bg", Operands::AtMost(1), "").under(Rule::Construct),
    row("flock", Operands::Command(1), "-nsxuoe --nonblock --exclusive --shared --unlock -wE= --timeout= -c! --command!").under(Rule::Construct),
    row("gdbserver ltrace strace valgrind", Operands::Command(0), "-fTtcvyqr --quiet --follow-forks -es= --leak-check= --tool= -o> --output> --log-file>").under(Rule::Construct),
    row("getopts let mapfile read readarray shift unset", Operands::Any, "*").under(Rule::Construct).with(Handler::Names),
    row("hash", Operands::Any, "-r").under(Rule::Construct).otherwise(Rule::Opaque, OPAQUE),
    row("hostname", Operands::AtMost(0), "-fisIAdy --fqdn --short").under(Rule::Inspect),
    row("hyperfine perf time gtime script xvfb-run dbus-run-session parallel", Operands::Script, "-adpqvikgNLmx --warmup= --runs= --style= --export-json> --export-markdown> -o> --output> -wrnjfetS= --interval= -c! --command! --prepare! --setup! --cleanup!")
        .under(Rule::Construct),
    ruled("ifconfig ip route", Rule::Inspect).alarms(&[
        ("add del delete flush replace change set up down netmask netns", Rule::SystemControl, "changes the network of the machine"),
    ]),
    row("ionice nice", Operands::Command(0), "-#t -nc= --adjustment= --class=").under(Rule::Construct),
    row("kill", Operands::Any, "*").under(Rule::Inspect).with(Handler::Kill),
    row("ld.so", Operands::Command(0), "--library-path= --argv0= --preload! --audit!").under(Rule::Construct),
    row("numactl setarch linux32 linux64 i386 x86_64 prlimit choom uclampset fakeroot tini caffeinate rlwrap cgexec", Operands::Command(0), "-aRvsi --all --single-child -nNmgC= --cpunodebind= --membind= --nofile= --adjust=").under(Rule::Construct),
    ruled("pkill killall renice skill slay", Rule::Processes).alarms(&[
        ("-u&root -U&root -uroot -u&0 --euid&root -1 init systemd -f&.", Rule::SystemControl, "terminates processes of the system"),
    ]),
    row("popd", Operands::AtMost(0), "").under(Rule::Construct).with(Handler::ChangeDirectory),
    ruled("printenv", Rule::Inspect),
    ruled("ps", Rule::Inspect).alarms(&[("e ae* axe* auxe* eww* -E", Rule::Services, "shows the environment of other processes")]),
    row("screen tmux", Operands::Script, "*").under(Rule::Services),
    row("set", Operands::Any, "*").under(Rule::Construct).with(Handler::Set),
    row("sh bash dash zsh ksh mksh ash rbash fish", Operands::Any, "*").under(Rule::Construct).with(Handler::Shell),
    row("shopt", Operands::Any, "*").under(Rule::Construct).with(Handler::Set),
    row("stdbuf", Operands::Command(0), "-ioe= --input= --output= --error=").under(Rule::Construct),
    row("test [", Operands::Any, "*").with(Handler::Test),
    row("timeout gtimeout", Operands::Command(1), "-fv --foreground --preserve-status --verbose -sk= --signal= --kill-after=").under(Rule::Construct),
    ruled("top htop pgrep pidof lsof ss netstat lsblk lsmod lspci lsusb man help info less more bat batcat", Rule::Inspect),
    row("trap", Operands::Any, "*").under(Rule::Construct).with(Handler::Trap),
    row("watch", Operands::Script, "-bcdegtwx --no-title --color --exec --errexit --chgexit -n= --interval= --differences?").under(Rule::Endless),
    row("xargs", Operands::Command(0), "-0rtx --null --no-run-if-empty --verbose --replace? -nPLsdEI= --max-args= --max-procs= --max-lines= --delimiter= -a< --arg-file<")
        .under(Rule::Construct)
        .with(Handler::Xargs),
];
