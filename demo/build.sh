#!/usr/bin/env bash
# Compiles the demo program for every JVM from 8 on and packs it into demo/shop.jar. Needs a JDK of 9 to 26.
set -euo pipefail
cd "$(dirname "$0")"
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac --release 8 -Xlint:-options -g -d "$classes" src/demo/Shop.java
printf 'Main-Class: demo.Shop\n' >"$classes/manifest.txt"
jar --create --file shop.jar --manifest "$classes/manifest.txt" --date 2026-01-01T00:00:00Z -C "$classes" demo
