//! Starts daemons in many ways, ends their trees in one way and prints the surviving processes.
//!
//! cargo run -p process-tree --example survey -- [cookie|subreaper|cgroup [END [MARKER]]]
//!
//! END is one of timeout, cancel, drop and finish, or an end of this process: exit, panic, return or
//! wait. MARKER is the duration by which `pgrep -fx "sleep MARKER"` finds the daemons of a process
//! that ends.

mod ends;

fn main() -> std::io::Result<()> {
    let mut words = std::env::args().skip(1);
    let mut next = |default: &str| words.next().unwrap_or_else(|| default.to_owned());
    ends::run(&next("cgroup"), &next("drop"), &next("4999.1"))
}
