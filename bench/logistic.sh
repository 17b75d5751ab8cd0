#!/bin/sh
# Logistic regression on 2,000 x 21, 50,000 x 50 (correlated and isotropic) and 864,154 x 42: Taper and every
# solver of scikit-learn on the same files, their processes by turns. Needs Debian's
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

# size KIND ROWS COLUMNS REPEATS RATIO ROUNDS SOLVERS
size() {
	"$dir/logistic" "$1" "$dir/rows.bin" "$2" "$3"
	: >"$dir/runs"
	for round in $(seq "$6"); do
		"$dir/logistic" fit "$dir/rows.bin" "$4" >>"$dir/runs"
		for solver in $7; do
			$python bench/logistic.py fit "$dir/rows.bin" "$4" "$solver" >>"$dir/runs"
		done
	done
	$python bench/logistic.py compare "$dir/rows.bin" "$5" "$dir/runs" || missed=1
}
all='lbfgs newton-cholesky newton-cg liblinear sag saga'
size write 2000 21 20 0.4 5 "$all"
size write 50000 50 4 0.25 3 "$all"
size isotropic 50000 50 4 0.25 3 "$all"
# newton-cg and the stochastic solvers take minutes of the largest rows, and are the slowest of the others.
size write 864154 42 2 0.25 3 'lbfgs newton-cholesky liblinear'
exit $missed
