"""scikit-learn's lbfgs on the file of bench/logistic, and the comparison.

logistic.py fit FILE REPEATS         fit and print one line of JSON
logistic.py compare FILE RATIO RUNS  judge lines of both sides by one objective
"""
import json
import sys
import time

import numpy as np

MEMORY = 1.3  # x the matrix at most, where it outweighs the program: 100 MB


def read(path):
    with open(path, "rb") as f:
        n, d = np.fromfile(f, "<i8", 2)
        y = np.fromfile(f, "<f8", n)
        x = np.fromfile(f, "<f8", n * d).reshape(n, d)
    return x, y


def fit(path, repeats):
    from sklearn.linear_model import LogisticRegression

    x, y = read(path)
    times = []
    for _ in range(repeats):
        model = LogisticRegression(C=1.0, solver="lbfgs", max_iter=1000)
        begin = time.perf_counter()
        model.fit(x, y)
        times.append(time.perf_counter() - begin)
    with open("/proc/self/status") as f:
        peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
    print(json.dumps({
        "name": "scikit-learn", "times": times, "iterations": int(model.n_iter_[0]),
        "w": model.coef_[0].tolist(), "b": float(model.intercept_[0]), "peak_mb": peak * 1024 / 1e6}))


def objective(x, y, w, b):
    l2 = 1 / len(y)
    z = y * (x @ w + b)
    value = np.logaddexp(0, -z).mean() + l2 / 2 * w @ w
    r = -y / (1 + np.exp(z)) / len(y)
    return value, max(np.abs(x.T @ r + l2 * w).max(), abs(r.sum()))


def compare(path, target, runs):
    x, y = read(path)
    sides = {}
    for line in open(runs):
        run = json.loads(line)
        side = sides.setdefault(run["name"], dict(run, warm=[], cold=[]))
        side["cold"].append(run["times"][0])
        side["warm"] += run["times"][1:]
    print(f"{len(y):,} x {x.shape[1]}, {100 * (y > 0).mean():.1f} % positive, matrix {x.nbytes / 1e6:.1f} MB")
    for side in sides.values():
        side["value"], side["norm"] = objective(x, y, np.array(side["w"]), side["b"])
        side["median"], side["first"] = np.median(side["warm"]), np.median(side["cold"])
        print(f"{side['name']:>13}: median {1e3 * side['median']:.2f} ms (first of a process {1e3 * side['first']:.2f}), "
              f"{side['iterations']} iterations, objective {side['value']:.15f}, |gradient| {side['norm']:.2e}, "
              f"peak {side['peak_mb']:.0f} MB = {side['peak_mb'] * 1e6 / x.nbytes:.2f} x matrix")
    a, b = sides["Taper"], sides["scikit-learn"]
    ratio, first = a["median"] / b["median"], a["first"] / b["first"]
    good = a["value"] <= b["value"] * (1 + 1e-15) and a["norm"] <= b["norm"]
    light = x.nbytes < 1e8 or a["peak_mb"] * 1e6 <= MEMORY * x.nbytes
    print(f"{'':>13}  ratio of times {ratio:.2f} (at most {target:.2f}; first fits {first:.2f}), objective and gradient at least as small: {good}"
          + ("" if x.nbytes < 1e8 else f", memory at most {MEMORY}: {light}") + f" -> {'reached' if ratio <= target and good and light else 'MISSED'}")
    return 0 if ratio <= target and good and light else 1


if __name__ == "__main__":
    if sys.argv[1] == "fit":
        fit(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(compare(sys.argv[2], float(sys.argv[3]), sys.argv[4]))
