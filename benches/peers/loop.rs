//! Time of a run of our agent loop and of rig's, with a scripted model, 20 tools and one call per turn, and of a long run.
//!
//! cargo bench --manifest-path benches/peers/Cargo.toml --bench loop -- [--quick]

use benches::bar::{self, Bar};
use benches::measure::interleaved;
use benches::options::Options;
use peers::loops;

fn main() {
    let options = Options::from_command_line();
    let measured = interleaved(&mut loops::subjects(), options.effort);
    measured.print();
    let ratio = measured.ratio("ours", "rig");
    let long = interleaved(&mut [loops::long_run()], options.effort);
    let microseconds = long.of("long run").median / 1000.0 / f64::from(loops::LONG_TURNS + 1);
    bar::print(&[
        Bar::ceiling("loop: ours / rig", ratio, 0.5, 0.25),
        Bar::ceiling(
            "200 turns with compaction: µs per turn",
            microseconds,
            1000.0,
            100.0,
        ),
    ]);
}
