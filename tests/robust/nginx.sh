#!/bin/sh
# A staged nginx, with a master and two workers, under clients that check every byte, while it is reloaded, its log is
# rotated, it is stopped and killed. Such builds are NOT FOR PRODUCTION (nginx_common.sh). usage: nginx.sh BUILD
. "$(dirname "$0")/nginx_common.sh"
stage_nginx
make_site "$run"

start() {
  rm -f "$run/nginx.pid"
  "$staged" -p "$run" -c nginx.conf 2>> "$out/stderr" &
  master=$!
  started="$started $master"
  until_true 60 has_port $port && until_true 60 two_others none || fail "$1: nginx did not start"
}
workers() { pgrep -P "$master" || true; }
two_others() { # is none of these there, and are two others?
  now=$(workers)
  for old in $1; do case " $(echo $now) " in *" $old "*) return 1 ;; esac; done
  [ "$(echo "$now" | wc -w)" = 2 ]
}

# load OPTION...: clients in the background, until `loaded` ends them.
load() {
  touch "$out/go"
  clients $port /file 0 "$run/html/file,$run/html2/file" - --clients 2 --together 32 --numbered --until "$out/go" "$@" > "$out/clients" &
  client=$!
  started="$started $client"
  sleep 1
}
# loaded NAME: ends them; their requests must have been answered.
loaded() {
  sleep 1
  rm "$out/go"
  wait $client || fail "$1: the clients failed"
  grep -q ', 0 wrong$' "$out/clients" || { cat "$out/clients"; fail "$1: wrong answers"; }
  echo "$1: $(tail -n 1 "$out/clients")"
}

# logged_once NAME: what clients got is in the logs once, and in the order of each connection.
logged_once() {
  answers=$(sed -n 's/^\([0-9]*\) requests.*/\1/p' "$out/clients")
  # Oldest first: access.log.1, access.log.2, access.log
  cat $(ls "$run"/logs/access.log.* 2> /dev/null) "$run/logs/access.log" > "$out/log"
  awk -v answers="$answers" -v name="$1" '
    $5 == "-" { next } # whoever looked for the port
    seen[$5]++ { print name ": logged twice: " $0; bad = 1 }
    $2 != last[$1] + 1 { print name ": request " last[$1] + 1 " of connection " $1 " is not before this: " $0; bad = 1 }
    { last[$1] = $2; requests++ }
    END {
      if (requests != answers) { print name ": " answers " answers, but " requests " requests in the logs"; bad = 1 }
      if (bad) exit 1
      print name ": each of " requests " requests logged once, in order"
    }' "$out/log" || fail "$1: the log is wrong"
}

# Everybody's connections end, and what was logged is only what follows.
stop() {
  kill -QUIT "$master"
  status=0
  wait "$master" || status=$?
  [ $status = 0 ] || fail "$1: nginx ended with status $status"
  rm -f "$run"/logs/access.log*
}

two="worker_processes 2; worker_shutdown_timeout 20"

# The new configuration serves another folder. Old workers answer what they have taken, or close between two requests.
plain_conf "$run" html "$two;"
start reload
load --may-close
for root in html2 html html2; do
  before=$(workers)
  plain_conf "$run" $root "$two;"
  kill -HUP "$master"
  until_true 30 two_others "$before" || fail "reload: the workers are not new ones"
  sleep 0.5
done
for worker in $(workers); do crossed_sites "$worker" "reload, worker"; done
loaded reload
grep -q ' [1-9][0-9]* html.file, [1-9][0-9]* html2.file,' "$out/clients" || fail "reload: one of the configurations never answered"
clients $port /file 64 "$run/html2/file" - --clients 2 --together 32 | grep -q '^64 requests, 0 wrong' || fail "reload: not the last configuration"
stop reload

# The log is moved away and opened again, under load.
start rotation
load
for n in 1 2 3; do
  mv "$run/logs/access.log" "$run/logs/access.log.$n"
  kill -USR1 "$master"
  until_true 30 test -e "$run/logs/access.log" || fail "rotation: no new log"
  sleep 0.5
done
loaded rotation
for worker in $(workers); do crossed_sites "$worker" "rotation, worker"; done
logged_once rotation
stop rotation

# In flight at SIGQUIT: 64 answers of 1 MB that take 2 s.
plain_conf "$run" html "$two;" "limit_rate 500k;"
start "graceful stop"
clients $port /files/1000000 64 "$run/html/files/1000000" - --clients 2 --together 32 > "$out/clients" &
client=$!
all_in_flight() { [ "$(for w in $(workers); do ls -l "/proc/$w/fd"; done | grep -c '/1000000$')" = 64 ]; }
until_true 30 all_in_flight || fail "graceful stop: 64 answers are never in flight"
kill -QUIT "$master"
until_true 10 eval '! has_port $port' || fail "graceful stop: still listening"
kill -0 $client 2> /dev/null || fail "graceful stop: nothing was in flight any more"
wait $client
grep -q '^64 requests, 0 wrong' "$out/clients" || { cat "$out/clients"; fail "graceful stop: answers in flight were lost"; }
wait "$master" || fail "graceful stop: nginx ended with an error"
echo "graceful stop: 64 answers that were in flight arrived"

# A killed worker's connections break; the master starts another one.
plain_conf "$run" html "$two;"
start "killed workers"
load --may-die
for n in 1 2 3; do
  before=$(workers | head -n 1)
  kill -9 "$before"
  until_true 30 two_others "$before" || fail "killed workers: there is no new one"
  sleep 0.5
done
for worker in $(workers); do crossed_sites "$worker" "killed workers, worker"; done
loaded "killed workers"

# All are killed, and started again.
load --may-die
for n in 1 2 3; do
  # The master first, or it would start others.
  before="$master $(workers)"
  # shellcheck disable=SC2086
  kill -9 $before
  wait "$master" 2> /dev/null || true
  until_true 10 eval '! has_port $port' || fail "killed and restarted: somebody still listens"
  start "killed and restarted"
  sleep 0.5
done
for worker in $(workers); do crossed_sites "$worker" "killed and restarted, worker"; done
loaded "killed and restarted"
stop "killed and restarted"
! grep -q 'emerg\|alert.*exited on signal [^9]' "$run/logs/error.log" || { cat "$run/logs/error.log"; fail "errors in the log"; }
