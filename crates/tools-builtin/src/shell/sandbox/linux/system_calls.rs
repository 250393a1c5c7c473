//! Seccomp filter.

mod rules;
mod table;

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::num::TryFromIntError;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompFilter, TargetArch, sock_filter,
};

use crate::shell::sandbox::{Sandbox, SandboxUnavailable};

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
    let conditional = rules::conditional(sandbox).map_err(SandboxUnavailable::refused)?;
    let calls = outcomes(sandbox, conditional.keys()).map_err(SandboxUnavailable::refused)?;
    let general = general(conditional).map_err(SandboxUnavailable::refused)?;
    let check = general.iter().take(CHECK_LENGTH).cloned();
    let mut program: BpfProgram = check.collect();
    program.extend(look_up(calls).map_err(SandboxUnavailable::refused)?);
    program.extend(general);
    Ok(program)
}

fn general(conditional: rules::Rules) -> Result<BpfProgram, BackendError> {
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
    let refused = rules::unconditional(sandbox).map(|call| (call, Outcome::Refused));
    // Its flags are in memory, which filters cannot read.
    let missing = (libc::SYS_clone3, Outcome::Missing);
    let all = conditional.chain(refused).chain([missing]);
    all.map(|(call, outcome)| Ok((u32::try_from(call)?, outcome)))
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
    ] {
        program.push(instruction(RETURN, 0, 0, action));
    }
    Ok(program)
}

fn instruction(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}
