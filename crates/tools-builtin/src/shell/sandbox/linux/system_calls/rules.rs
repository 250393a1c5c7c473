//! System calls that are rejected depending on their arguments.

use std::collections::BTreeMap;

use libc::{c_int, c_long};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{BackendError, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use super::table;
use crate::shell::sandbox::{Attributes, Sandbox};

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
pub(super) type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Returns the calls that `sandbox` always rejects.
pub(super) fn unconditional(sandbox: &Sandbox) -> impl Iterator<Item = c_long> {
    let attributes = (sandbox.attributes == Attributes::Frozen).then(table::attributes);
    let connects = sandbox.network || sandbox.local_services;
    let connect = (!connects).then_some(libc::SYS_connect);
    table::forbidden()
        .chain(attributes.into_iter().flatten())
        .chain(connect)
}

/// Returns the calls that `sandbox` rejects if one of their rules matches.
pub(super) fn conditional(sandbox: &Sandbox) -> Result<Rules, BackendError> {
    let mut rules = Rules::new();
    namespaces(&mut rules)?;
    limits_of_others(&mut rules)?;
    requests(&mut rules)?;
    sockets(sandbox, &mut rules)?;
    if sandbox.attributes == Attributes::Guarded {
        modes(&mut rules)?;
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

fn sockets(sandbox: &Sandbox, rules: &mut Rules) -> Result<(), BackendError> {
    if sandbox.network {
        return Ok(());
    }
    let family = libc::AF_UNIX.unsigned_abs().into();
    let is_foreign = when(0, Ne, family)?;
    add(libc::SYS_socket, [is_foreign], rules)?;
    if sandbox.local_services {
        return Ok(());
    }
    // The address of a datagram is in memory, which filters cannot read, so allow only connected
    // sockets.
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        for call in [libc::SYS_socket, libc::SYS_socketpair] {
            let is_kind = when(1, MaskedEq(SOCKET_TYPE), kind.unsigned_abs().into())?;
            add(call, [is_kind], rules)?;
        }
    }
    Ok(())
}

fn modes(rules: &mut Rules) -> Result<(), BackendError> {
    for (call, argument) in table::modes() {
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
