#!/bin/sh
# What staging does for nginx's own code: static files of 4 KB, 64 clients, sockets and files answered from memory.
#
# The plan trusts tests/apps/nginx.toml; the dependency checker must find nothing reversed. Every answer is compared with the run's
# first one to that request, and these with the original's; original and staged nginx run in turn. With real sockets, kernel.py does
# the same. TRUST=observed makes a study of it instead, never for production: what packets share is taken from a run that the checker
# watches under a plan without windows, and reversed pairs are a finding.
# Last line: JSON. usage: nginx.sh [BUILD] [BUDGET]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
budget=${2:+--budget $2}
trust=${TRUST:-declared}
heddle=$build/bin/heddle
sockets=$build/lib/libheddle_sockets.so
[ -f "$sockets" ] || { echo "nginx.sh: $sockets is missing: make build" >&2; exit 2; }
HEDDLE_BIN=$build/bin "$here/../../tests/apps/nginx.sh" "$build/apps/nginx"
nginx=$build/apps/nginx/tree/objs/nginx
work=$build/bench/nginx
rm -rf "$work"
mkdir -p "$work/run/logs" "$work/run/html"
cd "$work"

for n in 1 2 3 4 5 6 7 8; do
  seq "$n" 7 99999 | head -c 4096 > "run/html/$n"
  printf 'GET /%d HTTP/1.1\r\nHost: localhost\r\nUser-Agent: heddle\r\nAccept: */*\r\n\r\n' "$n"
done > requests
cat > run/nginx.conf << CONF
daemon off; master_process off; pid nginx.pid; error_log logs/error.log;
events { worker_connections 256; use epoll; }
http { access_log off; keepalive_requests 1000000; server { listen 127.0.0.1:8199; location / { root html; } } }
CONF
serve="-p $work/run -c nginx.conf"
config=$here/../../tests/apps/nginx.toml
[ "$trust" != observed ] || config=$here/nginx.toml # no key
common="--work $work/heddle --config $config"

# on_sockets REQUESTS COMMAND...
on_sockets() {
  count=$1
  shift
  LD_PRELOAD=$sockets SOCKETS_REQUESTS=$work/requests SOCKETS_FILES=$work/run/html/ \
    SOCKETS_COUNT=$count "$@"
}

# watched FILE OPTIONS...: what the dependency checker says.
# shellcheck disable=SC2086
watched() {
  file=$1
  shift
  status=0
  on_sockets 8000 "$heddle" verify "$nginx" $common --dependencies "$@" -- $serve > "$file" 2>&1 || status=$?
  grep '^order:' "$file" || { tail -n 5 "$file" >&2; echo "nginx.sh: the checker did not finish" >&2; exit 1; }
  [ $status = 0 ] || [ "$trust" = observed ] || exit $status
}

# answers PROGRAM: a digest of all, without their dates.
# shellcheck disable=SC2086
answers() { on_sockets 20000 "$1" $serve | sed -n 's/^sockets: .* answers //p'; }

# shellcheck disable=SC2086
{
  on_sockets 8000 "$heddle" profile "$nginx" $common --timeout 120 -- $serve
  plan="--trust $trust --rare 0.035"
  if [ "$trust" = observed ]; then
    "$heddle" plan "$nginx" $common $plan --policy finest --budget 1K
    echo "with no windows:"
    watched seen.txt --json seen.json
    plan="$plan --observed seen.json"
  fi
  "$heddle" plan "$nginx" $common $plan $budget --print > plan.txt
  echo "as planned (check.txt):"
  watched check.txt
  grep -A 4 '^simulated' plan.txt
  "$heddle" build "$nginx" $common -o nginx.heddle
  expected=$(answers "$nginx")
  for batch in 1 8 32 64; do
    got=$(HEDDLE_BATCH=$batch answers ./nginx.heddle)
    [ -n "$got" ] && [ "$got" = "$expected" ] || { echo "nginx.sh: answers differ at batch $batch" >&2; exit 1; }
  done
  echo "answers: identical at batch 1, 8, 32, 64"
  if command -v wrk > /dev/null; then
    "$here/kernel.py" nginx "$nginx" ./nginx.heddle --rounds 8 --server "$serve" \
      --load 'wrk -t1 -c64 -d{seconds} http://127.0.0.1:8199/1' --completed '(\d+) requests in' --wrong Non-2xx
  else
    echo "with the kernel: skipped, wrk is not installed (package wrk)"
  fi
  on_sockets 200000 "$heddle" bench "$nginx" --optimized nginx.heddle --metric 'lower:ns per request: ([0-9.]+)' \
    --json result.json -- $serve
  /usr/bin/python3 -c 'import json; print(json.dumps(json.load(open("result.json"))))'
}
