//! How long does a run of our agent loop take, compared with rig's agent? A scripted model, 20 tools and one call per turn.
//!
//! cargo +nightly bench --ignore-rust-version --manifest-path benches/peers/Cargo.toml --bench loop -- [--quick]

use benches::bar::{self, Bar};
use benches::measure::interleaved;
use benches::options::Options;
use peers::loops;

fn main() {
    let options = Options::from_command_line();
    let measured = interleaved(&mut loops::subjects(), options.effort);
    measured.print();
    let ratio = measured.ratio("ours", "rig");
    bar::print(&[Bar::ceiling("loop of 20 turns: ours / rig", ratio, 0.35).goal(0.2)]);
}
