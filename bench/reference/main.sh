#!/bin/sh
# The values that the reference tests hold Taper to, computed again by R and by
# Python from the same rows, and the tests. Without R or its packages it says so
# and leaves the stored values as they are.
set -eu
cd "$(dirname "$0")/../.."
python=/usr/bin/python3
out=testdata/oracle
export TZ=UTC
if $python -c 'import mpmath' 2>/dev/null; then
	$python bench/reference/bitempered.py $out
else
	echo "mpmath is not installed (Debian: python3-mpmath), so the stored values of the bi-tempered loss stay."
fi
if ! Rscript -e 'for (p in c("rms", "pROC", "boot", "car", "Epi", "epiR", "glmnet", "survey", "jsonlite")) stopifnot(requireNamespace(p, quietly = TRUE))' >/dev/null 2>&1; then
	echo "R or one of its packages is not installed (Debian: r-base-core, r-cran-rms, -proc, -boot, -car, -epi, -epir, -glmnet, -survey, -jsonlite), so the stored reference values stay."
	exit 0
fi
if ! { [ -x $python ] && $python -c 'import sklearn, statsmodels' 2>/dev/null; }; then
	echo "scikit-learn or statsmodels is not installed (Debian: python3-sklearn, python3-statsmodels), so the stored reference values stay."
	exit 0
fi
$python bench/reference/rows.py $out/statistics-data.json
Rscript bench/reference/values.R $out/statistics-data.json $out/statistics-r.json
$python bench/reference/values.py $out/statistics-data.json $out/statistics-python.json
go test -count 1 -v -run Reference ./internal/engine/stat ./internal/engine/fit/linear
