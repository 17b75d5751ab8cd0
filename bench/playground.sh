#!/bin/sh
# Dragging in the playground: both models refitted, evaluated and described at
# every move, as the live handler does it before the answer is written. Median
# and 95th percentile in milliseconds. Exit status 1 when a target is missed; the
# targets of the issue leave the rest of its time to the browser. Wants a quiet
# machine.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp)
trap 'rm -f "$out"' EXIT
go test -run '^$' -bench '^BenchmarkPlayground$' -benchtime "${MOVES:-60}x" ./internal/web/page/playground >"$out"
awk '
/^BenchmarkPlayground\// {
	sub(/^BenchmarkPlayground\//, "", $1); sub(/-[0-9]+$/, "", $1)
	for (i = 2; i < NF; i++) { if ($(i+1) == "p50-ms") median = $i; if ($(i+1) == "p95-ms") tail = $i }
	target = $1 ~ /^n=300/ ? 80 : $1 ~ /^n=2000/ ? 210 : $1 ~ /^kernel/ ? 360 : 0
	verdict = !target ? "" : tail <= target ? "reached" : "MISSED"
	if (verdict == "MISSED") missed = 1
	printf "%-44s median %7.1f  p95 %7.1f  %s %s\n", $1, median, tail, target ? "at most " target : "", verdict
}
END { exit missed }' "$out"
