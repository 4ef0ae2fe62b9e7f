#!/usr/bin/env bash
# Builds the agent and puts it to agent/agent.jar, or to the file named. Needs Maven and a JDK of 9 to 26.
set -euo pipefail
to=$(realpath -m "${1:-$(dirname "$0")/agent.jar}")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r pom.xml src "$work"
export MAVEN_OPTS="${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"
mvn --batch-mode --quiet ${MAVEN_FLAGS:-} --file "$work/pom.xml" package
cp "$work/target/agent.jar" "$to"
