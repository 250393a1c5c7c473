//! Seccomp filter: system calls that are rejected always, or depending on their arguments.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::num::TryFromIntError;

use libc::{c_int, c_long};
use seccompiler::SeccompCmpOp::{self, Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use crate::shell::sandbox::{Attributes, Network, Sandbox, SandboxUnavailable};

// Instructions and offsets from the kernel's `linux/bpf_common.h` and `linux/seccomp.h`.
const LOAD_WORD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_GREATER: u16 = 0x25;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const JUMP: u16 = 0x05;
const RETURN: u16 = 0x06;
const NUMBER_OFFSET: u32 = 0;
const RETURN_ERROR: u32 = 0x0005_0000;
const RETURN_ALLOW: u32 = 0x7fff_0000;

/// First number of the x32 interface, which the kernel may support too.
const OTHER_INTERFACE: u32 = 0x4000_0000;

/// Number of comparisons that can be skipped together.
const GROUP: usize = 8;

/// Number of instructions of a compiled filter that check the architecture.
// Call numbers differ between architectures, so this check has to come before the lookup.
const CHECK_LENGTH: usize = 3;

/// Result of a call, in the order of the return instructions.
#[derive(Debug, Clone, Copy)]
enum Outcome {
    Allowed,
    /// Fails with `ENOSYS`, so that programs fall back to calls that can be filtered.
    Missing,
    Refused,
    /// Fails with `EOPNOTSUPP`, as on a file system without the feature, so that programs do without it.
    Unsupported,
    /// Depends on the arguments.
    Conditional,
}

/// Compiles the filter for `sandbox`. Rejected calls fail with `EPERM` and do not kill the program,
/// so that it can report the error.
///
/// When a filter is installed, the kernel runs it for every system call number, which is most of
/// the cost of a sandbox. Therefore numbers are looked up in groups, and only calls with relevant
/// arguments reach the general filter.
pub(super) fn filter(sandbox: &Sandbox) -> Result<BpfProgram, SandboxUnavailable> {
    let conditional = conditional(sandbox).map_err(SandboxUnavailable::refused)?;
    let calls = outcomes(sandbox, conditional.keys()).map_err(SandboxUnavailable::refused)?;
    let general = general(conditional).map_err(SandboxUnavailable::refused)?;
    let check = general.iter().take(CHECK_LENGTH).cloned();
    let mut program: BpfProgram = check.collect();
    program.extend(look_up(calls).map_err(SandboxUnavailable::refused)?);
    program.extend(general);
    Ok(program)
}

fn general(conditional: Rules) -> Result<BpfProgram, BackendError> {
    let filter = SeccompFilter::new(
        conditional,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        TargetArch::try_from(ARCH)?,
    )?;
    BpfProgram::try_from(filter)
}

fn outcomes<'r>(
    sandbox: &Sandbox,
    conditional: impl Iterator<Item = &'r i64>,
) -> Result<BTreeMap<u32, Outcome>, TryFromIntError> {
    let conditional = conditional.map(|call| (*call, Outcome::Conditional));
    let mut all: Vec<(c_long, Outcome)> = conditional.collect();
    let refused = unconditional(sandbox).into_iter();
    all.extend(refused.map(|call| (call, Outcome::Refused)));
    if sandbox.attributes == Attributes::Guarded {
        let unsupported = EXTENDED_ATTRIBUTES.iter();
        all.extend(unsupported.map(|call| (*call, Outcome::Unsupported)));
    }
    // Its flags are in memory, which filters cannot read.
    all.push((libc::SYS_clone3, Outcome::Missing));
    all.into_iter()
        .map(|(call, outcome)| Ok((u32::try_from(call)?, outcome)))
        .collect()
}

/// Generates the lookup of the call number. The general filter must follow.
fn look_up(calls: BTreeMap<u32, Outcome>) -> Result<BpfProgram, TryFromIntError> {
    let calls: Vec<(u32, Outcome)> = calls.into_iter().collect();
    let groups = calls.chunks(GROUP);
    let mut program = vec![instruction(LOAD_WORD, 0, 0, NUMBER_OFFSET)];
    // Each group has one comparison before it and one jump after it.
    let end = 2 + calls.len() + 2 * groups.len();
    let distance = |from: usize, outcome: Outcome| end + outcome as usize - from - 1;
    // Conditional jumps of BPF have 8 bits. With too many calls, creating the filter fails, and nothing runs.
    let missing = u8::try_from(distance(1, Outcome::Missing))?;
    program.push(instruction(JUMP_IF_AT_LEAST, missing, 0, OTHER_INTERFACE));
    for group in groups {
        let last = group.last().map_or(0, |(call, _)| *call);
        let over = u8::try_from(group.len() + 1)?;
        program.push(instruction(JUMP_IF_GREATER, over, 0, last));
        for (call, outcome) in group {
            let target = u8::try_from(distance(program.len(), *outcome))?;
            program.push(instruction(JUMP_IF_EQUAL, target, 0, *call));
        }
        // An unconditional jump has 32 bits.
        let target = u32::try_from(distance(program.len(), Outcome::Allowed))?;
        program.push(instruction(JUMP, 0, 0, target));
    }
    for action in [
        RETURN_ALLOW,
        RETURN_ERROR | libc::ENOSYS.unsigned_abs(),
        RETURN_ERROR | libc::EPERM.unsigned_abs(),
        RETURN_ERROR | libc::EOPNOTSUPP.unsigned_abs(),
    ] {
        program.push(instruction(RETURN, 0, 0, action));
    }
    Ok(program)
}

fn instruction(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// Namespace flags of `clone`; `unshare` supports one more.
const NAMESPACES: [c_int; 7] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];
// Not for `clone`, where this bit is part of the signal for the parent.
const NEW_TIME: c_int = 0x80;

/// `ioctl` requests that insert terminal input or set file flags such as immutable, which even root
/// cannot bypass.
// TIOCSTI, TIOCLINUX, FS_IOC_SETFLAGS and FS_IOC_FSSETXATTR.
const REQUESTS: [u64; 4] = [0x5412, 0x541C, 0x4008_6602, 0x401C_5820];

/// Families of sockets for network access: IPv4, IPv6, and the one that lists addresses and routes.
const NETWORK: [c_int; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Bits of a socket type that are not flags.
const SOCKET_TYPE: u64 = 0xF;

/// Forbidden file modes, as mask and value: set-user-id, set-group-id, writable by others, not
/// readable by the owner.
const HARMFUL_MODES: [(u64, u64); 4] = [
    (0o4000, 0o4000),
    (0o2000, 0o2000),
    (0o002, 0o002),
    (0o400, 0),
];

/// Rules that reject a call, by call number.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Returns the calls that `sandbox` always rejects.
fn unconditional(sandbox: &Sandbox) -> Vec<c_long> {
    let mut calls = FORBIDDEN.to_vec();
    if sandbox.attributes == Attributes::Frozen {
        calls.extend([ATTRIBUTES, EXTENDED_ATTRIBUTES].concat());
    }
    if !has_sockets(sandbox) {
        // `connect` too, because a program may inherit a socket of the host.
        calls.extend([libc::SYS_socket, libc::SYS_connect]);
    }
    calls
}

/// Returns whether programs may open sockets of IPv4 and IPv6.
fn opens_ip(sandbox: &Sandbox) -> bool {
    sandbox.network != Network::Refused
}

/// Returns whether programs may open sockets of any family.
fn has_sockets(sandbox: &Sandbox) -> bool {
    opens_ip(sandbox) || sandbox.local_services
}

/// Returns the calls that `sandbox` rejects if one of their rules matches.
fn conditional(sandbox: &Sandbox) -> Result<Rules, BackendError> {
    let mut rules = Rules::new();
    namespaces(&mut rules)?;
    limits_of_others(&mut rules)?;
    requests(&mut rules)?;
    if has_sockets(sandbox) {
        sockets(sandbox, &mut rules)?;
    }
    pairs(sandbox, &mut rules)?;
    if sandbox.attributes == Attributes::Guarded {
        mode_rules(&mut rules)?;
    }
    Ok(rules)
}

fn namespaces(rules: &mut Rules) -> Result<(), BackendError> {
    for flag in NAMESPACES {
        add(libc::SYS_clone, [has(0, flag)?], rules)?;
        add(libc::SYS_unshare, [has(0, flag)?], rules)?;
    }
    add(libc::SYS_unshare, [has(0, NEW_TIME)?], rules)
}

/// Rejects setting limits of other processes, which could kill them.
fn limits_of_others(rules: &mut Rules) -> Result<(), BackendError> {
    let another = when(0, Ne, 0)?;
    // A pointer: its lower half alone can be 0.
    let is_set = SeccompCondition::new(2, SeccompCmpArgLen::Qword, Ne, 0)?;
    add(libc::SYS_prlimit64, [another, is_set], rules)
}

fn requests(rules: &mut Rules) -> Result<(), BackendError> {
    for request in REQUESTS {
        let is_request = when(1, Eq, request)?;
        add(libc::SYS_ioctl, [is_request], rules)?;
    }
    Ok(())
}

/// Rejects sockets of all families except those that the sandbox allows.
fn sockets(sandbox: &Sandbox, rules: &mut Rules) -> Result<(), BackendError> {
    let network: &[c_int] = if opens_ip(sandbox) { &NETWORK } else { &[] };
    let services = sandbox.local_services.then_some(&libc::AF_UNIX);
    let allowed = network.iter().chain(services);
    let is_other: Result<Vec<_>, _> = allowed
        .map(|family| when(0, Ne, family.unsigned_abs().into()))
        .collect();
    rules
        .entry(libc::SYS_socket)
        .or_default()
        .push(SeccompRule::new(is_other?)?);
    // Other protocols reach services such as udev.
    let is_netlink = when(0, Eq, libc::AF_NETLINK.unsigned_abs().into())?;
    let is_unrelated = when(2, Ne, libc::NETLINK_ROUTE.unsigned_abs().into())?;
    add(libc::SYS_socket, [is_netlink, is_unrelated], rules)?;
    Ok(())
}

/// Rejects pairs of sockets that could send to another one, unless the sandbox allows local services.
fn pairs(sandbox: &Sandbox, rules: &mut Rules) -> Result<(), BackendError> {
    if sandbox.local_services {
        return Ok(());
    }
    // The address of a datagram is in memory, which filters cannot read, so allow only connected pairs.
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        let is_kind = when(1, MaskedEq(SOCKET_TYPE), kind.unsigned_abs().into())?;
        add(libc::SYS_socketpair, [is_kind], rules)?;
    }
    Ok(())
}

fn mode_rules(rules: &mut Rules) -> Result<(), BackendError> {
    for (call, argument) in MODES.iter().copied() {
        for (mask, value) in HARMFUL_MODES {
            let is_harmful = when(argument, MaskedEq(mask), value)?;
            add(call, [is_harmful], rules)?;
        }
    }
    Ok(())
}

fn add<const N: usize>(
    call: c_long,
    conditions: [SeccompCondition; N],
    rules: &mut Rules,
) -> Result<(), BackendError> {
    let rule = SeccompRule::new(conditions.into())?;
    rules.entry(call).or_default().push(rule);
    Ok(())
}

fn has(argument: u8, flag: c_int) -> Result<SeccompCondition, BackendError> {
    let flag = u64::from(flag.unsigned_abs());
    when(argument, MaskedEq(flag), flag)
}

/// Compares the lower 32 bits of an argument.
fn when(
    argument: u8,
    comparison: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    // The kernel ignores the upper half of such an argument. If we compared it, a program could set it and pass.
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, comparison, value)
}

/// Calls that are always rejected.
const FORBIDDEN: &[c_long] = &[
    // Access to other processes.
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    // What bypasses the other rules: `io_uring` performs other calls inside the kernel, where no filter sees them; handles
    // open files without a path.
    libc::SYS_bpf,
    libc::SYS_fanotify_init,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_setns,
    libc::SYS_userfaultfd,
    // User and session keyrings.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // Changes of the file system layout.
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_umount2,
    // open_tree_attr, which the libc crate does not define yet.
    467,
    // System administration.
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    // kexec_file_load
    #[cfg(not(target_arch = "x86_64"))]
    294,
    // file_setattr, which the libc crate does not define yet.
    469,
];

/// Changes of modes, owners and times; rejected if attributes are frozen.
const ATTRIBUTES: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
];

/// Changes of extended attributes, which contain access control lists; rejected unless attributes are free.
const EXTENDED_ATTRIBUTES: &[c_long] = &[
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
    // setxattrat and removexattrat, which the libc crate does not define yet.
    463,
    466,
];

/// Calls that change a file mode, with the index of the mode argument.
const MODES: &[(c_long, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
];
