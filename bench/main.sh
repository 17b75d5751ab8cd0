#!/bin/sh
# The figures the main job has to reach, in one table: what, median of five,
# target. Exit status 1 when one is missed. Wants a quiet machine; needs
# Debian's python3-sklearn for the comparison with scikit-learn.
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

for e in -15 -10 -5 0 5 10; do
	ns=$(median "BenchmarkIntervalFit/lambda=2.$e" ./internal/engine/fit/linear)
	row "interval fit 1,000x30, K = 3, lambda 2^$e, gap 1e-6" "$(echo "$ns" | awk '{ print $1 / 1e6 }')" 5 ms
done
row 'path of 26 lambda x 5 folds, 1,000x30' "$(median BenchmarkIntervalPath/1000x30 ./internal/engine/fit/linear | awk '{ print $1 / 1e9 }')" 1 s
row 'path of 26 lambda x 5 folds, 20,000x50' "$(median BenchmarkIntervalPath/20000x50 ./internal/engine/fit/linear 1x | awk '{ print $1 / 1e9 }')" 10 s
row 'preview of a 5 MB CSV: upload to page' "$(median BenchmarkPreview ./internal/web | awk '{ print $1 / 1e9 }')" 0.5 s

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
	echo $(((t1 - t0) / 1000000))
done | sort -n | sed -n 3p >"$dir/cold"
row 'cold start to /healthz, existing data' "$(awk '{ print $1 / 1000 }' "$dir/cold")" 0.5 s

echo
echo '100 MB CSV to typed columns (>= 150 MB/s, peak <= 1 x (2 x file + 8 bytes a cell)):'
go run ./bench/csv || missed=1
echo
echo 'Logistic regression against scikit-learn (<= 0.8, 0.6, 0.5 of its time, peak <= 1.3 x matrix):'
if /usr/bin/python3 -c 'import sklearn' 2>/dev/null; then
	bench/logistic.sh || missed=1
else
	echo 'skipped: install python3-sklearn to compare'
fi
exit $missed
