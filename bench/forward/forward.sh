#!/bin/sh
# Small DPDK programs, packet by packet, as they are and as Heddle makes them: builds each of examples/forward with heddle cc, profiles,
# plans and builds it on generated traffic with no annotation, and runs original and optimized in turn on tables that the caches do not
# hold. Outputs must be identical. In BUILD/bench/forward: APP.plan, APP.json, table.txt. Last line: JSON.
# usage: forward.sh [BUILD] [APP...]; ZIPF=yes: popular destinations; PAIRS: rounds of a bench, default 7; PACKETS: of a run, default
# 2 million.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
[ $# = 0 ] || shift
[ $# != 0 ] || set -- ipv4 ipv6 l2switch ndn crypto
heddle=$build/bin/heddle
work=$build/bench/forward
packets=${PACKETS:-2000000}
eal="-l 0 --no-huge --no-pci --no-shconf --no-telemetry --log-level=error -m 512"

# entries APP: of its table; addresses and names are as many as the papers' (APSys 2017: 16 million; G-Opt: ten million). DPDK takes time
# with the square of their number to add IPv4 routes.
entries() {
  case $1 in
  ipv4) echo 100000 ;;
  ipv6) echo 1000000 ;;
  l2switch) echo 16000000 ;;
  ndn) echo 10000000 ;;
  crypto) echo 4000000 ;;
  *) echo "forward.sh: there is no $1" >&2; exit 2 ;;
  esac
}

mkdir -p "$work"
cd "$work"
for app in "$@"; do
  program=forward-$app
  table="--entries $(entries "$app") ${ZIPF:+--zipf}"
  make -s -C "$here/../../examples/forward" CC="$build/bin/heddle-cc" BUILD="$work" "$program"
  # shellcheck disable=SC2086
  {
    "$heddle" profile "$program" --stdout "$app.profile" -- $eal -- $table --packets 300000
    "$heddle" plan "$program" --print > "$app.plan"
    "$heddle" build "$program"
    "$heddle" verify "$program" -- $eal -- $table --packets 200000 --digest > "$app.verify" || { cat "$app.verify"; exit 1; }
    "$heddle" bench "$program" --metric 'pps=([0-9.]+)' --pairs "${PAIRS:-7}" --json "$app.json" \
      -- $eal -- $table --packets "$packets" --timing > "$app.bench"
  }
done
"$here/table.py" "$@" > table.txt
cat table.txt
