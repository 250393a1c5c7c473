//! The shell's own commands, shells, and programs that run other programs.

use super::{Operands, Row, Special, row, ruled};
use crate::shell::filter::verdict::Rule;

const SHELL_OPTIONS: &str = "-ceuxvnilsfhpabmkCEBHPT -o=V -O=V --norc --noprofile --login --posix --version --help --rcfile=A --init-file=A";

pub(super) const PROGRAMS: &[Row] = &[
    row("true false : break continue exit return times hash", "*", Operands::Any),
    row("pwd", "-LP --logical --physical", Operands::None),
    row("wait jobs fg bg", "-nlprs -p=V -#", Operands::Any),
    row("sleep", "", Operands::Any),
    row("umask ulimit", "*", Operands::Any),
    row("shopt", "-supqo", Operands::Any),
    row("enable alias unalias bind complete compopt disown history fc", "*", Operands::Any).under(Rule::Opaque),
    row("type which whereis whatis", "-atpPfsmb", Operands::Any),
    row("help man info", "-k", Operands::Any),
    row("cd pushd", "-LPen", Operands::Any).with(Special::ChangeDirectory),
    row("popd dirs", "*", Operands::Any).with(Special::ChangeDirectory),
    row("read mapfile readarray unset getopts let shift", "*", Operands::Any).with(Special::Assign),
    row("export readonly declare typeset local", "-aAfFgiIlnprtux", Operands::Any).with(Special::Export),
    row("set", "*", Operands::Any).with(Special::Set),
    row("echo", "*", Operands::Any).with(Special::Echo),
    row("printf", "*", Operands::Any).with(Special::Echo),
    row("test [", "*", Operands::Any),
    row("trap", "-lp", Operands::Any).with(Special::Trap),
    row("eval", "*", Operands::Any).with(Special::Eval),
    row("source .", "*", Operands::Any).with(Special::Source),
    row("sh bash dash zsh ksh mksh ash rbash fish", SHELL_OPTIONS, Operands::Command(0)).with(Special::Shell),
    row("env", "-i0v -u=V -C=D -S=C --ignore-environment --null --unset=V --chdir=D --split-string=C --debug --version --help", Operands::Command(0)).with(Special::Env),
    row("xargs", "-0rtx -n=V -P=V -L=V -s=V -d=V -E=V -I=V -a=R --null --no-run-if-empty --max-args=V --max-procs=V --max-lines=V --delimiter=V --replace? --verbose --arg-file=R", Operands::Command(0)).with(Special::Xargs),
    row("find gfind", "*", Operands::Any).with(Special::Find),
    row("nohup setsid command builtin time chronic busybox toybox unbuffer catchsegv", "-pvVwcf -o=W -f=V", Operands::Command(0)),
    row("exec", "-cl -a=V", Operands::Command(0)),
    row("nice", "-n=V -# --adjustment=V", Operands::Command(0)),
    row("ionice", "-t -c=V -n=V -p=A", Operands::Command(0)),
    row("chrt taskset", "-bfiora", Operands::Command(1)),
    row("stdbuf", "-i=V -o=V -e=V --input=V --output=V --error=V", Operands::Command(0)),
    row("timeout gtimeout", "-fv -s=V -k=V --signal=V --kill-after=V --foreground --preserve-status --verbose", Operands::Command(1)),
    row("flock", "-nsxuwo -c=C -w=V -E=V --nonblock --timeout=V --exclusive --shared --command=C", Operands::Command(1)),
    row("watch", "-dtgebcx -n=V --interval=V --differences? --no-title --errexit --exec", Operands::Command(0)).with(Special::Eval).under(Rule::Endless),
    row("script", "-qaef -c=C -O=W --command=C --quiet --append", Operands::Writes),
    row("strace ltrace", "-fTtcvyqr -e=V -o=W -s=V -p=A", Operands::Command(0)),
    row("parallel", "-k -j=V --jobs=V --dry-run --keep-order", Operands::Command(0)).under(Rule::Opaque),
    row("xvfb-run dbus-run-session", "-a -s=V", Operands::Command(0)),
    row("kill", "*", Operands::Any).with(Special::Kill),
    ruled("pkill killall renice skill", Rule::Processes),
    ruled("ssh", Rule::Network),
];
