#!/bin/sh
# One value and gradient over 864,154 x 42 float64 against reading the same
# bytes once on all cores, and the other losses against the logistic one; then
# what linear fits allocate. Medians of the ratios of 60 rounds. Exit status 1 when a
# target is missed. Wants a quiet machine.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp)
trap 'rm -f "$out"' EXIT
missed=0
go test -run '^$' -bench '^BenchmarkPass$' -benchtime 60x ./internal/engine/fit/linear >"$out"
go test -run '^$' -bench '^BenchmarkMemory$' -benchtime 1x ./internal/engine/fit/linear >>"$out"

# metric NAME UNIT: of a benchmark.
metric() {
	awk -v name="Benchmark$1" -v unit="$2" '{ sub(/-[0-9]+$/, "", $1) } $1 == name { for (i = 2; i <= NF; i++) if ($i == unit) print $(i-1) }' "$out"
}

# row WHAT VALUE TARGET NOTE
row() {
	verdict=$(awk -v v="$2" -v t="$3" 'BEGIN { print v <= t ? "reached" : "MISSED" }')
	[ "$verdict" = reached ] || missed=1
	printf '%-62s %6.2f  at most %-4g %s  %s\n' "$1" "$2" "$3" "$verdict" "$4"
}
# pass LOSS TARGET WHAT
pass() { row "$1 pass over $3" "$(metric Pass "$1-ratio")" "$2" "$(metric Pass "$1-ms") ms"; }

pass logistic 2 "reading the bytes once ($(metric Pass read-ms) ms)"
for loss in alpha-2 alpha-3; do
	pass $loss 2 'the logistic one'
done
for loss in tempered tempered-compact tempered-steep t-logistic; do
	pass $loss 2 'the logistic one'
done
for fit in logistic alpha tempered t-logistic t-logistic-cmp hinge interval; do
	row "$fit fit: matrix and all it allocates, over the matrix" "$(metric Memory/$fit matrices)" 1.3 ''
done
exit $missed
