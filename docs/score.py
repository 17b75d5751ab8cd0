#!/usr/bin/env python3
"""score.py MODEL.json DATA.csv: score, probability, stratum and band of every row of a comma-separated file; of several classes a score and a probability each, and the answer. A row outside the data has its scores alone."""
import csv, datetime, json, math, re, sys
model = json.load(open(sys.argv[1]))
columns = {c["name"]: c for c in model["columns"]}

def cell(text):  # without blanks, and without the quote that Taper puts before what a spreadsheet runs as a formula
    text = text.strip()
    return text[1:].strip() if text[:1] == "'" and text[1:2] and text[1] in "=+-@\t\r" else text

def guarded(text):  # a level as Taper writes it: with that quote, but for a number
    number = re.fullmatch(r"[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?", text)
    return "'" + text if text[:1] and text[0] in "=+-@\t\r" and not number else text

def table():
    rows = csv.DictReader(open(sys.argv[2], encoding="utf-8-sig", newline=""))
    rows.fieldnames = [cell(name) for name in rows.fieldnames or []]
    return ({name: cell(text or "") for name, text in row.items() if name} for row in rows)

def day(text, c):  # days since 1970, as the column writes dates or as ISO
    layout = c.get("layout", "")
    for go, python in (("2006", "%Y"), ("01", "%m"), ("02", "%d"), ("06", "%y"), ("15", "%H"), ("04", "%M")):
        layout = layout.replace(go, python)
    for pattern in (layout, "%Y-%m-%d", "%Y-%m-%d %H:%M"):
        try:
            return (datetime.datetime.strptime(text, pattern) - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
        except ValueError:
            pass

def plain(text, decimal, c):
    thousands = c.get("thousands", "none")
    if len(thousands) == 1 and thousands != decimal:
        text = re.sub(r"(?<=\d)%s(?=\d{3}(?!\d))" % re.escape(thousands), "", text)
    digits = r"([-+]?(?:\d+%s?\d*|%s\d+)(?:[eE][-+]?\d+)?)" % ((re.escape(decimal),) * 2)
    unit = r"(?: *[a-zA-Z%µμ°].{0,15})?"
    before, after = {"limit": ("[<>=≤≥ ]+", unit), "strip": ("[<>=≤≥ ]*", unit)}.get(c.get("non_numeric"), ("", ""))
    found = re.fullmatch(digits, text) or re.fullmatch(before + digits + after, text)
    return float(found[1].replace(decimal, ".")) if found else None

def number(text, c):  # None = missing
    if "origin" in c:
        v = day(text, c)
        return None if v is None else v - c["origin"]
    text = text.replace("\u2212", "-")
    own, strip = c.get("decimal", model["decimal"]), c.get("non_numeric") == "strip"
    v = next((v for v in (plain(text, d, c) for d in (own, model["decimal"]) + ((",", ".") if strip else ())) if v is not None), None)
    return None if v is None or any(re.fullmatch(r"-?\d+(\.\d+)?", k) and float(k) == v for k in c["missing"]) else v

def fold(level):
    return " ".join(level.lower().rstrip(".").split())

def bent(x, t, j):  # a term of a natural cubic spline; beyond the last knot a straight line
    w = t[-1] - t[0]
    gap, reach, room = (t[-1] - t[-2]) / w, (t[-1] - t[j]) / w, (t[-2] - t[j]) / w
    if x >= t[-1]:
        return w * reach * (reach * reach - gap * gap) + 3 * reach * room * (x - t[-1])
    return w * (max(0, (x - t[j]) / w) ** 3 - max(0, (x - t[-2]) / w) ** 3 * reach / gap)

def raw(term, text):
    c = columns[term["column"]]
    missing = text == "" or text.lower() in [k.lower() for k in c["missing"]]
    if c["kind"] == "number":
        v = None if missing else number(text, c)
        if term["kind"] == "missing":
            return v is None
        v = c.get("median", 0) if v is None else v
        return bent(v, c["knots"], term["knot"] - 1) if term["kind"] == "spline" else v
    level = named(text, c)
    known = level in [c["reference"]] + c.get("levels", [])
    return {"missing": missing, "level": not missing and level == term.get("level"), "other": not c["indicator"] if missing else not known}[term["kind"]]

def weighs(k):  # whether the score depends on term k
    m = model.get("potentials", model)
    if m.get("kernel"):
        return True
    if "trees" in model:
        return any(t["theta"] and any(n.get("below") and n.get("feature", 0) == k for n in t["nodes"]) for t in model["trees"])
    return any(row[k] for row in m["weights"]) if "potentials" in model else m["weights"][k] != 0

used = {t["column"] for k, t in enumerate(model["terms"]) if weighs(k)}
pooling = {t["column"] for t in model["terms"] if t["kind"] == "other"}

def outside(row):  # far beyond the range of a column in use, or of a level that training never saw
    for name, c in columns.items():
        text = row[name]
        if text == "" or text.lower() in [k.lower() for k in c["missing"]]:
            continue
        if c["kind"] == "number":
            v, low, high = number(text, c), c.get("min", 0), c.get("max", 0)
            room = (high - low) * .25
            if v is not None and name in used and room > 0 and not low - room <= v <= high + room:
                return True
        elif named(text, c) is None and (c.get("pooled") or name not in pooling):
            return True  # without names of pooled levels it may be one of them

def named(text, c):  # the level that a text is, None for one that training never saw
    level = c.get("aliases", {}).get(text, text)
    seen = [c["reference"]] + c.get("levels", []) + c.get("pooled", [])
    if level not in seen and c.get("join"):
        level = next((l for l in seen if fold(l) == fold(level)), None)
    return level if level in seen else None

def label(k):  # of band k
    low, high = (["%.4g" % (100 * p) for p in [0] + model["boundaries"] + [1]][j] for j in (k, k + 1))
    return f"≤ {high} %" if k == 0 else f"> {low} %" if k == len(model["boundaries"]) else f"{low} – {high} %"

def exp_t(x, t):
    return math.exp(min(x, 700)) if t == 1 else max(1 + (1 - t) * x, 0) ** (1 / (1 - t))

def escort(f, t1, t2):  # two-temperature: p solves exp_t2(f/2 - G) + exp_t2(-f/2 - G) = 1, P = p^t1 normalised
    lo, hi = abs(f) / 2, abs(f) / 2 + math.log(2) * 2 ** abs(t2 - 1)
    for _ in range(200):
        g = (lo + hi) / 2
        lo, hi = (g, hi) if exp_t(f / 2 - g, t2) + exp_t(-f / 2 - g, t2) > 1 else (lo, g)
    a, b = exp_t(f / 2 - hi, t2) ** t1, exp_t(-f / 2 - hi, t2) ** t1
    return a / (a + b)

def probability(f):  # None: bands only
    link, params = model["link"], model["params"]
    if link in ("logistic", "logistic-scaled"):
        z = f * model.get("link_scale", 1)
        return 1 / (1 + math.exp(-z)) if z > 0 else math.exp(z) / (1 + math.exp(z))
    if link == "escort":
        return escort(f, params.get("t1", 1), params["t2"] if "t2" in params else params["t"])
    if link == "tempered":
        return escort(f, 1, params["t2"])
    if link == "squared-hinge":
        return min(1, max(0, (1 + f) / 2))
    if link == "dwd":
        return .5 if abs(f) <= .5 else 4 * f * f / (4 * f * f + 1) if f > 0 else 1 / (4 * f * f + 1)
    if link != "none":
        sys.exit(f"score.py: the link ‘{link}’ is not known here: add its formula to probability().")

def vote(tree, x):
    node = tree["nodes"][0]
    while node.get("below"):
        node = tree["nodes"][node["above" if x[node.get("feature", 0)] > node.get("threshold", 0) else "below"]]
    return node["vote"]

def kappa(a, b, k=model.get("kernel")):
    dot = sum(u * v for u, v in zip(a, b))
    if k["name"] == "rbf":
        return math.exp(-k["gamma"] * sum((u - v) ** 2 for u, v in zip(a, b)))
    return (1 + k["gamma"] * dot) ** k["degree"] if k["name"] == "poly" else dot

def potentials(x):  # several classes: the outputs of the model
    m, linear = model["potentials"], "weights" in model["potentials"]
    rows = m["weights"] if linear else m["rows"]
    if linear:
        z = [sum(w * v for w, v in zip(row, x)) for row in rows]
    else:
        k = [kappa(row, x, m["kernel"]) for row in rows]
        z = [sum(u * a[c] for u, a in zip(k, m["coefficients"])) for c in range(len(m["coefficients"][0]))]
    eta = m["offsets"]
    if m["form"] == "thresholds":
        return [z[0] - e for e in eta]
    if m["form"] == "ordinal":
        return [(c + 1) * z[0] + sum(eta[c:]) for c in range(m["classes"])]
    return [u + e for u, e in zip(z, eta)]

def shares(f):  # probabilities of the classes, None without
    if model["link"] == "softmax":
        e = [math.exp(u - max(f)) for u in f]
    elif model["link"] in ("escort", "tempered"):
        t1, t2 = model["params"]["t1"] if model["link"] == "escort" else 1, model["params"]["t2"]
        lo, hi = max(f) - 1, max(f) + len(f) * 60
        while sum(exp_t(u - hi, t2) for u in f) > 1:
            hi += len(f) * 1000
        for _ in range(300):
            g = (lo + hi) / 2
            lo, hi = (g, hi) if sum(exp_t(u - g, t2) for u in f) > 1 else (lo, g)
        e = [exp_t(u - hi, t2) ** t1 for u in f]
    elif model["link"] == "none":
        return None
    else:
        sys.exit(f"score.py: the link ‘{model['link']}’ is not known here: add its formula to shares().")
    return [u / sum(e) for u in e]

def answer(f, p):  # a class, or -1 for none
    k, rule = len(model["levels"]), model["rule"]
    best = max(range(len(f)), key=lambda c: f[c])
    lead = f[best] - max([u for c, u in enumerate(f) if c != best], default=-math.inf)
    if rule == "least-expected-cost":
        expected = [sum(u * v for u, v in zip(row, p)) for row in model["costs"]]
        row = expected.index(min(expected))
        return row if row < k else -1
    if rule == "thresholds-passed":
        return sum(u > 0 for u in f)
    if rule == "largest-score-if-it-leads-by-half":
        return best if lead > .5 or lead == .5 and model["loss"] == "al-abstain" else -1
    if rule == "largest-score-if-positive":
        return best if f[best] > 0 else -1
    if rule == "largest-share-of-the-mixture":  # a linear program
        try:
            from scipy.optimize import linprog
        except ImportError:
            sys.exit("score.py: a cost matrix needs a linear program, which scipy solves: install scipy.")
        cost = model["costs"]
        n, sides = len(cost), [[row[c] for row in cost] for c in range(k)]
        game = linprog([0] * n + [1], A_ub=[side + [-1] for side in sides], b_ub=[-u for u in f], A_eq=[[1] * n + [0]], b_eq=[1], bounds=[(0, None)] * n + [(None, None)], method="highs")
        slack = 1e-9 * max(1, abs(game.fun))  # of several optimal mixtures that of the least total cost
        mix = linprog([sum(row) for row in cost], A_ub=sides, b_ub=[game.fun + slack - u for u in f], A_eq=[[1] * n], b_eq=[1], bounds=[(0, None)] * n, method="highs").x
        row = max(range(n), key=lambda i: mix[i])
        return row if row < k else -1
    return best

if "task" in model:
    levels, out = model["levels"], csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["score_" + l for l in levels] + ["probability_" + l for l in levels] + ["prediction"])
    for row in table():
        f = potentials([(raw(t, row[t["column"]]) - t["mean"]) / t["sd"] for t in model["terms"]])
        p = shares(f)
        a = answer(f, p)
        said = levels[a] if a >= 0 else "(abstain)"
        if outside(row):
            p, said = None, "outside the data"
        if model["rule"] == "thresholds-passed":
            f = [sum(f[:c]) for c in range(len(levels))]
        out.writerow([repr(u) for u in f] + [repr(u) for u in p or []] + [""] * (0 if p else len(levels)) + [guarded(said)])
    sys.exit()

print("score,probability,stratum,band")
for row in table():
    x = [(raw(t, row[t["column"]]) - t["mean"]) / t["sd"] for t in model["terms"]]
    f = model["intercept"] + sum(w * v for w, v in zip(model["weights"], x)) + sum(t["theta"] * vote(t, x) for t in model.get("trees", []))
    f += sum(a * kappa(near, x) for a, near in zip(model.get("coefficients", []), model.get("support", [])))
    p, k = probability(f), sum(d < f for d in model["delta"])
    print(f"{f!r},,,outside the data" if outside(row) else f"{f!r},{'' if p is None else repr(p)},{k},{label(k)}")
