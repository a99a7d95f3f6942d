#!/bin/sh
# A staged nginx with configurations and requests that it was not profiled with: other sizes, gzip, TLS, HTTP/2, ranges, lists
# of folders, redirections, errors, connections that close. Each answer is the original's, headers too. Such builds are NOT FOR
# PRODUCTION (nginx_common.sh). usage: nginx_other.sh BUILD
. "$(dirname "$0")/nginx_common.sh"
stage_nginx
make_site "$run"
make_certificate "$run"
other_conf "$run"

# answers LABEL PROGRAM: to everything, in $out/LABEL.*
answers() {
  "$2" -p "$run" -c nginx.conf 2> "$out/$1.stderr" &
  server=$!
  started="$started $server"
  until_true 60 has_port $tls_port || fail "$1: nginx did not start"
  ask_all "$run" "$out/$1" 3000 > "$out/$1.clients" || { cat "$out/$1.clients"; fail "$1: the clients failed"; }
  [ "$(grep -c ', 0 wrong$' "$out/$1.clients")" = 4 ] || { cat "$out/$1.clients"; fail "$1: wrong answers"; }
  [ "$1" = original ] || crossed_sites $server "$1"
  kill -QUIT $server
  wait $server || fail "$1: nginx ended with an error"
}
answers original "$nginx"
for batch in 8 32; do
  HEDDLE_BATCH=$batch
  export HEDDLE_BATCH
  answers "batch-$batch" "$staged"
  for file in plain close gzip tls h2.codes; do
    cmp "$out/original.$file" "$out/batch-$batch.$file" || fail "batch $batch: answers differ: $file"
  done
  for file in "$out/batch-$batch.h2"/*; do
    size=$(basename "$file")
    cmp "$file" "$run/html/files/${size%-*}" || fail "batch $batch: HTTP/2: $size"
  done
done
grep -q '^2 200 1000000$' "$out/original.h2.codes" || fail "HTTP/2 was not used"
grep -q "Content-Encoding: gzip" "$out/original.gzip" || fail "gzip was not used"
cat "$out/batch-32.clients"
echo "identical: $(cat "$out/original.plain" "$out/original.gzip" "$out/original.tls" "$out/original.close" | grep -c '^[1-5][0-9][0-9] ') kinds of answers, and $(wc -l < "$out/original.h2.codes") by HTTP/2"
