//! Which system calls fail for a program.

mod rules;
mod table;

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::num::TryFromIntError;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompFilter, TargetArch, sock_filter,
};

use crate::shell::sandbox::{Sandbox, SandboxUnavailable};

// Instructions and offsets of the kernel's `linux/bpf_common.h` and `linux/seccomp.h`.
const LOAD_WORD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_GREATER: u16 = 0x25;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const JUMP: u16 = 0x05;
const RETURN: u16 = 0x06;
const NUMBER_OFFSET: u32 = 0;
const RETURN_ERROR: u32 = 0x0005_0000;
const RETURN_ALLOW: u32 = 0x7fff_0000;

/// From here on, numbers mean the calls of another interface (x32), which may be there as well.
const OTHER_INTERFACE: u32 = 0x4000_0000;

/// How many comparisons stand together behind one that passes over them.
const GROUP: usize = 8;

/// How many instructions of a compiled filter make sure that the call is one of this architecture.
const CHECK_LENGTH: usize = 3;

/// What becomes of a call; in the order in which the program ends.
#[derive(Debug, Clone, Copy)]
enum Outcome {
    Allowed,
    /// As if the kernel had no such call, so that programs fall back to what can be judged.
    Missing,
    Refused,
    /// Its arguments decide.
    Conditional,
}

/// The filter that `sandbox` asks for. Calls that match fail with `EPERM`; nobody is killed, so that programs can say
/// what they lack.
///
/// When a filter is set, the kernel runs it once for each call that there is, which is most of what a sandbox costs. So
/// numbers are looked up in groups, and only the few whose arguments matter come to the general form.
pub(super) fn filter(sandbox: &Sandbox) -> Result<BpfProgram, SandboxUnavailable> {
    let conditional = rules::conditional(sandbox).map_err(SandboxUnavailable::refused)?;
    let calls = outcomes(sandbox, conditional.keys()).map_err(SandboxUnavailable::refused)?;
    let general = general(conditional).map_err(SandboxUnavailable::refused)?;
    let check = general.iter().take(CHECK_LENGTH).cloned();
    let mut program: BpfProgram = check.collect();
    program.extend(look_up(&calls).map_err(SandboxUnavailable::refused)?);
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
    // Its flags lie in memory, where no filter can read them.
    let missing = (libc::SYS_clone3, Outcome::Missing);
    let all = conditional.chain(refused).chain([missing]);
    all.map(|(call, outcome)| Ok((u32::try_from(call)?, outcome)))
        .collect()
}

/// Looks the number of the call up. The general form is to follow.
fn look_up(calls: &BTreeMap<u32, Outcome>) -> Result<BpfProgram, TryFromIntError> {
    let calls: Vec<(u32, Outcome)> = calls
        .iter()
        .map(|(call, outcome)| (*call, *outcome))
        .collect();
    let groups = calls.chunks(GROUP);
    let mut program = vec![instruction(LOAD_WORD, 0, 0, NUMBER_OFFSET)];
    // Each group has a comparison before it and a jump behind it.
    let end = 2 + calls.len() + 2 * groups.len();
    let way = |from: usize, outcome: Outcome| end + outcome as usize - from - 1;
    let missing = u8::try_from(way(1, Outcome::Missing))?;
    program.push(instruction(JUMP_IF_AT_LEAST, missing, 0, OTHER_INTERFACE));
    for group in groups {
        let last = group.last().map_or(0, |(call, _)| *call);
        let over = u8::try_from(group.len() + 1)?;
        program.push(instruction(JUMP_IF_GREATER, over, 0, last));
        for (call, outcome) in group {
            let there = u8::try_from(way(program.len(), *outcome))?;
            program.push(instruction(JUMP_IF_EQUAL, there, 0, *call));
        }
        let there = u32::try_from(way(program.len(), Outcome::Allowed))?;
        program.push(instruction(JUMP, 0, 0, there));
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
