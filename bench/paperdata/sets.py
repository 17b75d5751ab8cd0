"""sets.py FOLDER: what scikit-learn has of the papers' sets; see sets.R."""

import csv
import sys
from pathlib import Path

import sklearn
from sklearn.datasets import load_digits

digits = load_digits()
with open(Path(sys.argv[1]) / "digits.csv", "w", newline="") as f:
    out = csv.writer(f, lineterminator="\n")
    out.writerow([*(f"pixel_{i}" for i in range(digits.data.shape[1])), "digit"])
    for x, y in zip(digits.data, digits.target):
        out.writerow([*(f"{v:g}" for v in x), y])
print("digits.csv", "scikit-learn", sklearn.__version__, "BSD-3-Clause",
      "Optical digits (UCI), its test part alone: scikit-learn has no other", sep="\t")
