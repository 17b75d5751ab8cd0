#!/bin/sh
# Logistic regression on 864,154 x 42: Taper and scikit-learn on one file, in
# one go. Needs Debian's python3-sklearn. An argument changes the row count.
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/logistic" ./bench/logistic
"$dir/logistic" write "$dir/survey.bin" "${1:-864154}"
"$dir/logistic" fit "$dir/survey.bin" >"$dir/taper.json"
/usr/bin/python3 bench/logistic.py fit "$dir/survey.bin" >"$dir/sklearn.json"
/usr/bin/python3 bench/logistic.py compare "$dir/survey.bin" "$dir/taper.json" "$dir/sklearn.json"
