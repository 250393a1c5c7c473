//! Programs that tell about the machine or change it, and that run others under other conditions.

use super::{Operands, Row, Special, row, ruled};
use crate::shell::filter::verdict::Rule;

pub(super) const PROGRAMS: &[Row] = &[
    row("ip", "-46brsdjopcah -f=V -brief -br -details -json -4 -6 -s -stats -o -oneline -c -color? -all", Operands::Any),
    row("ifconfig route arp", "-aneseCFv", Operands::Any),
    row("who w last lastlog users", "-abdHilmpqrstTuwxFhfo -n=V -# --all", Operands::Any),
    row("getent", "", Operands::Any),
    row("dmesg", "-HTxkLwWrtuSpeEdf -l=V --level=V --human --ctime --follow --color? --since=V --until=V", Operands::None),
    row("timedatectl hostnamectl localectl", "--no-pager", Operands::Any),
    row("prlimit", "-c? -d? -e? -f? -i? -l? -m? -n? -q? -r? -s? -t? -u? -v? -x? -y? --core? --data? --nice? --fsize? --sigpending? --memlock? --rss? --nofile? --msgqueue? --rtprio? --stack? --cpu? --nproc? --as? --locks? --rttime? --raw --noheadings --output=V -p=A --pid=A", Operands::Command(0)),
    row("numactl", "-aslHb -N=V -m=V -C=V -i=V -p=V -w=V --all --localalloc --hardware --show --cpunodebind=V --membind=V --physcpubind=V --interleave=V --preferred=V --balancing", Operands::Command(0)),
    row("setarch linux32 linux64 i386 i486 i586 i686 x86_64 amd64 arm armv7l aarch64 uname26", "-3BFILRSTXZv --addr-no-randomize --3gb --32bit --fdpic-funcptrs --short-inode --read-implies-exec --mmap-page-zero --uname-2.6 --verbose --list", Operands::Command(0)),
    row("eatmydata nocache dumb-init catchsegv heaptrack torsocks torify", "-cvV --rewrite=V --single-child --", Operands::Command(0)),
    row("proxychains proxychains4", "-q -f=R", Operands::Command(0)),
    row("tini", "-swgvl -p=V -e=V", Operands::Command(0)),
    row("fakeroot", "-uhv -l=V -s=W -i=R -b=V --lib=V --unknown-is-real", Operands::Command(0)),
    row("choom", "-n=V --adjust=V -p=A --pid=A", Operands::Command(0)),
    row("uclampset", "-asR -m=V -M=V -p=A --all-tasks --system --reset-on-fork", Operands::Command(0)),
    row("chrt", "-abdefimorRv -T=V -P=V -D=V -p! --all-tasks --batch --deadline --fifo --idle --other --rr --ext --reset-on-fork --sched-runtime=V --sched-period=V --sched-deadline=V --pid! --max --verbose", Operands::Command(1)),
    row("taskset", "-ac -p! --all-tasks --cpu-list --pid!", Operands::Command(1)),
    row("ld.so", "--list --verify --library-path=V --argv0=V --preload=A --inhibit-cache --inhibit-rpath=V --audit=A --help --version", Operands::Command(0)).under(Rule::Interpreter),
    row("rlwrap", "-aAcCiImnNoprRsSuvz -f=R -H=W -l=W -b=V -D=V -e=V -P=V", Operands::Command(0)),
    row("faketime", "-mfp --exclude-monotonic", Operands::Command(1)),
    row("caffeinate", "-disum -t=V -w=V", Operands::Command(0)),
    row("cgexec", "-g=V --sticky", Operands::Command(0)).under(Rule::Opaque),
    row("sshpass", "-ev -p=V -f=R -d=V -P=V", Operands::Command(0)).under(Rule::Network),
    row("valgrind", "-qvh --tool=V --leak-check=V --show-leak-kinds=V --track-origins=V --error-exitcode=V --log-file=W --suppressions=R --num-callers=V --trace-children=V --quiet --massif-out-file=W --callgrind-out-file=W", Operands::Command(0)),
    ruled("perf", Rule::Opaque),
    row("entr", "-acdnprxsz", Operands::Command(0)).with(Special::Repeat).under(Rule::Endless),
    row("screen", "-dmDrRxALqUvls -S=V -c=A -h=V -t=V -p=V -T=V -e=V -X! -wipe -Q --version", Operands::Command(0)).under(Rule::Opaque),
    ruled("tmux", Rule::Opaque),
    row("cpio", "-0ABcdikLmopruvVt -D=T -F=R -I=R -O=W -E=L -H=V -C=V -R=A --extract --create --pass-through --list --directory=T --file=R --make-directories --preserve-modification-time --verbose --null --format=V --quiet --no-absolute-filenames --absolute-filenames!", Operands::Any),
    row("ar", "*", Operands::Any).with(Special::Archive),
    row("strip", "-sgdSxXv -o=W --strip-all --strip-debug --strip-unneeded --output=W", Operands::Writes),
];
