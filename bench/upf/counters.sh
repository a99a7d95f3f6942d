#!/bin/sh
# What it costs to keep counters: examples/upf, optimized, with and without HEDDLE_COUNTERS in turn. A ratio below 1 is a loss.
# bench_counting (bench/crossing) has the cost by itself. PAIRS: rounds, default 31. usage: counters.sh [BUILD]; the last line is the result as JSON
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
. "$here/prepare"
cat > with-counters << SH
#!/bin/sh
HEDDLE_COUNTERS=/dev/shm/heddle-bench.\$\$ exec $work/upf.heddle "\$@"
SH
chmod +x with-counters
# shellcheck disable=SC2086
"$heddle" bench upf.heddle --optimized with-counters --metric 'pps=([0-9.]+)' --pairs "${PAIRS:-31}" --json counters.json \
  -- $eal -- $input --loops "${LOOPS:-10}"
/usr/bin/python3 - counters.json << 'PY'
import json, sys
result = json.load(open(sys.argv[1]))
_, counted, one_by_one = result["variants"]
print(json.dumps({"bench": "counters", "cpu": result["machine"]["cpu"], "rounds": result["rounds"],
                  "ratio": counted["ratio"], "ci": counted["ratio_ci"], "one_by_one": one_by_one["ratio"]}))
PY
