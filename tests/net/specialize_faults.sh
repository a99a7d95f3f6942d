#!/bin/sh
# `heddle specialize` on a program that a link holds and that is pinned; without capabilities, files, or room on the disk.
# usage: specialize_faults.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
compile_xdp forward
clang-19 -O2 -Wall "$here/specialize/hold.c" -lbpf -o "$work/hold"
mkdir "$work/bpf" "$work/full"
mount -t bpf bpf "$work/bpf" || skip "$test_name: no BPF file system can be mounted"
undo="umount $work/bpf"
mount -t tmpfs -o size=8k none "$work/full"
undo="$undo; umount $work/full"
mkfifo "$work/go"
start_owner() {
  rm -f "$work/held" "$work/bpf/forward"
  ip netns exec "$inside" "$work/hold" "$work/forward.o" heddle0 "$work/bpf/forward" <"$work/go" >"$work/held" 2>&1 &
  hold=$!
  exec 9>"$work/go"
  wait_for "$work/held" attached
}
end_owner() {
  echo >&9
  wait $hold || fail "the program's owner has failed"
}
start_owner
running() { ip -n "$inside" -d link show dev heddle0 2>/dev/null | sed -n 's/.*prog\/xdp id \([0-9]*\).*/\1/p'; }
original=$(running)
specialize() { ip netns exec "$inside" "$@" --pin "$work/bpf/forward" --object "$work/forward.o"; }

# back_soon: the original is put back by a process of its own.
back_soon() {
  for _ in $(seq 20); do
    [ "$(running)" != "$original" ] || return 0
    sleep 0.1
  done
  fail "the original is not back"
}

# refuses TEXT HINT COMMAND...: it fails, says so, and the program that runs is the original.
refuses() {
  text=$1 hint=$2
  shift 2
  if specialize timeout 20 "$@" >"$work/refused" 2>&1; then fail "not refused: $text"; fi
  grep -q "$text" "$work/refused" && grep -q "^heddle: hint: .*$hint" "$work/refused" || {
    cat "$work/refused"
    fail "no \"$text\" with the hint \"$hint\""
  }
  back_soon
}

# By pin and link, in and out; the link is its owner's all the time.
ip netns exec "$inside" "$heddle" specialize --pin "$work/bpf/forward" --object "$work/forward.o" --costs built-in --once >"$work/once" 2>&1 &
specialize=$!
wait_for "$work/once" "^heddle0 (link [0-9]*): program [0-9]* for epoch"
[ "$(running)" != "$original" ] || fail "nothing was replaced"
kill -TERM $specialize
wait $specialize || true
back_soon

# What it may not do, and what it says is enough.
refuses "cannot be opened: Operation not permitted" "CAP_SYS_ADMIN" setpriv --inh-caps=-all --bounding-set=-all "$heddle" specialize
refuses "cannot be opened: Operation not permitted" "CAP_SYS_ADMIN" setpriv --inh-caps=-all --bounding-set=-all,+net_admin \
  "$heddle" specialize
specialize setpriv --inh-caps=-all --bounding-set=-all,+sys_admin,+net_admin "$heddle" specialize --dry-run >"$work/dry" 2>&1 ||
  { cat "$work/dry"; fail "CAP_SYS_ADMIN and CAP_NET_ADMIN are not enough"; }
refuses "No such file\|cannot be read" "HEDDLE_LIB" env HEDDLE_LIB="$work/nowhere" "$heddle" specialize

# Heddle is taken away, or installed anew, while it runs: versions are made all the same.
cp -r "$bin/../lib/heddle" "$work/lib"
clang-19 -O2 "$here/specialize/map.c" -lbpf -o "$work/map"
HEDDLE_LIB=$work/lib ip netns exec "$inside" "$heddle" specialize --pin "$work/bpf/forward" --object "$work/forward.o" --costs built-in >"$work/anew" 2>&1 &
specialize=$!
wait_for "$work/anew" "inline-table: hops, .*: 4 entries"
rm -r "$work/lib"
"$work/map" "$original" denied fill 3
wait_for "$work/anew" "inline-table: denied, .*: 3 entries"
kill -TERM $specialize
wait $specialize || true
back_soon

# A full disk: it ends, says so, and the original runs.
head -c 8192 /dev/zero >"$work/full/zeros" 2>/dev/null || true
refuses "cannot write: No space left" "free space" "$heddle" specialize --prometheus "$work/full/metrics"
[ ! -e "$work/full/metrics" ] || fail "half a file was left"

# The interface goes, or the link with its owner: that is noticed, and nothing is put back.
for end in interface owner; do
  rm -f "$work/gone"
  ip netns exec "$inside" "$heddle" specialize --pin "$work/bpf/forward" --object "$work/forward.o" --costs built-in >"$work/gone" 2>&1 &
  specialize=$!
  wait_for "$work/gone" "inline-table"
  if [ $end = interface ]; then ip -n "$inside" link delete heddle0; else end_owner; fi
  if wait $specialize; then fail "it has not noticed that the $end is gone"; fi
  grep -q "^heddle: hint: ." "$work/gone" || { cat "$work/gone"; fail "no hint"; }
  [ $end = interface ] || break
  end_owner
  wire heddle0 heddle1
  start_owner
done
[ -z "$(running)" ] || fail "a program runs whose owner has gone"
echo "a pinned program on a link, in and out; no capabilities, no library, no room on the disk, no interface, no owner"
