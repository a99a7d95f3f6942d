#!/bin/sh
# Builds nginx 1.22.1 from Debian's source package with heddle cc. Argument: work folder (build/apps/nginx).
. "$(dirname "$0")/common.sh"
app nginx 1.22.1 "${1:-}"
program=$work/tree/objs/nginx
done_already "$program"
compilers
need libpcre2-dev zlib1g-dev libssl-dev make
fetch_source nginx 1.22.1
unpack nginx 1.22.1 "$work/tree"
cd "$work/tree"
step configure ./configure --with-cc="$HEDDLE_BIN/heddle-cc" --prefix="$work/run" --with-threads --with-file-aio \
  --with-http_ssl_module --with-http_v2_module --with-http_realip_module --with-http_stub_status_module \
  --with-cc-opt='-O2 -g'
step build make -j"$jobs"
finished "$program"
