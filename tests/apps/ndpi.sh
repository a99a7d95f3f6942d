#!/bin/sh
# Builds nDPI 4.2's reader from the upstream tarball in Debian's pool: with heddle cc in tree/, and with plain clang
# in tree-clang/ if the second argument is `clang`. First argument: work folder (build/apps/ndpi).
. "$(dirname "$0")/common.sh"
variant=${2:-heddle}
app ndpi 4.2 "${1:-}"
tree=$work/tree
[ "$variant" = heddle ] || { tree=$work/tree-clang; stamp=$work/built-clang.stamp; }
program=$tree/example/ndpiReader
done_already "$program"
need autoconf automake libtool pkg-config make gettext libpcap-dev libjson-c-dev
if [ "$variant" = heddle ]; then
  compilers
  cc=$HEDDLE_BIN/heddle-cc cxx=$HEDDLE_BIN/heddle-c++
else
  cc=clang-19 cxx=clang++-19
fi
ls "$work/source/ndpi_4.2.orig.tar."* > /dev/null 2>&1 || fetch_source ndpi 4.2
unpack ndpi 4.2 "$tree"
cd "$tree"
# autogen.sh runs configure too
step "configure-$variant" env CC="$cc" CXX="$cxx" CFLAGS='-O2 -g' ./autogen.sh
step "build-$variant" make -j"$jobs"
finished "$program"
