#!/bin/sh
# Runs nDPI's own tests/do.sh with the reader built by heddle cc and with the one built by clang, and compares the
# two reports. Argument: work folder (build/apps/ndpi).
. "$(dirname "$0")/common.sh"
app ndpi 4.2 "${1:-}"
scripts=$repository/tests/apps
for variant in heddle clang; do
  status=0
  "$scripts/ndpi.sh" "$work" "$variant" || status=$?
  [ "$status" = 0 ] || exit "$status"
done

# do.sh writes /tmp/reader.out, so only one may run on a machine at a time.
exec 9> /tmp/heddle-ndpi-tests.lock
flock 9
for variant in heddle clang; do
  tree=$work/tree
  [ "$variant" = heddle ] || tree=$work/tree-clang
  status=0
  (cd "$tree/tests" && ./do.sh) > "$work/do-$variant.out" 2>&1 || status=$?
  ok=$(grep -c 'OK$' "$work/do-$variant.out" || true)
  bad=$(grep -c 'ERROR$' "$work/do-$variant.out" || true)
  say "$variant: exit status $status, $ok captures OK, $bad different"
  echo "exit status $status" >> "$work/do-$variant.out"
done
[ "$(grep -c 'OK$' "$work/do-heddle.out")" -gt 0 ] || fail "do.sh compared nothing"
cmp "$work/do-heddle.out" "$work/do-clang.out" || fail "the two reports differ ($work/do-*.out)"
say "do.sh reports the same for both"
