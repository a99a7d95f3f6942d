#!/bin/sh
# `heddle specialize` and its keeper, both killed at once: the version that stays falls back with the first change of a table, and the next Heddle
# puts the original back. Where nothing can be pinned, that is said. usage: specialize_killed.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
compile_xdp forward
clang-19 -O2 "$here/specialize/map.c" -lbpf -o "$work/map"
clang-19 -O2 -Wall "$here/specialize/verdict.c" -lbpf -o "$work/verdict"
mkdir "$work/bpf"
mount -t bpf bpf "$work/bpf" || skip "$test_name: no BPF file system can be mounted"
undo="umount $work/bpf"
ip -n "$inside" link set dev heddle0 xdp obj "$work/forward.o" sec xdp 2>"$work/ip.err" ||
  skip "$test_name: this kernel or iproute2 loads no XDP program: $(tail -1 "$work/ip.err")"
running() { ip -n "$inside" -d link show dev heddle0 | sed -n 's/.*prog\/xdp id \([0-9]*\).*/\1/p'; }
original=$(running)
pins() { find "$work/bpf" -path '*heddle-*'; }
start() { # OPTIONS
  rm -f "$work/heddle.out"
  ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/forward.o" --costs built-in "$@" >"$work/heddle.out" 2>&1 &
  specialize=$!
  wait_for "$work/heddle.out" "epoch"
}
end() {
  kill -TERM $specialize
  wait $specialize || true
  [ "$(running)" = "$original" ] || fail "the original is not back"
}
answers() { # VERDICT WHEN
  [ "$("$work/verdict" "$(running)")" = "$1" ] || fail "$2: not $1, but $("$work/verdict" "$(running)")"
}

# Where all goes well nothing is left.
start --bpffs "$work/bpf"
[ -e "$work/bpf/heddle-$original/begin" ] && [ -e "$work/bpf/heddle-$original/program-$original" ] || fail "nothing is pinned"
! grep -q not-pinned "$work/heddle.out" || fail "it was pinned all the same"
end
[ -z "$(pins)" ] || fail "left behind: $(pins)"
start --bpffs "$work/bpf"
kill -KILL $specialize # the keeper is left
wait $specialize || true
for _ in $(seq 50); do
  [ "$(running)" != "$original" ] || break
  sleep 0.1
done
sleep 0.2
[ "$(running)" = "$original" ] && [ -z "$(pins)" ] || fail "the keeper has left something: $(pins)"

# Both killed: stopped first, so that neither sees the other's end.
start --bpffs "$work/bpf"
heddle_process=$(pgrep -P $specialize -x heddle || echo $specialize) # below `ip netns exec`, or in its place
[ -n "$(pgrep -P "$heddle_process")" ] || heddle_process=$specialize
keeper=$(pgrep -P "$heddle_process")
kill -STOP "$keeper"
kill -KILL "$heddle_process"
kill -KILL "$keeper"
wait $specialize || true
sleep 0.5
version=$(running)
[ "$version" != "$original" ] || fail "no version was left"
answers 2 "with no entry"
"$work/map" "$version" denied fill 1
answers 1 "with a key denied, behind a version that was made for none"
"$work/map" "$version" denied fill 1 7
answers 1 "after one more change"

# Another Heddle puts the original back, says so, and goes on; a dry run touches nothing.
! ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/forward.o" --bpffs "$work/bpf" --dry-run >"$work/dry" 2>&1 ||
  fail "a dry run has taken a version for the original"
[ "$(running)" = "$version" ] || fail "a dry run has replaced something"
start --bpffs "$work/bpf"
grep -q "left-behind: heddle0: a version was left here" "$work/heddle.out" || { cat "$work/heddle.out"; fail "it has not said what it found"; }
[ "$(running)" != "$version" ] || fail "the version that was left runs still"
answers 1 "in a new version"
end
answers 1 "in the original"
[ -z "$(pins)" ] || fail "left behind: $(pins)"

# No BPF file system.
start --bpffs "$work"
grep -q "^ *not-pinned: $work: is no BPF file system: .*; hint: .mount -t bpf bpf" "$work/heddle.out" || { cat "$work/heddle.out"; fail "it has not said that nothing is pinned"; }
end
echo "both processes killed: the version falls back by itself, and the next Heddle puts the original back"
