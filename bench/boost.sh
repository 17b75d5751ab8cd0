#!/bin/sh
# 100 stumps by Taper, scikit-learn and xgboost on the same two sets, in one go.
# Peers are Debian's python3-sklearn and python3-xgboost; what is missing is
# skipped with a sentence.
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
for set in "$dir"/*.bin; do
	echo "== $(basename "$set" .bin)"
	"$dir/boost" fit "$set"
	if has numpy; then
		$python bench/boost.py fit "$set"
	else
		echo "numpy is not installed (Debian: python3-numpy), so the peers are skipped."
	fi
done
