#!/bin/sh
# Installs Heddle by DESTDIR, moves what came of it elsewhere, hides the build folder, and takes a program the whole way with
# it. usage: installed.sh BUILD FOLDER, of this test. In a mount namespace of its own, as root.
set -eu
build=$1 here=$2 self=$(realpath "$0")
if [ "${3-}" != hidden ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  DESTDIR=$folder/staging cmake --install "$build" --prefix /opt/heddle >"$folder/log"
  mv "$folder/staging/opt/heddle" "$folder/moved"
  (cd "$folder/moved" && find . -type f -printf '%P\n' -o -type l -printf '%P -> %l\n' | sort)
  cp -r "$here/../staged/Inputs/packets.h" "$here/Inputs/server.c" "$folder"
  cd "$folder"
  unshare -m "$self" "$build" "$here" hidden
  exit
fi

mount -t tmpfs none "$build"
[ ! -e "$build/bin" ] && echo "the build folder is hidden"
heddle() { env -i PATH=/usr/bin:/bin HOME="$PWD" TMPDIR="$PWD" moved/bin/heddle "$@"; }
env -i PATH=/usr/bin:/bin moved/bin/heddle-cc -O2 -g -I. -Imoved/include server.c -o server
heddle profile server --
heddle plan server --policy finest --budget 1K --host xeon-e5-2680
heddle build server
heddle verify server --
heddle verify server --dependencies --
heddle report server --text
echo "all done"
