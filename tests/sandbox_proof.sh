#!/usr/bin/env bash
# Runs hostile commands in the sandbox of the `bash` tool, in a disposable root with a home directory, secrets and services.
#
#   tests/sandbox_proof.sh attacks [--only N] [--network]    runs the attacks of tests/sandbox_proof/cases.txt
#   tests/sandbox_proof.sh control                           counts the attacks that have an effect without the sandbox
#   tests/sandbox_proof.sh fuzz [--seed N] [--count N] [--seconds N]   runs mutated commands, also with stub programs
#   tests/sandbox_proof.sh short                             runs the attacks, and mutated commands for 15 seconds
#
# Fails if a command changes the content of a file outside the workspace, reads a secret or connects to a service. Runs the
# program that the test run has built. Requires user namespaces and overlay file systems. Without them, only attacks
# within a scratch home directory run, in the sandbox.
set -euo pipefail
script=$(readlink -f "$0")

# Builds the disposable root in a new namespace and runs the program there.
inside() { # program, arguments...
  local place upper
  mount -t tmpfs -o mode=755 proof /mnt
  place=/mnt/place upper=/mnt/upper
  mkdir -p "$place"/{dev/shm,etc,home/dev,mnt,opt,proc,proof,root,run,srv,stubs,sys,tmp,upper,usr,var} "$upper"/{etc,usr} /mnt/work/{etc,usr}
  chmod 1777 "$place"/{tmp,dev/shm}
  for directory in etc usr; do
    mount -t overlay proof -o "lowerdir=/$directory,upperdir=$upper/$directory,workdir=/mnt/work/$directory" "$place/$directory"
  done
  for link in bin lib lib32 lib64 sbin; do
    [ ! -L "/$link" ] || cp -P "/$link" "$place/$link"
  done
  mount --bind "$upper" "$place/upper"
  mount -t proc proof "$place/proc"
  mount --bind "$place/proc/sys" "$place/proc/sys"
  mount -o remount,ro,bind "$place/proc/sys"
  for device in null zero full random urandom; do
    touch "$place/dev/$device"
    mount --bind "/dev/$device" "$place/dev/$device"
  done
  ln -s /proc/self/fd "$place/dev/fd"
  # Programs that write to these names would otherwise create files.
  ln -s /proc/self/fd/0 "$place/dev/stdin"
  ln -s /proc/self/fd/1 "$place/dev/stdout"
  ln -s /proc/self/fd/2 "$place/dev/stderr"
  touch "$place/stubs/stub"
  mount --bind "$1" "$place/stubs/stub"
  ip link set lo up
  shift
  env -i HOME=/home/dev USER=dev LANG=C.UTF-8 PROOF_PLACE=1 \
    PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/stubs/all:/stubs/missing:/stubs \
    SSH_AUTH_SOCK=/run/ssh-agent.sock DOCKER_HOST=unix:///run/docker.sock AWS_SECRET_ACCESS_KEY=PROOF-SECRET-environment \
    chroot "$place" /stubs/stub "$@"
}

# Runs each attack alone and without the sandbox.
control() {
  local number=0 effective=0 status
  while status=0; "$script" attacks --unconfined --only "$number" >/dev/null 2>&1 || status=$?; [ "$status" -le 1 ]; do
    effective=$((effective + status))
    number=$((number + 1))
  done
  echo "$effective of $number attacks have an effect without the sandbox"
}

# Runs the program in a disposable root, or without one if the system permits no namespaces.
run() {
  local place=(unshare --user --map-root-user --mount --net --pid --ipc --uts --fork --kill-child)
  if "${place[@]}" setsid --wait "$script" inside /bin/true >/dev/null 2>&1; then
    "${place[@]}" setsid --wait "$script" inside "$PROOF" "$@"
  else
    echo "sandbox_proof.sh: no disposable root is possible, so only a scratch home directory is used" >&2
    "$PROOF" "$@"
  fi
}

if [ "${1-}" = inside ]; then
  shift
  inside "$@"
  exit
fi
cd "$(dirname "$0")/.."
# shellcheck source=tests/programs.sh
. tests/programs.sh
need_programs sandbox_proof
export PROOF=$programs/sandbox_proof
if [ "${1-}" = short ]; then
  # Each in a root of its own, and most attacks wait for programs that start.
  output=$(mktemp)
  trap 'rm -f "$output"' EXIT
  run attacks --network >"$output" 2>&1 &
  status=0
  run attacks || status=1
  wait $! || status=1
  cat "$output"
  [ "$status" = 0 ]
  run fuzz --seconds 15
elif [ "${1-}" = control ]; then
  control
else
  run "$@"
fi
