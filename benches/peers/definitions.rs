//! Cost of requesting the definitions of 100 tools repeatedly, here and in rig.
//!
//! cargo bench --manifest-path benches/peers/Cargo.toml --bench definitions -- [--quick]

use benches::bar::{self, Bar};
use benches::measure::interleaved;
use benches::options::Options;
use peers::definitions;
use peers::table::{self, Row};

fn main() {
    let options = Options::from_command_line();
    let counts = table::counts(env!("CARGO_BIN_EXE_allocations"));
    let case = "definitions";
    let measured = interleaved(&mut definitions::subjects(), options.effort);
    let rows = table::rows(case, &measured, &counts);
    let subjects = [("ours", "ours, unchanged registry"), ("rig", "rig")];
    println!("{}", table::table(&rows, &[case], &subjects));
    let ratio = measured.ratio("ours", "rig");
    let ours = table::row(&rows, case, "ours");
    bar::print(&[
        Bar::ceiling("definitions: ours / rig", ratio, 0.001, 0.0001),
        Bar::ceiling("definitions: allocations", allocations(ours), 0.0, 0.0),
    ]);
}

fn allocations(row: &Row) -> f64 {
    u32::try_from(row.allocations).map_or(f64::INFINITY, f64::from)
}
