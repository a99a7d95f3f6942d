#!/bin/sh
# Fuzzes the parsers and the packet path, each for half of SECONDS, from seeds of the traffic generator.
# usage: run.sh SECONDS [BIN-FOLDER [WORK-FOLDER]]   Exit status 0 if nothing was found.
set -eu
seconds=${1:?usage: run.sh SECONDS [BIN-FOLDER [WORK-FOLDER]]}
bin=${2:-build/bin}
work=${3:-$(mktemp -d)}
mkdir -p "$work/parse-seeds" "$work/path-seeds" "$work/parse" "$work/path"
"$bin/upf-workload" --generate 6000 --seed 7 --malformed 0.1 --control 0.02 --ues 64 \
  --sessions-file "$work/sessions" --uplink "$work/uplink.pcap" --downlink "$work/downlink.pcap"
"$bin/upf-fuzz-seeds" "$work/uplink.pcap" "$work/downlink.pcap" "$work/parse-seeds" "$work/path-seeds"
status=0
# Frames wait in DPDK's buffers, where the leak checker does not look; path_fuzzer stops when buffers run out instead.
for fuzzer in parse path; do
  echo "$fuzzer: $((seconds / 2)) s, findings in $work"
  "$bin/upf-$fuzzer-fuzzer" -max_total_time=$((seconds / 2)) -max_len=4096 -timeout=10 -detect_leaks=0 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$work/$fuzzer-" "$work/$fuzzer" "$work/$fuzzer-seeds" 2>"$work/$fuzzer.log" || status=1
  tail -n 8 "$work/$fuzzer.log"
done
exit $status
