#!/bin/sh
# Runs nDPI's own tests/do.sh with the reader built by heddle cc. Where it is not content with that, the reader built by clang has
# to get the same report. Argument: work folder (build/apps/ndpi).
. "$(dirname "$0")/common.sh"
app ndpi 4.2 "${1:-}"
scripts=$repository/tests/apps

# do.sh writes /tmp/reader.out, so only one may run on a machine at a time.
exec 9> /tmp/heddle-ndpi-tests.lock
flock 9

# report VARIANT TREE: says what do.sh says; `clean` is yes where every capture's output is the one that comes with nDPI, or left out.
report() {
  status=0
  "$scripts/ndpi.sh" "$work" "$1" || status=$?
  [ "$status" = 0 ] || exit "$status"
  (cd "$2/tests" && ./do.sh) > "$work/do-$1.out" 2>&1 || status=$?
  ok=$(grep -c 'OK$' "$work/do-$1.out" || true)
  left_out=$(grep -c 'SKIPPED$' "$work/do-$1.out" || true)
  captures=$(find "$2/tests/pcap" -name '*.pcap' -o -name '*.pcapng' | wc -l)
  say "$1: exit status $status, of $captures captures $ok OK, $left_out left out by do.sh"
  clean=no
  [ "$status,$((ok + left_out))" != "0,$captures" ] || clean=yes
  echo "exit status $status" >> "$work/do-$1.out"
}

report heddle "$work/tree"
[ "$ok" -gt 0 ] || fail "do.sh compared nothing"
[ $clean = no ] || exit 0
report clang "$work/tree-clang"
cmp "$work/do-heddle.out" "$work/do-clang.out" || fail "the two reports differ ($work/do-*.out)"
say "do.sh reports the same for both"
