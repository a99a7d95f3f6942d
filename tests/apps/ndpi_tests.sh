#!/bin/sh
# Runs nDPI's own tests/do.sh with the reader built by heddle cc. Where it is not content with that, the reader built by clang has
# to get the same report. Argument: work folder (build/apps/ndpi).
. "$(dirname "$0")/common.sh"
app ndpi 4.2 "${1:-}"
scripts=$repository/tests/apps

# do.sh writes /tmp/reader.out, so only one may run on a machine at a time.
exec 9> /tmp/heddle-ndpi-tests.lock
flock 9

# report VARIANT TREE: says what do.sh says, and sets `bad` to the number of captures whose output is not the expected one.
report() {
  status=0
  "$scripts/ndpi.sh" "$work" "$1" || status=$?
  [ "$status" = 0 ] || exit "$status"
  (cd "$2/tests" && ./do.sh) > "$work/do-$1.out" 2>&1 || status=$?
  ok=$(grep -c 'OK$' "$work/do-$1.out" || true)
  bad=$(grep -c 'ERROR$' "$work/do-$1.out" || true)
  say "$1: exit status $status, $ok captures OK, $bad different"
  echo "exit status $status" >> "$work/do-$1.out"
}

report heddle "$work/tree"
[ "$ok" -gt 0 ] || fail "do.sh compared nothing"
[ "$status,$bad" != 0,0 ] || exit 0
report clang "$work/tree-clang"
cmp "$work/do-heddle.out" "$work/do-clang.out" || fail "the two reports differ ($work/do-*.out)"
say "do.sh reports the same for both"
