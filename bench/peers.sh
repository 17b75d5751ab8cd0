#!/bin/sh
# Everything that a peer or the machine sets the measure for, in ratios of one run each: passes over reading the bytes,
# the losses over each other, scikit-learn by every solver, xgboost, libsvm. Wants a quiet machine, and Debian's
# python3-sklearn and python3-xgboost; a peer that is not installed is skipped with a sentence. Exit status
# 1 when a target is missed.
set -eu
cd "$(dirname "$0")/.."
missed=0
for part in pass families logistic boost potential; do
	echo "== bench/$part.sh"
	sh "bench/$part.sh" || missed=1
done
exit $missed
