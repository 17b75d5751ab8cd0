#!/bin/sh
# 100 stumps by Taper, scikit-learn and xgboost on the same two sets, in one go, and the slowest of our fits over the
# faster way of xgboost. Peers are Debian's python3-sklearn and python3-xgboost; what is missing is
# skipped with a sentence. Exit status 1 when a target is missed.
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python=/usr/bin/python3
has() { [ -x $python ] && $python -c "import $1" 2>/dev/null; }
go build -o "$dir/boost" ./bench/boost
"$dir/boost" write "$dir/long-servedio.bin"
if has sklearn; then
	$python bench/boost.py cancer "$dir/breast-cancer.bin"
else
	echo "scikit-learn is not installed (Debian: python3-sklearn), so the breast cancer set is skipped."
fi
missed=0
for set in "$dir"/*.bin; do
	echo "== $(basename "$set" .bin)"
	"$dir/boost" fit "$set" | tee "$dir/times"
	if has numpy; then
		$python bench/boost.py fit "$set" | tee -a "$dir/times"
	else
		echo "numpy is not installed (Debian: python3-numpy), so the peers are skipped."
	fi
	awk '
		{ for (i = 1; i < NF; i++) if ($i == "median") ms = $(i+1) }
		/^Taper/ { if (ms > ours) ours = ms }
		/^xgboost .*median/ { if (!peer || ms < peer) peer = ms }
		END {
			if (!peer) { print "no comparison with xgboost"; exit }
			printf "slowest of ours over the faster of xgboost: %.2f (at most 0.35) -> %s\n", ours / peer, ours <= .35 * peer ? "reached" : "MISSED"
			exit ours > .35 * peer
		}' "$dir/times" || missed=1
done
exit $missed
