#!/bin/sh
# The nDPI reader that check.sh has optimized for one capture and one set of options, with others: the same output as the
# original, and packets are staged there, too. Then with no memory for the stacks. usage: ndpi.sh BUILD
. "$(dirname "$0")/common.sh"
work=$build/apps/ndpi
reader=$work/tree/example/ndpiReader
staged=$work/heddle/ndpiReader.heddle
mix=$work/heddle/mix.pcap
[ -x "$staged" ] && [ -e "$mix" ] || skip "no optimized ndpiReader: run tests/apps/check.sh ndpi"

# same OPTION...: fails unless all variants end well, with the same output.
same() {
  "$heddle" verify "$reader" --optimized "$staged" --batches 1,32 --filter durations --filter rates -- "$@" > "$out/verify" 2>&1 || {
    cat "$out/verify"
    fail "$*"
  }
  # Where all end with an error, it says so behind this.
  grep -q '^outputs: identical$' "$out/verify" || { cat "$out/verify"; fail "$*: nothing was compared"; }
}

# is_staged OPTION...: fails unless packets are suspended at sites, as often as there are packets; counted in the reader's own
# thread, when its loop ends.
is_staged() {
  command -v gdb > /dev/null || skip "gdb is not installed: whether packets are staged cannot be seen"
  counts=$(gdb -batch -nx -ex 'break heddle_pcap_loop' -ex run -ex finish \
    -ex 'printf "counts: %lu %lu\n", heddle_this_thread.packets, heddle_this_thread.crossings' \
    --args "$staged" "$@" 2> /dev/null | sed -n 's/^counts: //p')
  read -r packets crossings << COUNTS
$counts
COUNTS
  [ "${packets:-0}" -gt 0 ] && [ "${crossings:-0}" -ge "$packets" ] || fail "$*: $crossings crossings of ${packets:-no} packets"
  echo "identical: $* ($packets packets, $crossings crossings)"
}

cd "$work/tree"
# Other traffic: what the project's own generator makes, and captures of nDPI's tests.
"$build/bin/upf-workload" --generate 20000 --seed 5 --ues 64 --malformed 0.01 --sessions-file "$out/sessions" \
  --uplink "$out/n3.pcap" --downlink "$out/n6.pcap" > "$out/workload"
try() { same "$@"; is_staged "$@"; }
try -i "$mix" -v 2
try -i "$mix" -v 3 -d -I
try -i "$mix" -v 2 -z -T 5 -U 5
try -i "$mix" -v 2 -f udp -p example/protos.txt -c example/categories.txt -r example/risky_domains.txt
try -i "$mix" -q -l 2
try -i "$out/n3.pcap" -t -v 2
try -i "$out/n6.pcap" -v 2
for capture in pinterest zoom2 netflix WebattackXSS tor; do
  try -i "tests/pcap/$capture.pcap" -v 2
done
same -i "$mix" -q -C '{out}/flows.csv'
same -i "$mix" -q -w '{out}/results'
echo "identical: CSV and results in files"

# No address space for the stacks, 32 of 1 GB: it runs as the original does.
for option in "-v 2" "-q -w $out/results"; do
  # shellcheck disable=SC2086
  (ulimit -v 4000000; HEDDLE_STACK=1024M "$staged" -i "$mix" $option) > "$out/without" || fail "without stacks: status $?"
  # shellcheck disable=SC2086
  "$reader" -i "$mix" $option > "$out/original"
  grep -v 'Time:\|throughput\|pps' "$out/without" > "$out/a" || true
  grep -v 'Time:\|throughput\|pps' "$out/original" > "$out/b" || true
  cmp "$out/a" "$out/b" || fail "without stacks: other output"
done
echo "identical: without memory for stacks"
