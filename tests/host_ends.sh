#!/bin/bash
# Prints the number of runs after which processes of a host's commands remain, for each end of the
# hosts `task` and `host_ends`: after 2 seconds, and after 5 seconds for SIGKILL.
# Usage: tests/host_ends.sh [RUNS]
set -eu
cd "$(dirname "$0")/.."
HOST_ENDS_RUNS=${1:-100} cargo test --quiet -p tests --test suite -- host_ends:: --nocapture
