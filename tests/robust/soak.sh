#!/bin/sh
# Staged nginx and staged upf under load that is checked all the time: nothing wrong, nothing lost, nothing reordered, and
# memory that does not grow in the second half. usage: soak.sh BUILD [SECONDS]
. "$(dirname "$0")/nginx_common.sh"
duration=${2:-1200}
# prepare_upf wants these.
# shellcheck disable=SC2034
root=$repository bin=$HEDDLE_BIN
shared=$build/net
mkdir -p "$shared"
. "$repository/tests/net/upf.sh"
prepare_upf
stage_nginx

# nginx: one worker; clients whose connections stay, and others that connect for each request.
make_site "$run"
plain_conf "$run" html "worker_processes 1;"
"$staged" -p "$run" -c nginx.conf 2> "$out/stderr" &
master=$!
started="$started $master"
until_true 60 has_port $port || fail "nginx did not start"
until_true 60 pgrep -P "$master" > "$out/worker" || fail "nginx has no worker"
worker=$(cat "$out/worker")
touch "$out/go"
clients $port /file 0 "$run/html/file" - --clients 2 --together 32 --numbered --until "$out/go" > "$out/clients" &
stay=$!
clients $port /files/40000 0 "$run/html/files/40000" - --clients 1 --together 16 --close --numbered --until "$out/go" > "$out/closing" &
closing=$!

# upf: the same packets over and over to original and staged; cmp reads what both send, byte by byte.
upf_run() { # NAME PROGRAM
  mkfifo "$out/$1-n3" "$out/$1-n6"
  # shellcheck disable=SC2086
  "$2" $eal --no-huge -m 256 --file-prefix "heddle$$$1" -- --sessions "$shared/sessions.txt" --loops 1000000000 \
    --preload-n3 "$shared/n3.pcap" --preload-n6 "$shared/n6.pcap" --record-n3 "$out/$1-n3" --record-n6 "$out/$1-n6" > "$out/$1.out" 2>&1 &
}
upf_run original "$upf"
upf_original=$!
upf_run staged "$upf.heddle"
upf_staged=$!
cmp "$out/original-n3" "$out/staged-n3" > "$out/n3.cmp" 2>&1 &
compare_n3=$!
cmp "$out/original-n6" "$out/staged-n6" > "$out/n6.cmp" 2>&1 &
compare_n6=$!
started="$started $stay $closing $upf_original $upf_staged $compare_n3 $compare_n6"

all_run() {
  for process in $worker $stay $closing $upf_original $upf_staged $compare_n3 $compare_n6; do
    kill -0 "$process" 2> /dev/null || { echo "process $process has ended" > "$out/ended"; return 1; }
  done
}

# Samples memory; moves the log away now and then and prints it.
watch() {
  end=$(($(date +%s) + duration)) n=0
  while [ "$(date +%s)" -lt $end ] && all_run; do
    for process in $worker $upf_staged; do
      awk -v ORS=' ' '/^VmRSS/ { print $2 }' "/proc/$process/status"
    done >> "$out/memory"
    echo >> "$out/memory"
    sleep "$(awk "BEGIN { print $duration / 120 }")"
    n=$((n + 1))
    [ $((n % 6)) != 0 ] || rotate
  done
  for process in "$worker nginx" "$upf_staged upf"; do (crossed_sites $process) || true; done > "$out/staged"
  rm "$out/go"
  wait_gone $stay
  wait_gone $closing
  rotate
}
wait_gone() { until_true 60 gone "$1" || echo "clients do not end" > "$out/ended"; }
rotate() {
  mv "$run/logs/access.log" "$run/logs/moved"
  kill -USR1 $master
  until_true 60 test -e "$run/logs/access.log"
  sleep 0.5
  cat "$run/logs/moved"
  rm "$run/logs/moved"
}

# Requests of one connection are numbered; clients number their own, which go over one connection after another.
watch | awk '
  $5 == "-" { next }
  $3 != 200 { print "status: " $0; bad++ }
  $2 != last[$1] + 1 { print "order in the connection: " $0; bad++ }
  { last[$1] = $2; requests++ }
  END { print requests + 0, bad + 0 }' > "$out/log"

kill -TERM $upf_original $upf_staged
wait $stay && wait $closing || fail "the clients failed"
kill -QUIT $master
wait $master || fail "nginx ended with an error"
cat "$out/clients" "$out/closing"
[ ! -e "$out/ended" ] || { cat "$out"/*.cmp "$out"/*.out; fail "$(cat "$out/ended")"; }
[ "$(grep -h -c ', 0 wrong$' "$out/clients" "$out/closing" | tr -d '\n')" = 11 ] || fail "wrong answers"
answers=$(cat "$out/clients" "$out/closing" | awk '/ requests/ { sum += $1 } END { print sum }')
[ "$(tail -n 1 "$out/log")" = "$answers 0" ] || { head "$out/log"; fail "$answers answers, and the log has: $(tail -n 1 "$out/log")"; }
# Ended in the middle, one of them has sent more.
for side in n3 n6; do
  for tries in 1 2 3 4 5 6 7 8 9 10; do grep -q EOF "$out/$side.cmp" && break; sleep 1; done
  grep -q 'EOF on' "$out/$side.cmp" || { cat "$out/$side.cmp"; fail "upf: what it sent on $side differs"; }
  echo "upf: identical on $side: $(sed 's/.* after/after/' "$out/$side.cmp")"
done
cat "$out/staged"
grep -q '^nginx: sites' "$out/staged" && grep -q '^upf: sites' "$out/staged" || fail "nothing was staged"

# The last tenth of the samples against the tenth in the middle.
awk '
  { nginx[NR] = $1; upf[NR] = $2 }
  function mean(of, from, to,   i, sum) { for (i = from; i <= to; i++) sum += of[i]; return sum / (to - from + 1) }
  function growth(name, of,   tenth, middle, end) {
    tenth = int(NR / 10); middle = mean(of, int(NR / 2), int(NR / 2) + tenth); end = mean(of, NR - tenth, NR)
    printf "%s: resident memory %d kB in the middle, %d kB at the end: %+.1f %%\n", name, middle, end, (end / middle - 1) * 100
    if (end > middle * 1.05) bad = 1
  }
  END { if (NR < 20) { print "too few samples"; exit 1 } growth("nginx", nginx); growth("upf", upf); exit bad }' "$out/memory" ||
  fail "memory grows"
