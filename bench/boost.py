"""scikit-learn and xgboost on the file of bench/boost.

boost.py fit FILE       100 stumps by each, one line each
boost.py cancer FILE    write the Wisconsin diagnostic set as such a file
"""
import sys
import time

import numpy as np

REPEATS = 5


def read(path):
    with open(path, "rb") as f:
        n, d = np.fromfile(f, "<i8", 2)
        y = np.fromfile(f, "<f8", n)
        x = np.fromfile(f, "<f8", n * d).reshape(n, d)
    return x, y


def measure(name, make, x, y):
    times = []
    for _ in range(REPEATS):
        model = make()
        begin = time.perf_counter()
        model.fit(x, y)
        times.append(1e3 * (time.perf_counter() - begin))
    times.sort()
    accuracy = (model.predict(x) == y).mean()
    print(f"{name:<27} median {times[REPEATS // 2]:6.1f} ms  best {times[0]:6.1f} ms  training accuracy {accuracy:.4f}")


def fit(path):
    x, y = read(path)
    y = (y > 0).astype(int)
    try:
        from sklearn.ensemble import AdaBoostClassifier

        measure("scikit-learn SAMME", lambda: AdaBoostClassifier(n_estimators=100, algorithm="SAMME"), x, y)
    except ImportError:
        print("scikit-learn is not installed (Debian: python3-sklearn): skipped.")
    try:
        from xgboost import XGBClassifier

        for method in ("hist", "exact"):
            measure(f"xgboost {method}, depth 1",
                    lambda: XGBClassifier(n_estimators=100, max_depth=1, tree_method=method, eval_metric="logloss"), x, y)
    except ImportError:
        print("xgboost is not installed (Debian: python3-xgboost): skipped.")


def cancer(path):
    from sklearn.datasets import load_breast_cancer

    x, y = load_breast_cancer(return_X_y=True)
    with open(path, "wb") as f:
        np.array(x.shape, "<i8").tofile(f)
        (2.0 * y - 1).astype("<f8").tofile(f)
        x.astype("<f8").tofile(f)


if __name__ == "__main__":
    {"fit": fit, "cancer": cancer}[sys.argv[1]](sys.argv[2])
