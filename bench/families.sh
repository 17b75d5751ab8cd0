#!/bin/sh
# Fits of the other losses over our logistic fit of the same rows, and fits of 11,000,000 rows over reading them once:
# medians within one run. Wants a quiet machine and 6 GB. Exit status 1 when a target is missed.
set -eu
cd "$(dirname "$0")/.."
go test -run '^$' -bench '^BenchmarkFamilies$' -benchtime 5x ./internal/engine/fit/linear |
	awk '
		/^Benchmark/ {
			sub(/^BenchmarkFamilies./, "", $1); sub(/-[0-9]+$/, "", $1)
			for (i = 3; i < NF; i++) if ($(i+1) ~ /-ratio$/) {
				name = $(i+1); sub(/-ratio$/, "", name); bad += $i > 2
				printf "%-12s %-18s over logistic %6.2f  at most 2  %s\n", $1, name, $i, $i <= 2 ? "reached" : "MISSED"
			}
		}
		END { exit bad > 0 }' || missed=1
go test -run '^$' -bench '^BenchmarkHiggs$' -benchtime 1x -timeout 20m ./internal/engine/fit/linear |
	awk '
		BEGIN { most["logistic"] = 25; most["alpha-2"] = most["two-temperature"] = 40; most["interval"] = 80 }
		/^BenchmarkHiggs.[a-z]/ {
			sub(/^BenchmarkHiggs./, "", $1); sub(/-[0-9]+$/, "", $1)
			for (i = 3; i < NF; i++) v[$(i+1)] = $i
			good = v["readings"] <= most[$1] && v["matrices"] <= 1.3; bad += !good
			printf "11,000,000x28 %-16s %6.1f readings  at most %d, memory %.2f of the matrix, at most 1.3  %s\n", $1, v["readings"], most[$1], v["matrices"], good ? "reached" : "MISSED"
		}
		END { exit bad > 0 }' || missed=1
exit ${missed:-0}
