#!/bin/sh
# An application of examples/forward, built with heddle cc. usage: build.sh EXAMPLE APP FOLDER
set -eu
rm -rf "$3"
make -s -C "$1" CC=heddle-cc BUILD="$3" "forward-$2"
