#!/bin/sh
# Logistic regression on 2,000 x 21, 50,000 x 50 and 864,154 x 42: Taper and
# scikit-learn on the same files, their processes by turns. Needs Debian's
# python3-sklearn. Exit status 1 when a target is missed.
set -eu
cd "$(dirname "$0")/.."
python=/usr/bin/python3
if ! { [ -x $python ] && $python -c 'import sklearn' 2>/dev/null; }; then
	echo "scikit-learn is not installed (Debian: python3-sklearn), so logistic regression has no peer and is skipped."
	exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
missed=0
go build -o "$dir/logistic" ./bench/logistic

# size ROWS COLUMNS REPEATS RATIO
size() {
	"$dir/logistic" write "$dir/survey.bin" "$1" "$2"
	: >"$dir/runs"
	for _ in 1 2 3 4 5; do
		"$dir/logistic" fit "$dir/survey.bin" "$3" >>"$dir/runs"
		$python bench/logistic.py fit "$dir/survey.bin" "$3" >>"$dir/runs"
	done
	$python bench/logistic.py compare "$dir/survey.bin" "$4" "$dir/runs" || missed=1
}
size 2000 21 20 0.8
size 50000 50 8 0.6
size 864154 42 3 0.5
exit $missed
