#!/bin/sh
# `heddle specialize` on examples/xdp/chain, three programs by tail calls: each is specialized in its place, and put back.
# usage: specialize_chain.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
clang-19 -O2 -Wall "$here/specialize/map.c" -lbpf -o "$work/map"
compile_xdp forward
run_inside() { ip netns exec "$inside" "$@"; }
running() { ip -n "$inside" -d link show dev heddle0 | sed -n 's/.*prog\/xdp id \([0-9]*\).*/\1/p'; }
members() { "$work/map" "$entry" stages programs; }
has() { # FILE TEXT
  grep -q "$2" "$1" || { cat "$1"; fail "no \"$2\""; }
}
# back_soon: the originals are where they were.
back_soon() {
  for _ in $(seq 50); do
    [ "$(running) $(members)" != "$entry $originals" ] || return 0
    sleep 0.1
  done
  fail "the originals are not back: $(running) $(members) instead of $entry $originals"
}
# start OPTIONS: on the whole chain, until its last program has a version.
start() {
  rm -f "$work/heddle.out" # the last one's
  ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/chain.o" --costs built-in "$@" >"$work/heddle.out" 2>&1 &
  specialize=$!
  wait_for "$work/heddle.out" "^stages\[1\]: program [0-9]* for epoch"
}

start_example chain "$root/examples/xdp/chain/small.txt" "$root/examples/xdp/chain/golden.txt"
entry=$(running)
originals=$(members)

# What would be done: a program of the chain after the other.
run_inside "$heddle" specialize --dev heddle0 --object "$work/chain.o" --dry-run --json="$work/dry.json" >"$work/dry"
has "$work/dry" "^program $entry (parser)"
has "$work/dry" "^program ${originals%% *} (firewall)"
has "$work/dry" "(router)"
has "$work/dry" "^tail-calls: stages, chain.bpf.c:[0-9]*: it holds programs"
has "$work/dry" "^no version: there is nothing to gain"
has "$work/dry" "inline-table: blocked, .*: 2 entries"
has "$work/dry" "branch-injection: services"
has "$work/dry" "^services  *hash .* 16 of 24 bytes written"
has "$work/dry" "inline-table: hops, .*: 2 entries"
[ "$(running) $(members)" = "$entry $originals" ] || fail "a dry run has replaced a program"
/usr/bin/python3 - "$work/dry.json" <<'END' || fail "the JSON is not as it should be"
import json, sys
dry = json.load(open(sys.argv[1]))
assert dry["function"] == "parser" and dry["version"]["original"], dry
assert [program["function"] for program in dry["chain"]] == ["firewall", "router"], dry
assert all(program["version"]["performed"] for program in dry["chain"]), dry
END

# In and out.
for signal in TERM KILL; do
  start
  has "$work/heddle.out" "^heddle0: the original, program $entry"
  has "$work/heddle.out" "^stages\[0\]: program [0-9]* for epoch"
  # shellcheck disable=SC2046,SC2086
  set -- $originals $(members)
  [ "$1" != "$3" ] && [ "$2" != "$4" ] || fail "not replaced: $*"
  kill -$signal $specialize
  wait $specialize || true
  back_soon
done

# Golden packets through all versions.
start --prometheus "$work/metrics"
wait_for "$work/metrics" 'heddle_specialized{attached_to="stages\[1\]"} 1.000'
versions=$(members)
finish_example
[ "$(grep -c '"wrong": 0' "$work/example.out")" = 2 ] || fail "golden packets did not run twice"
[ "$(members)" = "$versions" ] || fail "the versions did not stay: $(members) instead of $versions"
kill -TERM $specialize
wait $specialize || true
tail -1 "$work/example.out"

# One program of the chain alone, and one that somebody else replaces: theirs stays, and all others are put back.
ip -n "$inside" link set dev heddle0 xdp off
rm -f "$work/go" "$work/example.out"
start_example chain "$root/examples/xdp/chain/small.txt"
entry=$(running)
originals=$(members)
last=${originals#* }
ip netns exec "$inside" "$heddle" specialize --prog "${last% }" --object "$work/chain.o" --costs built-in >"$work/alone" 2>&1 &
specialize=$!
wait_for "$work/alone" "^stages\[1\]: program [0-9]* for epoch"
kill -TERM $specialize
wait $specialize || true
back_soon
start
run_inside "$work/map" "$entry" stages put 1 "$entry"
wait_for "$work/heddle.out" "^stages\[1\]: left alone"
has "$work/heddle.out" "^ *replaced: stages\[1\]: has another program now.*: the others of the chain are specialized as before; hint: ."
# The others are as before: theirs stays where it is, and another version is made of the first.
# shellcheck disable=SC2046
set -- $(members)
[ "$1" != "${originals%% *}" ] || fail "the chain's first program is not specialized any more"
[ "$2" = "$entry" ] || fail "somebody else's program was replaced by $2"
before=$(grep -c "^stages\[0\]: program [0-9]* for epoch" "$work/heddle.out")
run_inside "$work/map" "${originals%% *}" services fill 1 2
for _ in $(seq 50); do
  [ "$(grep -c "^stages\[0\]: program [0-9]* for epoch" "$work/heddle.out")" = "$before" ] || break
  sleep 0.1
done
[ "$(grep -c "^stages\[0\]: program [0-9]* for epoch" "$work/heddle.out")" -gt "$before" ] || fail "the chain's first program has no version for other tables"
kill -TERM $specialize || fail "it has ended"
wait $specialize || true
originals="${originals%% *} $entry "
back_soon

# The program in front is the session's: where it is replaced, all others are put back.
"$work/map" "$entry" stages put 1 "${last% }"
originals="${originals%% *} $last"
ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/chain.o" --costs built-in >"$work/front" 2>&1 &
specialize=$!
wait_for "$work/front" "^stages\[1\]: program [0-9]* for epoch"
run_inside ip -force link set dev heddle0 xdp obj "$work/forward.o" sec xdp 2>/dev/null
if wait $specialize; then fail "it has not noticed that the program in front was replaced"; fi
has "$work/front" "heddle0.* has another program now"
for _ in $(seq 50); do
  [ "$(members)" != "$originals" ] || break
  sleep 0.1
done
[ "$(members)" = "$originals" ] || fail "the originals are not back: $(members) instead of $originals"
finish_example
ip -n "$inside" link set dev heddle0 xdp off
rm -f "$work/go" "$work/example.out"
start_example chain "$root/examples/xdp/chain/small.txt"
entry=$(running)

# What is not of the object, or the beginning again, runs as it is.
run_inside ip link add heddle2 type veth
run_inside ip link set dev heddle2 xdp obj "$work/forward.o" sec xdp 2>/dev/null
other=$(ip -n "$inside" -d link show dev heddle2 | sed -n 's/.*prog\/xdp id \([0-9]*\).*/\1/p')
"$work/map" "$entry" stages put 0 "$other"
"$work/map" "$entry" stages put 1 "$entry"
run_inside "$heddle" specialize --dev heddle0 --object "$work/chain.o" --dry-run >"$work/dry"
has "$work/dry" "^ *other-object: stages\[0\]: program $other is not from .*; hint: ."
has "$work/dry" "^ *calls-itself: stages\[1\]: program $entry"
finish_example
echo "a chain of three in place and back by TERM and KILL; one alone; replaced; of another object"
