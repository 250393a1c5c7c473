//! What does it cost to ask for the definitions of a hundred tools again, here and in rig?
//!
//! cargo bench --manifest-path benches/peers/Cargo.toml --bench definitions -- [--quick]

use benches::options::Options;
use peers::bars::{self, Bar};
use peers::{definitions, table};

fn main() {
    let options = Options::from_command_line();
    let counts = table::counts(env!("CARGO_BIN_EXE_allocations"));
    let case = "definitions";
    let rows = table::rows(case, &mut definitions::subjects(), &counts, options.effort);
    let subjects = [("ours", "ours, unchanged registry"), ("rig", "rig")];
    println!("{}\n", table::table(&rows, &[case], &subjects));
    let [ours, rig] = ["ours", "rig"].map(|subject| table::row(&rows, case, subject));
    println!("{}", bars::HEADING);
    let ratio = ours.median_ns / rig.median_ns;
    println!(
        "{}",
        Bar::new("definitions: ours / rig", ratio, 0.001, 0.0001)
    );
    println!("definitions: {} allocations, aim 0", ours.allocations);
}
