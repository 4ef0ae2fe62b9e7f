#!/usr/bin/env bash
# Records the demo program into recording.tprof: `tprof-top demo` shows it on a host without a JVM, and the pictures in
# docs/pictures are drawn from it. Needs a built program and a JVM.
set -euo pipefail
cd "$(dirname "$0")"
# The program ends with its standard input.
sleep 60 | java -Xmx384m -jar shop.jar >/dev/null &
trap 'kill $(jobs -p)' EXIT
# Its compilers have had their time by then.
sleep 15
rm -f recording.tprof
node ../dist/cli.js record $! -o recording.tprof --duration 20
chmod 644 recording.tprof
