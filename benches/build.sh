#!/usr/bin/env bash
# CPU seconds of clean builds, of two sides in turn, and the number of crates of each.
#
#   benches/build.sh embed                 a minimal application (a tool, a model over HTTPS) here and with rig 0.46
#   benches/build.sh embed_ring            the same with ring for TLS here
#   benches/build.sh agent_loop REVISION   the example `agent_loop` here and at an earlier revision
#
# ROUNDS is 3 by default. rig needs Rust 1.97.1, so these build both sides with the toolchain TOOLCHAIN, `nightly` by default.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
# What cargo prints, beside the times that are captured.
exec 3>&2

directory=target/builds
mkdir -p "$directory"

application() { # name, lock file; reads the dependencies, a line "---" and the program
  mkdir -p "$directory/$1/src"
  cp "$2" "$directory/$1/Cargo.lock"
  {
    printf '[package]\nname = "%s"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\n' "$1"
    printf 'schemars = "1"\nserde = { version = "1", features = ["derive"] }\n'
    printf 'tokio = { version = "1", features = ["macros", "rt"] }\n'
    while IFS= read -r line && [ "$line" != --- ]; do printf '%s\n' "$line"; done
  } >"$directory/$1/Cargo.toml"
  cat >"$directory/$1/src/main.rs"
}

applications() { # dependencies here, first statement here
  application ours Cargo.lock <<OURS
$1
---
use toolwright::prelude::*;

#[data]
struct Add {
    a: i64,
    b: i64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    $2
    let add = tool_fn("add", "Adds two numbers.", |_, input: Add| async move { Ok(input.a + input.b) });
    let model = HttpModel::new(Provider::OpenAi, "gpt-5.2", "https://api.openai.com/v1")?;
    let model = model.with_key(&std::env::var("OPENAI_API_KEY")?)?;
    let outcome = AgentLoop::new(Registry::of(add)?, model).run("What is 2 + 40?").await;
    println!("{}", outcome.reply.unwrap_or_default());
    Ok(())
}
OURS
  application rig benches/peers/Cargo.lock <<'RIG'
rig-agent = "~0.46.0"
rig-core = { version = "~0.46.0", features = ["reqwest"] }
serde_json = "1"
---
use rig_agent::prelude::*;
use rig_agent::tool::ToolContext;
use rig_core::providers::openai::{self, OpenAI};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

struct AddTool;

impl Tool for AddTool {
    const NAME: &'static str = "add";
    type Args = Add;
    type Output = i64;
    type Error = std::convert::Infallible;

    fn description(&self) -> String {
        "Adds two numbers.".to_owned()
    }

    fn parameters(&self) -> serde_json::Value {
        schemars::schema_for!(Add).to_value()
    }

    async fn call(&self, _: &mut ToolContext, input: Add) -> Result<i64, Self::Error> {
        Ok(input.a + input.b)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = OpenAI::from_env()?.completion(openai::GPT_5_2);
    let agent = AgentBuilder::new(model).tool(AddTool).build();
    println!("{}", agent.prompt("What is 2 + 40?").await?);
    Ok(())
}
RIG
}

crates() { # directory, options: prints the number of crates in the tree, for all targets
  (cd "$1" && cargo ${toolchain:-} tree --quiet --target all --edges normal,build --prefix none --no-dedupe "${@:2}") | sed 's/ (.*//' | sort -u | wc -l
}

build() { # directory, options: prints the CPU seconds of a clean build
  local target=$PWD/$directory/target times TIMEFORMAT='%U %S'
  rm -rf "$target"
  # Downloads do not count.
  (cd "$1" && cargo ${toolchain:-} fetch --quiet)
  # A subshell's own redirections would apply to what `time` prints too.
  times=$({ time { (cd "$1" && CARGO_TARGET_DIR=$target cargo ${toolchain:-} build --quiet "${@:2}") >&3 2>&3; }; } 2>&1)
  rm -rf "$target"
  awk '{ printf "%.0f\n", $1 + $2 }' <<<"$times"
}

compare() { # one directory, the other, options of cargo
  # A tree has no examples, so `agent_loop` compares only the times.
  [ -n "${no_crates-}" ] || echo "crates: $(crates "$1") / $(crates "$2")"
  for _ in $(seq "${ROUNDS:-3}"); do
    local one other
    one=$(build "$1" "${@:3}")
    other=$(build "$2" "${@:3}")
    echo "CPU seconds: $one / $other = $(awk "BEGIN { printf \"%.2f\", $one / $other }")"
  done
}

case "${1-}" in
embed | embed_ring)
  toolchain=+${TOOLCHAIN:-nightly}
  here='toolwright = { path = "../../..", features = ["http"] }' first=
  if [ "$1" = embed_ring ]; then
    here=$(printf '%s\n' "${here/http/http-no-provider}" 'rustls = { version = "0.23", default-features = false, features = ["ring"] }')
    first='rustls::crypto::ring::default_provider().install_default().map_err(|_| "there is another provider")?;'
  fi
  applications "$here" "$first"
  compare "$directory/ours" "$directory/rig" --ignore-rust-version
  ;;
agent_loop)
  before=$PWD/$directory/before
  git worktree add --force --detach "$before" "${2:?a revision is missing}" >/dev/null
  trap 'git worktree remove --force "$before"' EXIT
  no_crates=1
  compare . "$before" --example agent_loop
  ;;
*)
  sed -n '4,6s/^# *//p' "$0" >&2
  exit 2
  ;;
esac
