#!/usr/bin/env python3
"""Scores rows by a model of Taper, without Taper.

    score.py MODEL.json DATA.csv     every row of a comma-separated file: score, probability, stratum and band; of
                                     several classes a score and a probability each, and the answer
    MODEL.py DATA.csv                the same, in the file that Taper makes of a run
    from MODEL import score          score(row) of one row, {column: number, text or None for missing}

score(row) answers {"score", "probability", "stratum", "band", "outside", "unread"}, probability None without a link; of
several classes {"scores", "probabilities", "answer", "outside", "unread"}, answer None for none. A row with "outside"
names is outside the data: what else is said of it is a guess. "unread" names columns of numbers whose text is none: they
are scored as missing, and of a file their number is printed with the errors. A text is a number as the training file
wrote it, or with a decimal point; a date is a text such as "2024-01-31". What each field means is in model-json.md of
Taper. It needs Python 3.8 and nothing else, but for scipy where a cost matrix asks for a linear program.
"""
import csv, datetime, json, math, os, re, sys

MODEL = None  # where Taper makes this file of a run, its model stands here


def scorer(model):
    columns = {c["name"]: c for c in model["columns"]}
    of_classes = "potentials" in model
    parts = model["potentials"] if of_classes else model

    # ---- cells

    def texts(c):  # the texts that mean missing
        return [k.lower() for k in c["missing"]]

    def day(text, c):  # days since 1970, as the column writes dates or as ISO
        layout = c.get("layout", "")
        for go, python in (("2006", "%Y"), ("01", "%m"), ("02", "%d"), ("06", "%y"), ("15", "%H"), ("04", "%M")):
            layout = layout.replace(go, python)
        for pattern in (layout, "%Y-%m-%d", "%Y-%m-%d %H:%M"):
            try:
                since = datetime.datetime.strptime(text, pattern) - datetime.datetime(1970, 1, 1)
                return since / datetime.timedelta(days=1)
            except ValueError:
                pass

    def plain(text, decimal, c):
        thousands = c.get("thousands", "none")
        if len(thousands) == 1 and thousands != decimal:  # a point in 0.123 and in 1234.567 separates no thousands
            sign = {" ": "[ \u00a0\u202f]", "'": "['\u2019]"}.get(thousands, re.escape(thousands))
            text = re.sub("^([^0-9]*[1-9][0-9]{0,2})((?:%s[0-9]{3})+)(?![0-9])" % sign,
                          lambda m: m[1] + re.sub("[^0-9]", "", m[2]), text)
        digits = "([-+]?(?:[0-9]+%s?[0-9]*|%s[0-9]+)(?:[eE][-+]?[0-9]+)?)" % ((re.escape(decimal),) * 2)
        unit = r"(?: *[a-zA-Z%µμ°].{0,15})?"
        odd = {"limit": ("[<>=≤≥ ]+", unit), "strip": ("[<>=≤≥ ]*", unit)}
        before, after = odd.get(c.get("non_numeric"), ("", ""))
        found = re.fullmatch(digits, text) or re.fullmatch(before + digits + after, text)
        return float(found[1].replace(decimal, ".")) if found else None

    def number(value, c):  # None = missing
        if isinstance(value, str):
            if "origin" in c:
                value = day(value, c)
            else:
                text = value.replace("\u2212", "-")
                marks = (c.get("decimal", model["decimal"]), model["decimal"])
                marks += (",", ".") if c.get("non_numeric") == "strip" else ()
                marks += (".",) if c.get("thousands") != "." else ()  # as programs write numbers
                value = next((v for v in (plain(text, d, c) for d in marks) if v is not None), None)
        if value is None or not math.isfinite(value):
            return None
        if any(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", k) and float(k) == value for k in c["missing"]):
            return None
        return value - c.get("origin", 0)

    def fold(level):
        return " ".join(level.lower().rstrip(".").split())

    def named(text, c):  # the level that a text is, None for one that training never saw
        level = c.get("aliases", {}).get(text, text)
        seen = [c.get("reference", "")] + c.get("levels", []) + c.get("pooled", [])
        if level not in seen and c.get("join"):
            level = next((l for l in seen if fold(l) == fold(level)), None)
        return level if level in seen else None

    def cell(value):  # as the file would hold it, without blanks and without a quote before a formula; numbers stay
        if value is None or isinstance(value, float) and math.isnan(value):
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str):
            return value
        text = value.strip()
        return text[1:].strip() if text[:1] == "'" and text[1:2] and text[1] in "=+-@\t\r" else text

    def missing(value, c):
        return value == "" or isinstance(value, str) and value.lower() in texts(c)

    def unread(row):  # columns of numbers whose text is no number, nor a code for missing
        def odd(c):
            v = row[c["name"]]
            plain = r"-?[0-9]+(\.[0-9]+)?"
            coded = isinstance(v, str) and re.fullmatch(plain, v) is not None and float(v) in [
                float(k) for k in c["missing"] if re.fullmatch(plain, k)]
            return not coded and not missing(v, c) and number(v, c) is None
        return [name for name, c in columns.items() if c["kind"] == "number" and odd(c)]

    # ---- terms

    def bent(x, t, j):  # a term of a natural cubic spline; beyond the last knot a straight line
        w = t[-1] - t[0]
        gap, reach, room = (t[-1] - t[-2]) / w, (t[-1] - t[j]) / w, (t[-2] - t[j]) / w
        if x >= t[-1]:
            return w * reach * (reach * reach - gap * gap) + 3 * reach * room * (x - t[-1])
        return w * (max(0, (x - t[j]) / w) ** 3 - max(0, (x - t[-2]) / w) ** 3 * reach / gap)

    def raw(term, value):
        c = columns[term["column"]]
        none = missing(value, c)
        if c["kind"] == "number":
            v = None if none else number(value, c)
            if term["kind"] == "missing":
                return v is None
            v = c.get("median", 0) if v is None else v
            return bent(v, c["knots"], term["knot"] - 1) if term["kind"] == "spline" else v
        level = None if none else named(str(value), c)
        if term["kind"] == "missing":
            return none
        if term["kind"] == "level":
            return not none and level == term.get("level")
        return not c["indicator"] if none else level not in [c.get("reference", "")] + c.get("levels", [])

    def design(row):
        x = ((raw(t, row[t["column"]]) - t["mean"]) / t["sd"] for t in model["terms"])
        most = 1e12 if parts.get("kernel") else 1e150  # beyond it products overflow
        return [min(max(v, -most), most) for v in x]

    # ---- outside the data

    def weighs(k):  # whether the score depends on term k
        if parts.get("kernel"):
            return True
        if "trees" in model:
            splits = (n for t in model["trees"] if t["theta"] for n in t["nodes"] if n.get("below"))
            return any(n.get("feature", 0) == k for n in splits)
        return any(row[k] for row in parts["weights"]) if of_classes else model["weights"][k] != 0

    used = {t["column"] for k, t in enumerate(model["terms"]) if weighs(k)}
    pooling = {t["column"] for t in model["terms"] if t["kind"] == "other"}

    def outside(row):  # far beyond the range of a column in use, or of a level that training never saw
        far = []
        for name, c in columns.items():
            if missing(row[name], c):
                continue
            if c["kind"] == "number":
                v, low, high = number(row[name], c), c.get("min", 0), c.get("max", 0)
                room = (high - low) * 0.25
                if v is not None and name in used and room > 0 and not low - room <= v <= high + room:
                    far.append(name)
            elif named(str(row[name]), c) is None and (c.get("pooled") or name not in pooling):
                far.append(name)  # without names of pooled levels it may be one of them
        return far

    # ---- scores

    def vote(tree, x):
        node = tree["nodes"][0]
        while node.get("below"):
            above = x[node.get("feature", 0)] > node.get("threshold", 0)
            node = tree["nodes"][node["above" if above else "below"]]
        return node["vote"]

    def kappa(a, b):
        k, dot = parts["kernel"], sum(u * v for u, v in zip(a, b))
        if k["name"] == "rbf":
            return math.exp(-k["gamma"] * sum((u - v) ** 2 for u, v in zip(a, b)))
        return (1 + k["gamma"] * dot) ** k["degree"] if k["name"] == "poly" else dot

    def event_score(x):
        f = model["intercept"] + sum(w * v for w, v in zip(model["weights"], x))
        f += sum(t["theta"] * vote(t, x) for t in model.get("trees", []))
        return f + sum(a * kappa(near, x) for a, near in zip(model.get("coefficients", []), model.get("support", [])))

    def potentials(x):  # several classes: the outputs of the model
        if "weights" in parts:
            z = [sum(w * v for w, v in zip(row, x)) for row in parts["weights"]]
        else:
            k = [kappa(row, x) for row in parts["rows"]]
            z = [sum(u * a[c] for u, a in zip(k, parts["coefficients"])) for c in range(len(parts["coefficients"][0]))]
        eta = parts["offsets"]
        if parts["form"] == "thresholds":
            return [z[0] - e for e in eta]
        if parts["form"] == "ordinal":
            return [(c + 1) * z[0] + sum(eta[c:]) for c in range(parts["classes"])]
        return [u + e for u, e in zip(z, eta)]

    # ---- probabilities

    def sigmoid(z):
        e = math.exp(-abs(z))
        return e / (1 + e) if z < 0 else 1 / (1 + e)

    def log_exp(t, y):  # log exp_t(y), where exp_t(y) = max(0, 1 + (1-t)y)^(1/(1-t))
        if t == 1:
            return y
        u = (1 - t) * y
        return math.log1p(u) / (1 - t) if u > -1 else -math.inf if t < 1 else math.inf

    def log_shares(t, a):  # of p_j = exp_t(a_j - G) that add up to 1; Newton's method for the gap G - max a
        top, gap = max(a), 0.0
        first = a.index(top)
        for _ in range(500):
            own = log_exp(t, -gap)
            others = [l for l in (log_exp(t, -(top - v + gap)) for j, v in enumerate(a) if j != first) if l > -math.inf]
            over = math.expm1(own) + sum(math.exp(l) for l in others)
            step = over / (math.exp(t * own) + sum(math.exp(t * l) for l in others))
            if not step > 0:
                break
            gap += step
            if step <= 1e-16 * gap:
                break
        return [log_exp(t, -(top - v + gap)) for v in a]

    def temperatures():
        params = model["params"]
        t1 = params.get("t1", 1) if model["link"] == "escort" else 1
        return t1, params["t2"] if "t2" in params else params["t"]

    def probability(f):  # None: bands only
        link = model["link"]
        if link in ("logistic", "logistic-scaled"):
            return sigmoid(f * model.get("link_scale", 1))
        if link in ("escort", "tempered"):
            t1, t2 = temperatures()
            near, far = log_shares(t2, [0.0, -abs(f)])
            return sigmoid(t1 * (far - near) if f < 0 else t1 * (near - far))
        if link == "squared-hinge":
            return min(1, max(0, (1 + f) / 2))
        if link == "dwd":
            return 0.5 if abs(f) <= 0.5 else 1 / (1 + 1 / (4 * f * f)) if f > 0 else 1 / (4 * f * f + 1)
        if link != "none":
            sys.exit(f"score.py: the link ‘{link}’ is not known here: add its formula to probability().")

    def shares(f):  # probabilities of the classes, None without
        link = model["link"]
        if link == "none":
            return None
        if link == "tempered":
            return [math.exp(l) for l in log_shares(temperatures()[1], f)]
        if link == "softmax":
            logs, t1 = f, 1
        elif link == "escort":
            t1, t2 = temperatures()
            logs = log_shares(t2, f)
        else:
            sys.exit(f"score.py: the link ‘{link}’ is not known here: add its formula to shares().")
        e = [math.exp(t1 * (l - max(logs))) if l > -math.inf else 0.0 for l in logs]
        return [u / sum(e) for u in e]

    # ---- answers

    def label(k):  # of band k
        ends = [0] + model["boundaries"] + [1]
        low, high = ("%.15g" % float("%.4g" % (100 * p)) for p in ends[k:k + 2])
        return f"≤ {high} %" if k == 0 else f"> {low} %" if k == len(model["boundaries"]) else f"{low} – {high} %"

    def stratum(f, p):  # boundaries below P; where P equals one over a stretch of scores, the cut-off decides
        if p is None:
            return sum(d < f for d in model["delta"])
        return sum(b < p or b == p and d < f and not model["link"].startswith("logistic")
                   for b, d in zip(model["boundaries"], model["delta"]))

    def answer(f, outputs, p):  # a class, or -1 for none
        k, rule = len(model["levels"]), model["rule"]
        best = max(range(len(f)), key=lambda c: f[c])
        lead = f[best] - max([u for c, u in enumerate(f) if c != best], default=-math.inf)
        if rule == "least-expected-cost":
            row, least = 0, math.inf
            for a, prices in enumerate(model["costs"]):
                expected = sum(u * v for u, v in zip(prices, p))
                if expected < least - 1e-12:
                    row, least = a, expected
            return row if row < k else -1
        if rule == "thresholds-passed":
            return sum(u > 0 for u in outputs)
        if rule == "largest-score-if-it-leads-by-half":
            return best if lead > 0.5 or lead == 0.5 and model["loss"] == "al-abstain" else -1
        if rule == "largest-score-if-positive":
            return best if f[best] > 0 else -1
        if rule == "largest-share-of-the-mixture":
            row = mixture(outputs)
            return row if row < k else -1
        return best

    def mixture(f):  # the answer with the largest share in the optimal mixture, a linear program
        try:
            from scipy.optimize import linprog
        except ImportError:
            sys.exit("score.py: a cost matrix needs a linear program, which scipy solves: install scipy.")
        cost, k = model["costs"], len(model["levels"])
        n, sides = len(cost), [[row[c] for row in cost] for c in range(k)]
        free = [(0, None)] * n
        game = linprog([0] * n + [1], A_ub=[side + [-1] for side in sides], b_ub=[-u for u in f],
                       A_eq=[[1] * n + [0]], b_eq=[1], bounds=free + [(None, None)], method="highs")
        slack = 1e-9 * max(1, abs(game.fun))  # of several optimal mixtures that of the least total cost
        mix = linprog([sum(row) for row in cost], A_ub=sides, b_ub=[game.fun + slack - u for u in f],
                      A_eq=[[1] * n], b_eq=[1], bounds=free, method="highs").x
        return max(range(n), key=lambda i: mix[i])

    def score(row):
        row = {name: cell(row.get(name)) for name in columns}
        x, far = design(row), outside(row)
        if not of_classes:
            f = event_score(x)
            p = probability(f)
            k = stratum(f, p)
            return {"score": f, "probability": p, "stratum": k, "band": label(k), "outside": far,
                    "unread": unread(row)}
        outputs = potentials(x)
        p, f = shares(outputs), outputs
        if parts["form"] == "thresholds":
            f = [sum(outputs[:c]) for c in range(len(model["levels"]))]
        a = answer(f, outputs, p)
        return {"scores": f, "probabilities": p, "answer": model["levels"][a] if a >= 0 else None, "outside": far,
                "unread": unread(row)}

    return score


def guarded(text):  # a level as Taper writes it: with a quote before what a spreadsheet runs, but for a number
    number = re.fullmatch(r"[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?", text)
    return "'" + text if text[:1] and text[0] in "=+-@\t\r" and not number else text


def table(path):
    rows = csv.DictReader(open(path, encoding="utf-8-sig", newline=""))
    rows.fieldnames = [re.sub(r"^'(?=[=+\-@\t\r])", "", name.strip()) for name in rows.fieldnames or []]
    return list(rows)


def warn(odd):  # of the cells that were scored as missing because they are no numbers
    if odd:
        which = ", ".join(f"‘{name}’ {n}" for name, n in odd.items())
        print(f"score.py: some cells are no numbers and were scored as missing: {which}.", file=sys.stderr)


def main(model, path):
    of, out, rows, odd = scorer(model), csv.writer(sys.stdout, lineterminator="\n"), table(path), {}

    def score(row):
        s = of(row)
        for name in s["unread"]:
            odd[name] = odd.get(name, 0) + 1
        return s

    for c in model["columns"]:
        if rows and c["name"] not in rows[0] and len(rows[0]) == 1 and re.search("[;\t|]", next(iter(rows[0]))):
            sys.exit("score.py: the columns are separated by another sign than a comma: save the file with commas.")
        if rows and c["name"] not in rows[0]:
            sys.exit(f"score.py: the data lack the column ‘{c['name']}’, which the model uses: add it, with empty cells "
                     "where unknown.")
    if "potentials" not in model:
        print("score,probability,stratum,band")
        for row in rows:
            s = score(row)
            p = "" if s["probability"] is None else repr(s["probability"])
            print(f"{s['score']!r},,,outside the data" if s["outside"] else f"{s['score']!r},{p},{s['stratum']},{s['band']}")
        warn(odd)
        return
    levels = model["levels"]
    out.writerow(["score_" + l for l in levels] + ["probability_" + l for l in levels] + ["prediction"])
    for row in rows:
        s = score(row)
        p = None if s["outside"] else s["probabilities"]
        said = "outside the data" if s["outside"] else guarded("(abstain)" if s["answer"] is None else s["answer"])
        out.writerow([repr(u) for u in s["scores"]] + [repr(u) for u in p or []] + [""] * (0 if p else len(levels)) + [said])
    warn(odd)


if MODEL is not None:
    score = scorer(MODEL)

if __name__ == "__main__":
    if len(sys.argv) != (3 if MODEL is None else 2):
        sys.exit(__doc__)
    try:
        main(json.load(open(sys.argv[1], encoding="utf-8")) if MODEL is None else MODEL, sys.argv[-1])
        sys.stdout.flush()
    except BrokenPipeError:  # the program that reads the rows, such as head, wants no more; nor does the flush at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
