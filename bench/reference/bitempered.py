"""Golden values of the bi-tempered loss, from its definition alone (Amid, Warmuth, Anil and Koren 2019, equation 5).

Needs mpmath. The normaliser is found by bisection on the sum of the probabilities, derivatives are mpmath's numerical
ones at 60 digits: nothing is shared with the program, neither forms nor code.

    python3 bench/reference/bitempered.py testdata/oracle
"""
import json
import sys

from mpmath import diff, exp, log, mp, mpf, nstr

mp.dps = 60


def log_t(t, x):
    return log(x) if t == 1 else (x ** (1 - t) - 1) / (1 - t)


def exp_t(t, x):
    return exp(x) if t == 1 else (1 + (1 - t) * x) ** (1 / (1 - t))


def probabilities(t, a):
    top = max(a)
    lo, hi = top, top + (log(len(a)) if t == 1 else -log_t(t, mpf(1) / len(a)))
    for _ in range(260):
        g = (lo + hi) / 2
        lo, hi = (g, hi) if sum(exp_t(t, x - g) for x in a) > 1 else (lo, g)
    return [exp_t(t, x - lo) for x in a]


def divergence(t1, t2, a, label):
    """Σ y log_t1 y − y log_t1 p − (y^(2−t1) − p^(2−t1))/(2−t1) for the label as a vector of 0 and 1."""
    p = probabilities(t2, a)
    return -log_t(t1, p[label]) + (sum(x ** (2 - t1) for x in p) - 1) / (2 - t1)


def text(x):
    return nstr(x, 25, min_fixed=-30, max_fixed=30)


def margin():
    cases = []
    for t1, t2 in [("0.8", "1.4"), ("1", "1"), ("1", "1.6"), ("0.5", "1"), ("0.2", "2"), ("0", "1"), ("0", "2"), ("0.35", "1.15")]:
        a, b = mpf(t1), mpf(t2)

        def value(z):
            return divergence(a, b, [z / 2, -z / 2], 0)

        for z in ["-1000", "-50", "-6", "-1.5", "-0.2", "0", "0.7", "3", "20", "300"]:
            x = mpf(z)
            if b == 1 and abs(x) > 50:
                continue  # e^-300 is beyond the digits of a numerical derivative
            slope = lambda u: diff(value, u, h=mpf(10) ** -18)
            d1, back = slope(x), slope(-x)
            cases.append({"name": f"bi-tempered/{t1}/{t2}/z={z}", "family": "bi-tempered",
                          "params": {"t1": float(t1), "t2": float(t2)}, "inputs": {"z": float(z)},
                          "expected": {"value": text(value(x)), "d1": text(d1), "weight": text(-d1),
                                       "d2": text(diff(value, x, 2, h=mpf(10) ** -14)), "prob": text(probabilities(b, [x / 2, -x / 2])[0]),
                                       "classprob": text(back / (d1 + back))},
                          "tolerance": {"rel": 1e-9, "abs": 1e-15}})
    return {"schema": "taper-oracle/1", "group": "margin", "family": "bi-tempered",
            "notes": "activations (z/2, -z/2); made by bench/reference/bitempered.py",
            "fields": {"value": "loss at margin z", "d1": "dL/dz", "d2": "d2L/dz2", "prob": "model probability of the labelled class",
                       "classprob": "phi'(-z)/(phi'(z)+phi'(-z))", "weight": "-dL/dz"}, "cases": cases}


def classes():
    cases = []
    points = [[1.25, 1.25], [0.5, -2, 3], [-4, 0, 4, 1], [30, -30, 2], [0.1, 0.2, 0.3, 0.4, -0.5]]
    for t1, t2 in [("0.8", "1.4"), ("1", "1"), ("0.5", "1"), ("0.2", "2"), ("0", "1.7")]:
        a, b = mpf(t1), mpf(t2)
        for point in points:
            for label in (0, len(point) - 1):
                f = [mpf(x) for x in point]

                def along(j):
                    return diff(lambda u: divergence(a, b, f[:j] + [u] + f[j + 1:], label), f[j], h=mpf(10) ** -18)

                p = probabilities(b, f)
                cases.append({"name": f"bi-tempered-multiclass/{t1}/{t2}/{point}/{label}", "family": "bi-tempered-multiclass",
                              "params": {"t1": float(t1), "t2": float(t2)}, "inputs": {"a": point, "label": label},
                              "expected": {"value": text(divergence(a, b, f, label)), "probs": [text(x) for x in p],
                                           "classprobs": [text(x) for x in p], "grad": [text(along(j)) for j in range(len(f))]},
                              "tolerance": {"rel": 1e-9, "abs": 1e-14}})
    return {"schema": "taper-oracle/1", "group": "multiclass", "family": "bi-tempered-multiclass",
            "notes": "label from 0; made by bench/reference/bitempered.py",
            "fields": {"value": "loss", "probs": "exp_t2(a_j-G)", "classprobs": "the same: the loss is proper", "grad": "dL/da_j"},
            "cases": cases}


for made in (margin(), classes()):
    with open(f"{sys.argv[1]}/{made['family']}.json", "w") as out:
        out.write("{\n" + ",\n".join(f' "{k}": {json.dumps(v)}' for k, v in made.items() if k != "cases") + ',\n "cases": [\n'
                  + ",\n".join("  " + json.dumps(c) for c in made["cases"]) + "\n ]\n}\n")
