# Sourced by the tests that run nginx: its configurations, its clients, and an nginx that is staged.
#
# Nothing proves a cut in nginx legal, so its plan is that of `--trust observed`, NOT FOR PRODUCTION: here the runtime is
# tested, not the analysis. What packets share was seen in runs of all configurations below; the profile is of one only.
. "$(dirname "$0")/common.sh"
port=${HEDDLE_PORT:-8095}
gzip_port=$((port + 1))
tls_port=$((port + 2))
kept=$build/robust/kept # a plan takes minutes
run=$out/run

# site FOLDER: what is served. Names of files are their sizes.
make_site() {
  mkdir -p "$1/logs" "$1/html/files" "$1/html2"
  for size in 0 1 100 4096 40000 1000000; do
    seq $size 1999999 | head -c $size > "$1/html/files/$size"
  done
  seq 7 7 99999 | head -c 4096 > "$1/html/file"
  seq 3 3 99999 | head -c 5000 > "$1/html2/file"
  find "$1/html" "$1/html2" -exec touch -d 2024-01-01 {} +
}

# certificate FOLDER
make_certificate() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=localhost -keyout "$1/key.pem" -out "$1/cert.pem" 2> /dev/null
}

# plain_conf FOLDER ROOT [MAIN-DIRECTIVE [LOCATION-DIRECTIVE]]: the configuration that is profiled, by itself or with a master.
plain_conf() {
  cat > "$1/nginx.conf" << CONF
daemon off; pid nginx.pid; error_log logs/error.log; ${3:-master_process off;}
events { worker_connections 512; use epoll; }
http {
  log_format ids '\$connection \$connection_requests \$status \$body_bytes_sent \$args';
  access_log logs/access.log ids; keepalive_requests 1000000;
  server { listen 127.0.0.1:$port; location / { root $2; ${4:-} } }
}
CONF
}

# other_conf FOLDER: everything else that the tests ask for.
other_conf() {
  cat > "$1/nginx.conf" << CONF
daemon off; pid nginx.pid; error_log logs/error.log; master_process off;
events { worker_connections 512; use epoll; }
http {
  access_log logs/access.log; root html; keepalive_requests 50; default_type text/plain; client_body_temp_path bodies;
  server { listen 127.0.0.1:$port; sendfile on; tcp_nopush on; location /files/ { autoindex on; }
    error_page 404 /files/100; location /old { return 301 /file; } location /head { add_header X-Answer yes; } }
  server { listen 127.0.0.1:$gzip_port; gzip on; gzip_types *; gzip_min_length 1; output_buffers 2 4k; }
  server { listen 127.0.0.1:$tls_port ssl http2; ssl_certificate $1/cert.pem; ssl_certificate_key $1/key.pem; }
}
CONF
}

# The requests under other_conf: METHOD, PATH and headers, with tabs.
other_requests() {
  for size in 0 1 100 4096 40000 1000000; do
    printf 'GET\t/files/%s\n' $size
    printf 'GET\t/files/%s\tAccept-Encoding: gzip\n' $size
    printf 'HEAD\t/files/%s\n' $size
    printf 'GET\t/files/%s\tRange: bytes=10-99\n' $size
  done
  printf 'GET\t/file\nGET\t/files/\nGET\t/files\nGET\t/missing\nGET\t/old\nPOST\t/file\nGET\t/head\nGET\t/../x\n'
  printf 'GET\t/file\tIf-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT\nGET\t/file\tConnection: close\n'
}

clients() { /usr/bin/python3 "$repository/tests/apps/http_client.py" 127.0.0.1 "$@"; }
# has_port PORT
has_port() { /usr/bin/python3 -c "import socket; socket.create_connection(('127.0.0.1', $1), 1)" 2> /dev/null; }

! has_port $port || skip "something listens on port $port (HEDDLE_PORT names another)"

# ask_all FOLDER LABEL ROUNDS: all requests on all ports under other_conf; answers in LABEL.*.
ask_all() {
  other_requests > "$1/requests"
  clients $port - "$3" - - --requests-from "$1/requests" --answers "$2.plain" --clients 2 --together 16
  clients $port - 200 - - --requests-from "$1/requests" --answers "$2.close" --clients 2 --together 16 --close
  clients $gzip_port - "$3" - - --requests-from "$1/requests" --answers "$2.gzip" --clients 2 --together 16
  clients $tls_port - "$3" - - --requests-from "$1/requests" --answers "$2.tls" --clients 2 --together 8 --tls
  # HTTP/2, many streams on one connection.
  if curl --version | grep -q HTTP2; then
    mkdir -p "$2.h2"
    curl -sk --no-progress-meter --http2 -Z --parallel-max 16 -w '%{http_version} %{response_code} %{size_download}\n' -o "$2.h2/#1-#2" \
      "https://127.0.0.1:$tls_port/files/{0,1,100,4096,40000,1000000}?[1-8]" | sort > "$2.h2.codes"
  fi
}

# Profiles, and plans twice: without windows, so as to see what packets share, and with what was seen. Minutes, so it is kept.
stage_nginx() {
  mkdir -p "$kept"
  work=$kept
  need curl openssl
  build_app nginx
  nginx=$build/apps/nginx/tree/objs/nginx
  staged=${HEDDLE_STAGED_NGINX:-$kept/nginx/nginx.heddle} # another one, for trials
  if [ -n "${HEDDLE_STAGED_NGINX:-}" ]; then return; fi
  if [ "$staged" -nt "$nginx" ] && [ "$staged" -nt "$heddle" ]; then return; fi
  rm -rf "$kept/nginx"
  mkdir -p "$kept/nginx/run"
  folder=$kept/nginx/run
  common="--work $kept/nginx/work --config $repository/bench/sockets/nginx.toml"
  study="--trust observed --rare 0.02"
  serve="-p $folder -c nginx.conf"
  make_site "$folder"
  make_certificate "$folder"
  plain_conf "$folder" html
  # shellcheck disable=SC2086
  {
    { until_true 300 has_port $port; clients $port /file 8000 "$folder/html/file" "$folder/nginx.pid" --clients 2 --together 32; } &
    "$heddle" profile "$nginx" $common --timeout 300 -- $serve
    wait
    "$heddle" plan "$nginx" $common $study --policy finest --budget 1K
    # Requests on connections that stay, then all kinds.
    { until_true 300 has_port $port; clients $port /file 2000 "$folder/html/file" "$folder/nginx.pid" --clients 2 --together 32; } &
    "$heddle" verify "$nginx" $common --dependencies --json "$kept/nginx/seen1.json" -- $serve > "$kept/nginx/seen1.txt" 2>&1 || true
    wait
    other_conf "$folder"
    { until_true 300 has_port $port; ask_all "$folder" "$kept/nginx/seen" 200; kill -QUIT "$(cat "$folder/nginx.pid")"; } &
    "$heddle" verify "$nginx" $common --dependencies --json "$kept/nginx/seen2.json" -- $serve > "$kept/nginx/seen2.txt" 2>&1 || true
    wait
    "$heddle" plan "$nginx" $common $study --observed "$kept/nginx/seen1.json" --observed "$kept/nginx/seen2.json" --budget 16K
    grep -q '"stage": 1' "$kept/nginx/work/plan.json" || fail "the plan has no site: nothing is tested"
    "$heddle" build "$nginx" $common -o "$staged"
  }
}
