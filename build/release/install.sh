#!/bin/sh
# Installs tprof-top: picks the file for this host, compares its SHA-256 sum, and puts it into a folder.
#   sh install.sh FROM [FOLDER]
# FROM is the folder or the address (https://...) that has the files of a release; FOLDER is where the program goes:
# /usr/local/bin for root, else ~/.local/bin.
set -eu
fail() { echo "install.sh: $1" >&2; exit 1; }

from=${1:?'usage: sh install.sh FROM [FOLDER]'}
if [ "$(id -u)" = 0 ]; then into=${2:-/usr/local/bin}; else into=${2:-$HOME/.local/bin}; fi
[ "$(uname -s)" = Linux ] || fail 'tprof-top runs on Linux only'
case $(uname -m) in
	x86_64) machine=x64 ;;
	aarch64) machine=arm64 ;;
	*) fail "no file for $(uname -m)" ;;
esac
file=tprof-top-linux-$machine
# The loader of glibc is where every program of it looks.
[ -e /lib64/ld-linux-x86-64.so.2 ] || [ -e /lib/ld-linux-aarch64.so.1 ] || file=tprof-top-musl-$machine.tar.gz

got=$(mktemp -d)
trap 'rm -rf "$got"' EXIT
for name in checksums.txt "$file"; do
	case $from in
		https://* | http://*)
			if command -v curl >/dev/null; then curl -fsSL "$from/$name" -o "$got/$name"
			else wget -qO "$got/$name" "$from/$name"; fi || fail "cannot get $from/$name" ;;
		*) cp "$from/$name" "$got/$name" || fail "no $name in $from" ;;
	esac
done
(cd "$got" && grep " $file\$" checksums.txt | sha256sum -c - >/dev/null) || fail "$file is not what checksums.txt says"

mkdir -p "$into"
case $file in
	*.tar.gz) tar -xzf "$got/$file" -C "$into" && ln -sfn "${file%.tar.gz}/tprof-top" "$into/tprof-top" ;;
	*) chmod 755 "$got/$file" && cp "$got/$file" "$into/tprof-top.new" && mv "$into/tprof-top.new" "$into/tprof-top" ;;
esac
echo "installed $into/tprof-top"
