#!/bin/sh
# One value and gradient over 864,154 x 42 float64 against reading the same
# bytes once on all cores, and the other losses against the logistic one; then
# what linear fits allocate. Ratios of medians of one run. Exit status 1 when a
# target is missed. Wants a quiet machine.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp)
trap 'rm -f "$out"' EXIT
missed=0
go test -run '^$' -bench '^Benchmark(Read|Pass)$' -benchtime 20x -count 7 ./internal/engine/train >"$out"
go test -run '^$' -bench '^BenchmarkMemory$' -benchtime 1x ./internal/engine/train >>"$out"

# median NAME UNIT: of the runs of a benchmark.
median() {
	awk -v name="Benchmark$1" -v unit="$2" '{ sub(/-[0-9]+$/, "", $1) } $1 == name { for (i = 2; i <= NF; i++) if ($i == unit) print $(i-1) }' "$out" |
		sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# row WHAT VALUE TARGET NOTE
row() {
	verdict=$(awk -v v="$2" -v t="$3" 'BEGIN { print v <= t ? "reached" : "MISSED" }')
	[ "$verdict" = reached ] || missed=1
	printf '%-52s %6.2f  at most %-4g %s  %s\n' "$1" "$2" "$3" "$verdict" "$4"
}
over() { echo "$1 $2" | awk '{ print $1 / $2 }'; }
ms() { echo "$1" | awk '{ printf "%.1f ms", $1 / 1e6 }'; }

read=$(median Read ns/op)
pass=$(median Pass/logistic ns/op)
row 'logistic pass over reading the bytes once' "$(over "$pass" "$read")" 4 "$(ms "$pass") against $(ms "$read")"
for loss in alpha-2 alpha-3; do
	row "$loss pass over the logistic one" "$(over "$(median Pass/$loss ns/op)" "$pass")" 2 "$(ms "$(median Pass/$loss ns/op)")"
done
for loss in tempered tempered-compact tempered-steep t-logistic; do
	row "$loss pass over the logistic one" "$(over "$(median Pass/$loss ns/op)" "$pass")" 4 "$(ms "$(median Pass/$loss ns/op)")"
done
for fit in logistic alpha tempered t-logistic t-logistic-cmp hinge interval; do
	row "$fit fit: matrix and all it allocates, over the matrix" "$(median Memory/$fit matrices)" 1.3 ''
done
exit $missed
