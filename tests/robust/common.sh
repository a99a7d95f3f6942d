# Sourced by the tests of this folder: NAME.sh BUILD. What they share: programs that are staged, and whether they really are.
. "$(dirname "$0")/../apps/common.sh"
app_name=$(basename "$0" .sh)
build=$(cd "$1" && pwd)
heddle=$build/bin/heddle
HEDDLE_BIN=$build/bin
export HEDDLE_BIN
out=$build/robust/$app_name
rm -rf "$out"
mkdir -p "$out"

# Programs that a test has started, by their ids: all end with it, and so do clients that go on while there is a file go.
started=
clean_up() {
  status=$?
  trap - EXIT INT TERM HUP
  rm -f "$out"/go*
  for process in $started; do # a master's workers would stay
    # shellcheck disable=SC2046
    kill -9 "$process" $(pgrep -P "$process") 2> /dev/null || true
  done
  exit $status
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# until_true SECONDS COMMAND...: waits for it to succeed; false if it does not.
until_true() {
  tries=$(($1 * 20))
  shift
  while [ $tries -gt 0 ]; do
    "$@" && return
    sleep 0.05
    tries=$((tries - 1))
  done
  return 1
}
gone() { ! kill -0 "$1" 2> /dev/null; }

# build_app NAME: the real program, built if it is not there.
build_app() {
  status=0
  "$repository/tests/apps/$1.sh" "$build/apps/$1" || status=$?
  [ $status = 0 ] || exit $status
}

# crossed_sites PID NAME: fails unless packets of this process, in whatever thread, have been suspended at sites.
crossed_sites() {
  command -v gdb > /dev/null || skip "gdb is not installed: whether packets are staged cannot be seen"
  crossings=$(gdb -p "$1" -batch -nx -ex 'thread apply all -q -s print heddle_this_thread.crossings' 2> /dev/null |
    awk '/^\$[0-9]+ = / { sum += $3 } END { print sum + 0 }')
  [ "$crossings" -gt 0 ] || fail "$2: no packet was staged, nothing is tested"
  echo "$2: sites crossed $crossings times"
}
