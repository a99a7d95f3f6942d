# Sourced: the example upf, built with heddle cc and optimized for generated traffic. Kept from run to run; all tests of it share
# one. Wants $root, $bin, $heddle, fail, and the folder $shared.
eal="-l 0 --no-pci --no-shconf --no-telemetry --log-level=error"
prepare_upf() {
  make -s -C "$root/examples/upf" CC="$bin/heddle-cc" BUILD="$shared/upf.build" -j"$(nproc)"
  upf=$shared/upf.build/upf
  if [ ! -e "$shared/n6.pcap" ]; then
    "$bin/upf-workload" --generate 3000 --seed 11 --ues 64 --sessions 200 --malformed 0.002 \
      --sessions-file "$shared/sessions.txt" --uplink "$shared/n3.pcap" --downlink "$shared/n6.pcap" >/dev/null
  fi
  if [ ! "$upf.heddle" -nt "$upf" ] || [ ! "$upf.heddle" -nt "$heddle" ]; then
    # shellcheck disable=SC2086
    "$heddle" profile "$upf" --stdout /dev/null -- $eal --no-huge -m 256 -- --sessions "$shared/sessions.txt" \
      --preload-n3 "$shared/n3.pcap" --preload-n6 "$shared/n6.pcap"
    "$heddle" plan "$upf"
    "$heddle" build "$upf"
  fi
  grep -q '"stage": 1' "$upf.heddle.d/plan.json" || fail "the plan has no site: nothing is tested"
}
