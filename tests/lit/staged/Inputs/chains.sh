#!/bin/sh
# chains.sh PROGRAM DATA fp|dwarf: records call chains with perf; fails unless nearly all samples in `late` lead to main by
# way of the body (fp), or as far as the private stack goes (dwarf: perf keeps a copy of one stack). A machine on which
# perf cannot record is a skip, with its reason.
set -u
program=$1 data=$2 how=$3
if ! perf record -q -e cpu-clock:u -F 2000 --call-graph="$how" -o "$data" "$program" >/dev/null 2>"$data.err"; then
  echo "SKIP: perf cannot record here: $(grep -m1 . "$data.err")"
  exit 0
fi
perf script -i "$data" -F ip,sym 2>/dev/null | awk -v how="$how" '
  function finish() {
    if (chain ~ / late /) {
      all++
      if (chain ~ / heddle.body.*(heddle_start|heddle_run_loop)/) body++
      if (chain ~ / heddle.body.* run_packets .* main /) whole++
    }
    chain = ""
  }
  NF == 0 { finish(); next }
  { chain = chain " " $2 " " }
  END {
    finish()
    good = how == "fp" ? whole : body
    verdict = (all >= 10 && good >= 0.9 * all) ? "good" : "bad"
    printf "%s: %d samples, %d to the body, %d to main: %s\n", how, all, body, whole, verdict
  }'
