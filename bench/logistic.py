"""scikit-learn's lbfgs on the file of bench/logistic, and the comparison.

logistic.py fit FILE            fit and print one line of JSON
logistic.py compare FILE A B    judge two such lines (ours first) by one objective
"""
import json
import sys
import time

import numpy as np

LAMBDA, REPEATS = 1e-6, 5


def read(path):
    with open(path, "rb") as f:
        n, d = np.fromfile(f, "<i8", 2)
        y = np.fromfile(f, "<f8", n)
        x = np.fromfile(f, "<f8", n * d).reshape(n, d)
    return x, y


def fit(path):
    from sklearn.linear_model import LogisticRegression

    x, y = read(path)
    times = []
    for _ in range(REPEATS):
        model = LogisticRegression(C=1 / (LAMBDA * len(y)), solver="lbfgs", tol=1e-8, max_iter=1000)
        begin = time.perf_counter()
        model.fit(x, y)
        times.append(time.perf_counter() - begin)
    with open("/proc/self/status") as f:
        peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
    print(json.dumps({
        "name": "scikit-learn", "first_s": times[0], "median_s": sorted(times)[REPEATS // 2],
        "iterations": int(model.n_iter_[0]), "w": model.coef_[0].tolist(), "b": float(model.intercept_[0]),
        "peak_mb": peak * 1024 / 1e6}))


def objective(x, y, w, b):
    z = y * (x @ w + b)
    value = np.logaddexp(0, -z).mean() + LAMBDA / 2 * w @ w
    r = -y / (1 + np.exp(z)) / len(y)
    return value, max(np.abs(x.T @ r + LAMBDA * w).max(), abs(r.sum()))


def compare(path, ours, theirs):
    x, y = read(path)
    runs = [json.load(open(p)) for p in (ours, theirs)]
    print(f"{len(y):,} x {x.shape[1]}, {100 * (y > 0).mean():.1f} % positive, lambda {LAMBDA:g}, matrix {x.nbytes / 1e6:.0f} MB")
    for run in runs:
        run["value"], run["norm"] = objective(x, y, np.array(run["w"]), run["b"])
        print(f"{run['name']:>13}: median {run['median_s']:.3f} s (first {run['first_s']:.3f}), "
              f"{run['iterations']} iterations, objective {run['value']:.15f}, |gradient| {run['norm']:.2e}, "
              f"peak {run['peak_mb']:.0f} MB = {run['peak_mb'] * 1e6 / x.nbytes:.2f} x matrix")
    a, b = runs
    ratio = a["median_s"] / b["median_s"]
    ok = ratio <= 0.5 and a["value"] <= b["value"] and a["norm"] <= b["norm"] and a["peak_mb"] * 1e6 <= 1.3 * x.nbytes
    print(f"ratio of times {ratio:.2f} (at most 0.50), smaller objective: {a['value'] <= b['value']}, "
          f"smaller gradient: {a['norm'] <= b['norm']} -> {'reached' if ok else 'MISSED'}")
    return 0 if ok else 1


if __name__ == "__main__":
    if sys.argv[1] == "fit":
        fit(sys.argv[2])
    else:
        sys.exit(compare(*sys.argv[2:5]))
