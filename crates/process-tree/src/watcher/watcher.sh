# Terminates the programs of a process after its end, which closes standard input.
# $1: identifier in the environment of the programs; $2: parent of their cgroups, or empty;
# $3: process group that is never signalled. Each line of the input is the path of a script that runs at the end: after `+`,
# or after `-` if it no longer does.
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
id=$1 home=$2 own=$3
newline='
'
scripts=$newline
while IFS= read -r line; do
  path=$newline${line#?}$newline
  case $line$scripts in
    +*) scripts=$scripts${line#?}$newline ;;
    -*"$path"*) scripts=${scripts%%"$path"*}$newline${scripts#*"$path"} ;;
  esac
done

# Sets `found` to the programs, the members of their groups and their descendants.
search() {
  found=' ' groups=' '
  for file in $(grep -l -F -e "$id" /proc/[0-9]*/environ 2>/dev/null); do
    file=${file#/proc/}
    found="$found${file%/environ} "
  done
  [ "$found" = ' ' ] && return
  entries='' pass=0
  for file in /proc/[0-9]*/stat; do
    read -r stat 2>/dev/null <"$file" || continue
    process=${stat%% *}
    # The name before the last parenthesis may contain any character.
    set -f; set -- ${stat##*) }; set +f
    [ "$1" = Z ] && continue
    entries="$entries$process:$2:$3 "
    case $found in *" $process "*) [ "$3" = "$own" ] || groups="$groups$3 " ;; esac
  done
  while [ $pass -lt 32 ]; do
    pass=$((pass + 1)) before=$found
    for entry in $entries; do
      process=${entry%%:*} group=${entry##*:} parent=${entry#*:}
      case $found in *" $process "*) continue ;; esac
      case "$groups$found" in *" $group "* | *" ${parent%:*} "*) found="$found$process " ;; esac
    done
    [ "$before" = "$found" ] && return
  done
}

kill_cgroups() {
  [ -n "$home" ] || return
  for file in "$home"/[0-9]*/cgroup.kill; do echo 1 >"$file"; done 2>/dev/null
}

search
if [ "$found" != ' ' ]; then
  kill -TERM $found 2>/dev/null
  sleep 0.1 2>/dev/null || sleep 1
fi
kill_cgroups
scan=0
while [ "$found" != ' ' ] && [ $scan -lt 40 ]; do
  scan=$((scan + 1))
  kill -KILL $found 2>/dev/null
  sleep 0.02 2>/dev/null || sleep 1
  search
done
if [ -n "$home" ]; then
  # Only an empty cgroup can be removed, so leave it and wait for killed processes to exit.
  echo $$ >"${home%/*}/cgroup.procs"
  scan=0
  while find "$home" -depth -type d -exec rmdir {} \; ; [ -d "$home" ] && [ $scan -lt 40 ]; do
    scan=$((scan + 1))
    kill_cgroups
    sleep 0.02 || sleep 1
  done
fi 2>/dev/null
set -f
IFS=$newline
for script in $scripts; do
  [ ! -f "$script" ] || /bin/sh "$script"
done
