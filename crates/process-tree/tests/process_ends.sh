#!/bin/bash
# Prints the number of surviving daemons of the example `survey` for each mechanism and each end.
# Usage: crates/process-tree/tests/process_ends.sh [RUNS]
#
# Each figure is the maximum of RUNS (default 1). For hosts with cgroups, the number of trees with a
# weaker mechanism follows; each of them may leave one daemon.
set -u -m
runs=${1:-1}
cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tests/programs.sh
. tests/programs.sh
need_programs survey
survey=$programs/survey
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# Counts are wrong if some daemons do not start.
exec 3>&2
fail() {
  echo "$1: not all daemons started" >&3
  exit 1
}

# Sets `left` and `weaker` for mechanism $1 and end $2 of one tree after the other.
end_trees() {
  "$survey" "$1" "$2" >"$output" || fail "$1 $2"
  left=$(sed -n 's/.*: \([0-9]*\) survivors$/\1/p' "$output")
  weaker=0
  [ "$1" = cgroup ] && weaker=$(grep -c '([a-z]*)$' "$output")
}

# Sets `left` and `weaker` for mechanism $1 and end $2 of the host.
end_host() {
  marker=47$$.$RANDOM
  "$survey" "$1" "$2" "$marker" >"$output" 2>/dev/null &
  host=$!
  until grep -q '^running: ' "$output"; do
    kill -0 "$host" || grep -q '^running: ' "$output" || fail "$1 $2"
    sleep 0.05
  done
  case $2 in [A-Z]*) kill "-$2" "$host" ;; esac
  wait "$host" 2>/dev/null
  watcher=$(sed -n 's/^watcher: //p' "$output")
  while grep -q . "/proc/$watcher/cmdline"; do
    sleep 0.05
  done 2>/dev/null
  left=$(pgrep -c -fx "sleep $marker")
  weaker=$(sed -n 's/^weaker: //p' "$output")
  pkill -KILL -fx "sleep $marker"
}

printf '%-8s %10s %10s %10s\n' end cookie subreaper 'cgroup (weaker)'
for end in finish timeout cancel drop exit INT TERM HUP KILL panic return; do
  printf '%-8s' "$end"
  for mechanism in cookie subreaper cgroup; do
    most=0 most_weaker=0
    for _ in $(seq "$runs"); do
      case $end in
        finish | timeout | cancel | drop) end_trees "$mechanism" "$end" ;;
        *) end_host "$mechanism" "$end" ;;
      esac
      [ "$left" -gt "$most" ] && most=$left
      [ "$weaker" -gt "$most_weaker" ] && most_weaker=$weaker
    done
    printf ' %10s' "$most"
  done
  printf ' (%s)\n' "$most_weaker"
done 2>/dev/null
