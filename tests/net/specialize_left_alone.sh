#!/bin/sh
# Maps that `heddle specialize` leaves alone: each with its reason and a hint, and the one beside them specialized.
# usage: specialize_left_alone.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
compile_xdp others
clang-19 -O2 -Wall "$here/specialize/hold.c" -lbpf -o "$work/hold"
mkdir "$work/bpf"
mount -t bpf bpf "$work/bpf" || skip "$test_name: no BPF file system can be mounted"
undo="umount $work/bpf"
mkfifo "$work/go"
ip netns exec "$inside" "$work/hold" "$work/others.o" heddle0 "$work/bpf/others" <"$work/go" >"$work/held" 2>&1 &
exec 9>"$work/go"
wait_for "$work/held" attached
ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/others.o" --dry-run >"$work/dry" 2>&1 ||
  { cat "$work/dry"; fail "it is refused"; }

# alone MAP REASON
alone() {
  grep -q "^$2: $1\(,.*\)*: .*; hint: ." "$work/dry" || { cat "$work/dry"; fail "$1 is not left alone as $2"; }
  ! grep -q "^  [a-z-]*: $1, " "$work/dry" || { cat "$work/dry"; fail "$1 is left alone, and specialized"; }
}
alone evicting table-type
alone counts table-type
alone outer map-of-maps
alone named map-of-maps
alone next tail-calls
alone events unknown-use
alone learnt data-plane-updates
alone written data-plane-writes
alone handed value-escapes
alone mapped memory-mapped
alone locks special-field
alone inner inner-map
alone shared shared-program
grep -q "table-elimination: plain" "$work/dry" || { cat "$work/dry"; fail "plain is not specialized"; }
grep -q "accepted by the verifier" "$work/dry" || { cat "$work/dry"; fail "there is no version"; }
echo "13 maps left alone, for 10 reasons, and one specialized"
