#!/bin/sh
# The certified trainer of potentials: ordered classes, and a Gaussian kernel
# beside libsvm on the same rows, in one go. The comparison needs Debian's
# python3-sklearn.
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/potential" ./bench/potential
"$dir/potential" "$dir/rows.bin" >"$dir/ours.json"
cat "$dir/ours.json"
if ! command -v /usr/bin/python3 >/dev/null; then
	echo "No comparison with libsvm: python3 is not installed."
	exit
fi
/usr/bin/python3 bench/potential.py "$dir/rows.bin" "$dir/ours.json"
