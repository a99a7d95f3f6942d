#!/bin/sh
# What it costs to keep counters: examples/upf as scripts/demo has optimized it (make demo), with and without HEDDLE_COUNTERS in turn. A ratio
# below 1 is a loss. PAIRS: rounds, default 31. usage: counters.sh [BUILD]; the last line is the result as JSON
set -eu
build=$(cd "${1:-build}" && pwd)
demo=$build/demo
[ -x "$demo/upf.heddle" ] || { echo "counters.sh: $demo/upf.heddle is missing: make demo" >&2; exit 2; }
work=$build/bench/upf
mkdir -p "$work"
cat > "$work/with-counters" << SH
#!/bin/sh
HEDDLE_COUNTERS=/dev/shm/heddle-bench.\$\$ exec $demo/upf.heddle "\$@"
SH
chmod +x "$work/with-counters"
"$build/bin/heddle" bench "$demo/upf.heddle" --optimized "$work/with-counters" --metric 'pps=([0-9.]+)' --pairs "${PAIRS:-31}" \
  --work "$work/none" --json "$work/counters.json" -- -l 0 --no-huge --no-pci -m 256 --no-shconf --no-telemetry --log-level=error \
  -- --sessions "$demo/sessions.txt" --preload-n3 "$demo/n3.pcap" --preload-n6 "$demo/n6.pcap" --loops "${LOOPS:-2}"
/usr/bin/python3 - "$work/counters.json" << 'PY'
import json, sys
result = json.load(open(sys.argv[1]))
_, counted, one_by_one = result["variants"]
print(json.dumps({"bench": "counters", "cpu": result["machine"]["cpu"], "rounds": result["rounds"],
                  "ratio": counted["ratio"], "ci": counted["ratio_ci"], "one_by_one": one_by_one["ratio"]}))
PY
