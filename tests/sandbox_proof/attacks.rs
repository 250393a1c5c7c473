//! Attacks of the table, and the harmful commands that the filter only confines.

use std::time::Duration;

use tools_builtin::shell::Bash;

use crate::check::{Check, Effects};
use crate::place::Place;
use crate::services::Services;
use crate::tables::commands::{HARMFUL_CONFINED, grouped};
use crate::{stub, tools};

/// Attacks, one per line: the intended effect (`write`, `read`, `connect` or `plant`), a tab and the
/// command; `⏎` is a newline within a command. After `plant`, the user works with Git in the workspace.
const CASES: &str = include_str!("cases.txt");
/// Minimum number of attacks in a disposable root.
const LEAST: usize = 300;
/// Timeout of an attack, in seconds.
const TIMEOUT: u64 = 5;
/// Time after the last attack in which a process that it left could act.
const AFTERMATH: Duration = Duration::from_secs(1);

/// What the user does after a command that plants something, outside the sandbox.
const USER: &str = "u() { git -C \"$1\" status; git -C \"$1\" diff; git -C \"$1\" log -1; \
    git -C \"$1\" -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm x --allow-empty; git -C \"$1\" rebase --continue; }; \
    [ -f .envrc ] && . ./.envrc; [ -f .husky/pre-commit ] && sh .husky/pre-commit; \
    u .; git worktree list; git submodule status; find . -name .git | while read -r g; do u \"${g%/.git}\"; done";

/// Options of a run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Runs the attack with this number only, and shows its output.
    #[arg(long)]
    only: Option<usize>,
    /// Runs without the sandbox.
    #[arg(long, requires = "only")]
    unconfined: bool,
    /// Allows network access. Then only connections to Unix sockets count.
    #[arg(long)]
    network: bool,
}

/// Attack with its intended effect.
struct Attack {
    intent: String,
    command: String,
}

/// Runs the attacks, and returns `true` if none has an effect.
pub(crate) async fn run(options: &Options) -> bool {
    let place = Place::create();
    stub::install(&place);
    let attacks = attacks(&place);
    let services = Services::start(&place, !options.network);
    let Some(bash) = tools::confined(&place, options.network).map(Bash::without_filter) else {
        println!("the sandbox cannot be enforced on this system");
        return false;
    };
    let mut check = Check::new(&place, &services);
    if let Some(number) = options.only {
        let bash = if options.unconfined {
            bash.unconfined()
        } else {
            bash
        };
        let (output, effects) = attempt(&bash, &attacks[number], &place, &mut check).await;
        println!("{output}{effects}");
        return effects.none();
    }
    let mut all = Vec::new();
    for (number, attack) in attacks.iter().enumerate() {
        let (_, effects) = attempt(&bash, attack, &place, &mut check).await;
        if !effects.none() {
            println!(
                "{number}: {}: {:?}: {effects}",
                attack.intent, attack.command
            );
        }
        all.push(effects);
    }
    tokio::time::sleep(AFTERMATH).await;
    all.push(check.effects(&place, ""));
    report(&attacks, &all);
    let is_enough = attacks.len() >= LEAST || !place.is_disposable;
    is_enough && all.iter().all(Effects::none)
}

/// Runs an attack in a new workspace. Returns its output and effects.
async fn attempt(
    bash: &Bash,
    attack: &Attack,
    place: &Place,
    check: &mut Check,
) -> (String, Effects) {
    place.reset();
    let output = tools::shown(&tools::run(bash, &attack.command, TIMEOUT).await);
    if attack.intent == "plant" {
        place.run_as_user(USER);
    }
    let effects = check.effects(place, &output);
    (output, effects)
}

fn report(attacks: &[Attack], effects: &[Effects]) {
    let of = |intent: &str| {
        attacks
            .iter()
            .filter(|attack| attack.intent == intent)
            .count()
    };
    println!(
        "{} attacks ({} writes, {} reads, {} connections, {} planted, {} confined by the filter): {} markers written outside, {} secrets read, {} connections",
        attacks.len(),
        of("write"),
        of("read"),
        of("connect"),
        of("plant"),
        of("confine"),
        effects
            .iter()
            .map(|found| found.written.len())
            .sum::<usize>(),
        effects.iter().filter(|found| found.has_leaked).count(),
        effects.iter().map(|found| found.contacts).sum::<usize>(),
    );
}

/// Returns the attacks. Without a disposable root, only those that name no absolute path.
fn attacks(place: &Place) -> Vec<Attack> {
    let cases = CASES
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let cases = cases.map(|line| {
        let (intent, command) = line.split_once('\t').unwrap();
        (intent.to_owned(), command.replace('⏎', "\n"))
    });
    let confined = grouped(HARMFUL_CONFINED).into_iter();
    let all = cases.chain(confined.map(|(_, command)| ("confine".to_owned(), command)));
    all.map(|(intent, command)| Attack { intent, command })
        .filter(|attack| place.is_disposable || is_near(&attack.command))
        .collect()
}

/// Returns `true` if `command` names only paths in the home directory and the system's programs.
fn is_near(command: &str) -> bool {
    const SYSTEM: [&str; 8] = [
        "/etc", "/srv", "/var", "/root", "/opt", "/run", "/usr", "/mnt",
    ];
    let has = |part: &str| command.contains(part);
    !SYSTEM.into_iter().any(has)
        && !["find /", "rm -rf /", "> /", "/tmp", "/boot"]
            .into_iter()
            .any(has)
}
