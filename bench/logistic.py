"""scikit-learn's logistic regression on the file of bench/logistic, by every solver it offers, and the comparison.

logistic.py fit FILE REPEATS SOLVER  fit and print one line of JSON
logistic.py compare FILE RATIO RUNS  judge lines of both sides by one objective
"""
import json
import sys
import time
import warnings

import numpy as np

MEMORY = 1.3  # x the matrix at most, where it outweighs the program: 100 MB
CLOSE = 1e-4  # a solver whose objective is farther above ours, relatively, has not solved the problem and is no peer


def read(path):
    with open(path, "rb") as f:
        n, d = np.fromfile(f, "<i8", 2)
        y = np.fromfile(f, "<f8", n)
        x = np.fromfile(f, "<f8", n * d).reshape(n, d)
    return x, y


def fit(path, repeats, solver):
    from sklearn.linear_model import LogisticRegression

    warnings.simplefilter("ignore")  # of a solver that ends at its largest number of iterations
    x, y = read(path)
    times = []
    for _ in range(repeats):
        model = LogisticRegression(C=1.0, solver=solver, max_iter=1000 if solver not in ("sag", "saga") else 100)
        begin = time.perf_counter()
        model.fit(x, y)
        times.append(time.perf_counter() - begin)
    with open("/proc/self/status") as f:
        peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
    print(json.dumps({
        "name": solver, "times": times, "iterations": int(model.n_iter_[0]),
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
        side["warm"] += run["times"][1:] or run["times"]
    print(f"{len(y):,} x {x.shape[1]}, {100 * (y > 0).mean():.1f} % positive, matrix {x.nbytes / 1e6:.1f} MB")
    ours = sides["Taper"]
    for name, side in sides.items():
        side["value"], side["norm"] = objective(x, y, np.array(side["w"]), side["b"])
        side["median"], side["first"] = np.median(side["warm"]), np.median(side["cold"])
    for name, side in sides.items():
        side["peer"] = name != "Taper" and side["value"] <= ours["value"] * (1 + CLOSE)
        note = "" if side["peer"] or name == "Taper" else "  (no peer: another objective, or not at its minimum)"
        print(f"{name:>16}: median {1e3 * side['median']:9.2f} ms (first of a process {1e3 * side['first']:9.2f}), "
              f"ours / it {ours['median'] / side['median']:5.2f}, {side['iterations']:4} iterations, "
              f"objective {side['value']:.12f}, |gradient| {side['norm']:.1e}, "
              f"peak {side['peak_mb'] * 1e6 / x.nbytes:.2f} x matrix{note}")
    peers = {name: side for name, side in sides.items() if side["peer"]}
    fastest = min(peers, key=lambda name: peers[name]["median"])
    ratio, first = ours["median"] / peers[fastest]["median"], ours["first"] / peers[fastest]["first"]
    # A peer may stop earlier than we do, never at a smaller objective. Objectives that agree in the twelve digits printed
    # are equal: ours ends there by its gradient, 1e-8 and less, and newton-cg goes on for 18 times as long.
    good = all(ours["value"] <= side["value"] * (1 + 1e-12) for side in peers.values())
    light = x.nbytes < 1e8 or ours["peak_mb"] * 1e6 <= MEMORY * x.nbytes
    reached = ratio <= target and good and light
    print(f"{'':>16}  over {fastest}: {ratio:.2f} (at most {target:.2f}; first fits {first:.2f}), no objective smaller: {good}"
          + ("" if x.nbytes < 1e8 else f", memory at most {MEMORY} x: {light}") + f" -> {'reached' if reached else 'MISSED'}")
    return 0 if reached else 1


if __name__ == "__main__":
    if sys.argv[1] == "fit":
        fit(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(compare(sys.argv[2], float(sys.argv[3]), sys.argv[4]))
