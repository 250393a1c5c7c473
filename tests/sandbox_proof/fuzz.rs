//! Mutated commands whose verdict is `allow` or `confine`.
//!
//! Commands with the verdict `allow` run without the sandbox in a disposable root, because the
//! verdict claims that they only read the workspace. The others run in the sandbox, one half with
//! stub programs.

use std::time::{Duration, Instant};
use std::{mem, slice};

use shell_verdict::{CommandFilter, CommandVerdict};
use tokio::task::JoinSet;
use tools_builtin::shell::{Bash, Environment, workspace_filter};

use crate::check::{Check, Effects};
use crate::mutation::{Mutator, Random};
use crate::place::Place;
use crate::services::Services;
use crate::tables::commands::{
    self, DOUBTFUL, EVALUATED, FORBIDDEN, HARMFUL, HARMFUL_LINES, HARMLESS, ORDINARY,
};
use crate::{stub, tools};

/// Number of commands between two checks.
const BATCH: usize = 100;
/// Number of commands that run concurrently.
const CONCURRENT: usize = 10;
/// Timeout of a command, in seconds.
const TIMEOUT: u64 = 1;
/// Time after the last command in which a process that it left could act.
const AFTERMATH: Duration = Duration::from_secs(1);

/// Options of a run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Seed of the pseudorandom numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of commands to run.
    #[arg(long, default_value_t = usize::MAX)]
    count: usize,
    /// Time after which no further commands start.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

/// Forms in which a batch runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Unconfined,
    Confined,
    WithStubs,
}

/// State of a run.
struct Fuzz {
    place: Place,
    check: Check,
    filter: CommandFilter,
    unconfined: Bash,
    confined: Bash,
    with_stubs: Bash,
    random: Random,
    mutator: Mutator,
    /// Number of commands with the verdict `allow`, and with `confine`.
    counts: [usize; 2],
    failures: usize,
}

/// Runs commands, and returns `true` if none has an effect outside the workspace.
pub(crate) async fn run(options: &Options) -> bool {
    let Some(mut fuzz) = Fuzz::new(options.seed) else {
        println!("the sandbox cannot be enforced on this system");
        return false;
    };
    let started = Instant::now();
    let (mut allowed, mut confined) = (Vec::new(), Vec::new());
    let mut generated = 0;
    while fuzz.ran() < options.count && started.elapsed() < Duration::from_secs(options.seconds) {
        let command = fuzz.mutator.next(&mut fuzz.random);
        generated += 1;
        match fuzz.filter.judge(&command).verdict() {
            CommandVerdict::Allow => allowed.push(command),
            CommandVerdict::Confine => confined.push(command),
            _ => continue,
        }
        if allowed.len() == BATCH {
            fuzz.counts[0] += BATCH;
            fuzz.batch(Form::Unconfined, &mem::take(&mut allowed)).await;
        }
        if confined.len() == BATCH {
            fuzz.counts[1] += BATCH;
            let form = if fuzz.random.below(2) == 0 {
                Form::Confined
            } else {
                Form::WithStubs
            };
            fuzz.batch(form, &mem::take(&mut confined)).await;
        }
    }
    tokio::time::sleep(AFTERMATH).await;
    fuzz.failures += usize::from(!fuzz.check.effects(&fuzz.place, "").none());
    let [allowed, confined] = fuzz.counts;
    println!(
        "seed {}: {} commands ran in {} s ({allowed} allowed, {confined} confined, of {generated} mutants): {} with effects outside",
        options.seed,
        fuzz.ran(),
        started.elapsed().as_secs(),
        fuzz.failures,
    );
    fuzz.failures == 0
}

impl Fuzz {
    fn new(seed: u64) -> Option<Self> {
        let place = Place::create();
        stub::install(&place);
        let services = Services::start(&place, true);
        let confined = tools::confined(&place, false)?.with_timeout_seconds(1..=TIMEOUT);
        let environment = Environment::of_host().with("HOME", &place.home);
        let with_path = |path: &str| {
            confined
                .clone()
                .with_environment(environment.clone().with("PATH", path))
        };
        // Without the sandbox, stubs would write to words that their program only searches for.
        let unconfined = with_path(stub::PROGRAMS).unconfined();
        let with_stubs = with_path(&["/stubs/all:", stub::PROGRAMS].concat());
        let home = place.home.to_string_lossy().into_owned();
        Some(Self {
            filter: workspace_filter(&tools::workspace(&place)).with_home(&home),
            check: Check::new(&place, &services),
            unconfined,
            with_stubs,
            confined,
            place,
            random: Random(seed),
            mutator: Mutator::new(commands()),
            counts: [0; 2],
            failures: 0,
        })
    }

    fn ran(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Runs the commands concurrently. After an effect, runs each one again to find the cause.
    async fn batch(&mut self, form: Form, commands: &[String]) {
        // Only a disposable root may run commands without the sandbox.
        let form = if self.place.is_disposable {
            form
        } else {
            Form::Confined
        };
        let effects = self.effects(form, commands).await;
        if effects.none() {
            return;
        }
        self.failures += 1;
        println!("{form:?}: {effects}");
        for command in commands {
            let effects = self.effects(form, slice::from_ref(command)).await;
            if !effects.none() {
                println!("  {command:?}: {effects}");
            }
        }
    }

    async fn effects(&mut self, form: Form, commands: &[String]) -> Effects {
        self.place.reset();
        if form == Form::Unconfined {
            // The filter does not follow links.
            self.place.unlink();
        }
        let output = self.outputs(form, commands).await;
        self.check.effects(&self.place, &output)
    }

    async fn outputs(&self, form: Form, commands: &[String]) -> String {
        let bash = match form {
            Form::Unconfined => &self.unconfined,
            Form::Confined => &self.confined,
            Form::WithStubs => &self.with_stubs,
        };
        let (mut tasks, mut all) = (JoinSet::new(), String::new());
        for command in commands {
            if tasks.len() == CONCURRENT {
                all.extend(tasks.join_next().await.map(Result::unwrap));
            }
            let (bash, command) = (bash.clone(), command.clone());
            tasks.spawn(async move { tools::shown(&tools::run(&bash, &command, TIMEOUT).await) });
        }
        all.extend(tasks.join_all().await);
        all
    }
}

/// Returns the commands of all tables.
fn commands() -> Vec<String> {
    let plain = [ORDINARY, DOUBTFUL, FORBIDDEN, EVALUATED]
        .concat()
        .into_iter()
        .map(str::to_owned);
    let harmful = commands::lines(HARMFUL)
        .into_iter()
        .chain(commands::lines(HARMFUL_LINES));
    // Everyday commands are chosen as often as harmful ones, because more of their mutants run.
    let everyday = commands::lines(HARMLESS);
    plain
        .chain(harmful)
        .chain(everyday.clone())
        .chain(everyday)
        .collect()
}
