#!/bin/sh
# What staging does for unbound: a validating resolver of a signed zone, real sockets, dnsperf with a file of mixed questions that the
# cache answers but for the first time (not those for names that do not exist, asked for with AAAA: unbound takes them upstream each time).
#
# The plan trusts tests/apps/unbound.toml; the dependency checker must find nothing reversed, and all answers must be the original's
# at every batch size. Last line: JSON. usage: unbound.sh [BUILD] [BUDGET] [RARE]
set -u
here=$(cd "$(dirname "$0")/../../tests/apps" && pwd)
kernel=$(cd "$(dirname "$0")" && pwd)/kernel.py
build=$(cd "${1:-build}" && pwd)
budget=${2:+--budget $2} rare=${3:-0.02}
name=unbound
heddle=$build/bin/heddle
HEDDLE_BIN=$build/bin
export HEDDLE_BIN
out=$build/bench/unbound
fail() { echo "unbound.sh: $*" >&2; exit 1; }
. "$here/dns.sh"
command -v dnsperf > /dev/null || fail "dnsperf is not installed (package dnsperf)"
"$here/unbound.sh" "$build/apps/unbound-forks" forks || exit $?
program=$build/apps/unbound-forks/tree/unbound
mkdir -p "$out"
backend 5397
unbound_conf
serve="-d -c $out/run/unbound.conf"
said="--work $out/heddle --config $here/unbound.toml"

seq 200 | awk '{ printf "host%d.example A\nhost%d.example AAAA\nhost%d.example MX\nalias%d.example A\nhost%d.example TXT\n", $1, $1, $1, $1, $1
  printf "none%d.example A\nexample NS\nexample SOA\nalias%d.example CNAME\nalias%d.example AAAA\n", $1, $1, $1 }' > "$out/questions"
load="dnsperf -s 127.0.0.1 -p 5398 -d $out/questions -q 64"

# under_load PASSES COMMAND...: the command as the server, stopped when all questions were asked so many times.
under_load() {
  passes=$1
  shift
  rm -f "$out/run/unbound.pid"
  "$@" > "$out/server.txt" 2>&1 &
  server=$!
  for _ in $(seq 600); do [ -f "$out/run/unbound.pid" ] && break; sleep 0.1; done
  $load -n "$passes" > "$out/load.txt" || fail "dnsperf: $(tail -n 3 "$out/load.txt")"
  kill "$(cat "$out/run/unbound.pid")"
  wait $server || fail "$*: $(tail -n 3 "$out/server.txt")"
}

# shellcheck disable=SC2086
{
  under_load 250 "$heddle" profile "$program" $said --timeout 500 -- $serve
  "$heddle" plan "$program" $said --rare "$rare" $budget --print --explain > "$out/plan.txt" || fail "no plan"
  grep '^  32K' "$out/plan.txt"
  under_load 10 "$heddle" verify "$program" $said --dependencies -- $serve
  grep '^order:' "$out/server.txt" || fail "$(tail -n 3 "$out/server.txt")"
  "$heddle" build "$program" $said -o "$out/unbound.heddle" || fail build
  compare 5398 "" $serve
}
"$kernel" unbound "$program" "$out/unbound.heddle" --server "$serve" --load "$load -l {seconds}" \
  --completed 'Queries completed: *(\d+)' --wrong 'SERVFAIL|REFUSED|FORMERR' --rounds "${ROUNDS:-12}"
