#!/bin/sh
# Writes the papers' data that Debian has, as CSV, into bench/paperdata/out (git-ignored), and
# SOURCES beside them: package, version, licence, rows, columns and SHA-256 of each file.
#
#	bench/paperdata/main.sh [FOLDER|-check]
#
# Packages that are missing are installed; -check only says whether they are there. The files
# ship with nothing: their licences are the packages' and their authors'.
set -eu
cd "$(dirname "$0")/../.."
python=/usr/bin/python3 # Debian's own: another one does not see its packages
there() {
	command -v Rscript >/dev/null 2>&1 && [ -x $python ] &&
		Rscript -e 'for (p in c("mlbench", "MASS", "kernlab")) stopifnot(requireNamespace(p, quietly = TRUE))' >/dev/null 2>&1 &&
		$python -c 'import sklearn' 2>/dev/null
}
if [ "${1:-}" = -check ]; then
	there && exit 0
	echo "r-base-core, r-cran-mlbench, r-cran-mass, r-cran-kernlab or python3-sklearn is not installed: make paper-data does it."
	exit 1
fi
there || scripts/debian "the papers' data are in packages that are missing" \
	r-base-core r-cran-mlbench r-cran-mass r-cran-kernlab python3-sklearn
out=${1:-bench/paperdata/out}
mkdir -p "$out"
rm -f "$out"/*.csv "$out/SOURCES"
{
	Rscript bench/paperdata/sets.R "$out"
	$python bench/paperdata/sets.py "$out"
} >"$out/.sets"
{
	printf 'file\tpackage\tversion\tlicence of the package\twhat\trows\tcolumns\tsha256\n'
	while IFS="$(printf '\t')" read -r file package version licence what; do
		sum=$(sha256sum "$out/$file")
		printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$file" "$package" "$version" "$licence" "$what" \
			"$(($(wc -l <"$out/$file") - 1))" "$(head -n 1 "$out/$file" | tr ',' '\n' | wc -l)" "${sum%% *}"
	done <"$out/.sets"
} >"$out/SOURCES"
rm "$out/.sets"
echo "$(($(wc -l <"$out/SOURCES") - 1)) files and their SOURCES are in $(cd "$out" && pwd)."
