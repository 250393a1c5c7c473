# Restores the files that were protected while a process ran commands, after the end of that process. The lines below name
# them. A path has no symlinks: what stands behind one is left alone.
PATH=/usr/local/bin:/usr/bin:/bin
LC_ALL=C
export PATH LC_ALL
copies=${0%/*} failed=

# Enters a directory, unless it is missing or a symlink leads elsewhere.
enter() {
  [ -d "$1" ] && [ ! -L "$1" ] || return 1
  [ -r "$1" ] && [ -w "$1" ] && [ -x "$1" ] || chmod u+rwx "$1"
  cd "$1" || { failed=1; return 1; }
  [ "$(pwd -P)" = "$1" ]
}

is_directory() {
  [ -d "./$1" ] && [ ! -L "./$1" ]
}

drop() {
  ! is_directory "$1" || chmod -R u+rwx "./$1"
  rm -rf "./$1" || failed=1
}

# Each of these restores the second word in the directory that is the first word.
gone() {
  ! enter "$1" || drop "$2"
}

# The file has this copy and mode.
file() {
  enter "$1" && [ -f "$copies/$3" ] || return 0
  if [ -L "./$2" ] || [ ! -f "./$2" ] || ! cmp -s "./$2" "$copies/$3"; then
    drop "$2"
    cp "$copies/$3" "./$2" || { failed=1; rm -f "./$2"; return; }
  fi
  chmod "$4" "./$2" || failed=1
}

symlink() {
  enter "$1" || return 0
  [ -L "./$2" ] && [ "$(readlink "./$2")" = "$3" ] && return
  drop "$2"
  ln -s "$3" "./$2" || failed=1
}

# It is a directory.
parent() {
  enter "$1" || return 0
  is_directory "$2" || { drop "$2"; mkdir "./$2" || failed=1; }
}

# It is a directory or missing.
above() {
  ! enter "$1" || is_directory "$2" || drop "$2"
}

# It is a directory with the entries after the third word, which says whether samples of hooks stay too.
directory() {
  parent "$1" "$2"
  enter "$1/$2" || return 0
  samples=$3
  shift 3
  for entry in * .[!.]* ..?*; do
    [ -e "./$entry" ] || [ -L "./$entry" ] || continue
    case $samples$entry in yes*.sample) continue ;; esac
    for name; do
      [ "$entry" != "$name" ] || continue 2
    done
    drop "$entry"
  done
}

mode() {
  ! enter "$1" || ! is_directory "$2" || chmod "$3" "./$2" || failed=1
}

# An unfinished rebase runs no programs but the lines of a copy.
todo() {
  enter "$1" || return 0
  is_directory rebase-merge || { drop rebase-merge; return; }
  file=rebase-merge/git-rebase-todo
  [ ! -L "$file" ] && [ -f "$file" ] || { drop "$file"; return; }
  ! grep -aE '^[[:space:]]*(x|exec)([[:space:]]|$)' "$file" | grep -avxF -f "$copies/$2" | grep -q . || drop "$file"
}

# It was missing, so the directory was no bare repository.
bare() {
  enter "$1" && [ -e HEAD ] && [ -e objects ] && [ -e refs ] || return 0
  drop "$2"
}

# Finds new repositories and pointers to repositories. The former keep no settings and hooks under names that Git reads.
search() {
  find "$1" \( -name .git -o -path '*/.git/modules/*/HEAD' -o -path '*/.git/worktrees/*/HEAD' \) -exec /bin/sh "$0" check {} +
}

check() {
  for path; do
    path=${path%/HEAD}
    if [ -L "$path" ] || [ ! -d "$path" ]; then
      is_pointer "$path" || rm -f "$path" || failed=1
      continue
    fi
    ! is_repository "$path" && enter "$path" || continue
    for name in config config.worktree commondir hooks rebase-merge; do
      [ -e "$name" ] || [ -L "$name" ] || continue
      rm -rf "$name.disabled"
      mv "$name" "$name.disabled" || failed=1
    done
  done
  [ ! "$failed" ] || : >"$copies/failed"
}

# Removes all copies, unless something has to be tried again.
finish() {
  [ "$failed" ] || [ -e "$copies/failed" ] || rm -rf "$copies"
}
