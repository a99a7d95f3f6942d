#!/bin/sh
# Runs the checks of all real programs and writes docs/apps.md from what they left. usage: table.sh [BUILD]
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-build}
for name in ndpi nginx knot unbound dnsdist; do
  "$here/check.sh" "$name" "$build" declared || echo "$name: exit $?"
done
/usr/bin/python3 "$here/table.py" "$build" > "$here/../../docs/apps.md.new" &&
  mv "$here/../../docs/apps.md.new" "$here/../../docs/apps.md"
