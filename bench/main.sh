#!/bin/sh
# The figures the main job has to reach, in one table: what, median of five, target. Machines differ by a factor of
# three, so times are in units: one unit is a product of two matrices of 256 x 256 on one core, measured in the same
# run. Exit status 1 when one is missed. Wants a quiet machine. bench/peers.sh compares with other programs.
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
missed=0

# row WHAT VALUE TARGET UNIT [at-least]: one line of the table.
row() {
	verdict=$(awk -v v="$2" -v t="$3" -v least="${5:-}" 'BEGIN { print (least ? v >= t : v <= t) ? "ok" : "MISSED" }')
	[ "$verdict" = ok ] || missed=1
	printf '%-58s %9.4g  %s %-7g %-6s %s\n' "$1" "$2" "${5:+>=}${5:-<=}" "$3" "$4" "$verdict" | sed 's/at-least//; s/>= *\([0-9]\)/>= \1/'
}

# median BENCHMARK PACKAGE: nanoseconds, of five runs.
median() {
	go test -run '^$' -bench "^$1\$" -benchtime "${3:-1s}" -count 5 "$2" |
		awk '/ns\/op/ { for (i = 2; i <= NF; i++) if ($i == "ns/op") print $(i-1) }' | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

unit=$(median BenchmarkUnit ./internal/engine/fit/linear)
printf 'one unit is %.2f ms\n' "$(echo "$unit" | awk '{ print $1 / 1e6 }')"
# units NANOSECONDS
units() { awk -v ns="$1" -v unit="$unit" 'BEGIN { print ns / unit }'; }

for e in -15 -10 -5 0 5 10; do
	ns=$(median "BenchmarkIntervalFit/lambda=2.$e" ./internal/engine/fit/linear)
	row "interval fit 1,000x30, K = 3, lambda 2^$e, gap 1e-6" "$(units "$ns")" 1 units
done
row 'path of 26 lambda x 5 folds, 1,000x30' "$(units "$(median BenchmarkIntervalPath/1000x30 ./internal/engine/fit/linear)")" 150 units
row 'path of 26 lambda x 5 folds, 20,000x50' "$(units "$(median BenchmarkIntervalPath/20000x50 ./internal/engine/fit/linear 1x)")" 1500 units
row 'preview of a 5 MB CSV: upload to page' "$(units "$(median BenchmarkPreview ./internal/web)")" 60 units

# Cold start: an existing data folder, from exec to the first healthz.
scripts/build bench -o "$dir/taper" ./cmd/web
start() {
	"$dir/taper" -listen 127.0.0.1:18099 -data "$dir/data" >/dev/null 2>&1 &
	pid=$!
	until curl -sf -o /dev/null http://127.0.0.1:18099/healthz; do :; done
}
stop() { kill "$pid"; wait "$pid" || true; }
start; sleep 3; stop # the first start makes the folder and its samples
for _ in 1 2 3 4 5; do
	t0=$(date +%s%N); start; t1=$(date +%s%N); stop
	echo $((t1 - t0))
done | sort -n | sed -n 3p >"$dir/cold"
row 'cold start to /healthz, existing data' "$(units "$(cat "$dir/cold")")" 60 units

echo
echo '100 MB CSV to typed columns (peak <= 1 x (2 x file + 8 bytes a cell)):'
go run ./bench/csv || missed=1
exit $missed
