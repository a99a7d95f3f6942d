#!/bin/sh
# Runs every step with its output, and then with TMPDIR, on a small file system that is full, or nearly.
# usage: unshare -m disk-full.sh FOLDER HEDDLE, in a folder with `server`, profiled, planned and built.
set -eu
folder=$1 heddle=$2
mount -t tmpfs -o size=256k none "$folder" # in a mount namespace that ends with this script

# try LEFT COMMAND...: leaves LEFT kibibytes free, runs, prints the errors and what lies on the full disk afterwards.
try() {
  rm -rf "${folder:?}"/*
  head -c $(((256 - $1) * 1024)) /dev/zero >"$folder/fill"
  shift
  echo "== $*"
  status=0
  "$@" >/dev/null 2>errors || status=$?
  grep -v '^heddle: \(prepare\|profile\|plan\|build\|verify\):' errors || true
  echo "status $status, left: $(ls "$folder")"
}

for left in 0 4; do try $left "$heddle" inspect server --work "$folder"; done
try 0 "$heddle" inspect server --json "$folder/inspect.json"
try 0 "$heddle" profile server -o "$folder/profile" --
try 4 "$heddle" plan server --policy finest -o "$folder/plan"
try 8 "$heddle" build server -o "$folder/server.heddle"
try 0 "$heddle" verify server --optimized built --json "$folder/verify.json" --

TMPDIR=$folder
export TMPDIR
for left in 0 8 16 32; do try $left "$heddle" profile server -o profile --; done
for left in 0 8; do try $left "$heddle" build server -o server.heddle; done
for left in 0 16; do try $left "$heddle" verify server --optimized built --; done
test ! -e profile && test ! -e server.heddle && ls | grep -F .tmp. || echo "nothing half-written"
