//! Which system calls fail for a program.

mod rules;
mod table;

use std::env::consts::ARCH;
use std::num::TryFromIntError;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, sock_filter};

use crate::shell::sandbox::{Sandbox, SandboxUnavailable};

// Instructions and offsets of the kernel's `linux/bpf_common.h` and `linux/seccomp.h`.
const LOAD_WORD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const JUMP: u16 = 0x05;
const RETURN: u16 = 0x06;
const NUMBER_OFFSET: u32 = 0;
const RETURN_ERROR: u32 = 0x0005_0000;

/// From here on, numbers mean the calls of another interface (x32), which may be there as well.
const OTHER_INTERFACE: u32 = 0x4000_0000;

/// The filter that `sandbox` asks for. Calls that match fail with `EPERM`; nobody is killed, so that programs can say
/// what they lack.
pub(super) fn filter(sandbox: &Sandbox) -> Result<BpfProgram, SandboxUnavailable> {
    let refused = SandboxUnavailable::refused;
    let architecture = TargetArch::try_from(ARCH).map_err(refused)?;
    let filter = SeccompFilter::new(
        rules::conditional(sandbox).map_err(refused)?,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        architecture,
    )
    .map_err(refused)?;
    let mut program =
        without_conditions(&rules::unconditional(sandbox)).map_err(SandboxUnavailable::refused)?;
    program.extend(BpfProgram::try_from(filter).map_err(refused)?);
    Ok(program)
}

/// The calls that fail whatever their arguments. Some look as if the kernel had none of them, so that programs fall back
/// to what can be judged.
///
/// The kernel runs a filter for each call that there is when a filter is set, which is most of what a sandbox costs: one
/// instruction a call is a third of what the general form takes.
fn without_conditions(forbidden: &[u32]) -> Result<BpfProgram, TryFromIntError> {
    // Its flags lie in memory, where no filter can read them.
    let clone3 = u32::try_from(libc::SYS_clone3)?;
    let mut program = vec![instruction(LOAD_WORD, 0, 0, NUMBER_OFFSET)];
    // Behind the comparisons stand a jump over the two returns, and the returns.
    let mut left = u8::try_from(forbidden.len() + 2)?;
    for (comparison, number) in [(JUMP_IF_AT_LEAST, OTHER_INTERFACE), (JUMP_IF_EQUAL, clone3)] {
        program.push(instruction(comparison, left, 0, number));
        left -= 1;
    }
    for number in forbidden {
        program.push(instruction(JUMP_IF_EQUAL, left + 1, 0, *number));
        left -= 1;
    }
    program.push(instruction(JUMP, 0, 0, 2));
    for error in [libc::ENOSYS, libc::EPERM] {
        program.push(instruction(
            RETURN,
            0,
            0,
            RETURN_ERROR | error.unsigned_abs(),
        ));
    }
    Ok(program)
}

fn instruction(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}
