//! Sandboxing of programs by the operating system.

mod confinement;
mod policy;
#[cfg_attr(
    all(
        target_os = "linux",
        any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            target_arch = "riscv64"
        )
    ),
    path = "linux/mod.rs"
)]
#[cfg_attr(
    not(all(
        target_os = "linux",
        any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            target_arch = "riscv64"
        )
    )),
    path = "unsupported.rs"
)]
mod system;
mod toolchains;
mod unavailable;

use confinement::ConfinedCall;
pub(crate) use confinement::Confinement;
pub use policy::{Attributes, Sandbox};
pub use unavailable::SandboxUnavailable;
