"""rows.py FILE: the rows that the reference values are computed on, the same at every call.

200 rows with 30 % events and 60 with 40 %: risks p and q of two models, p too
extreme and q too timid, rounded so that they tie; four measurements that go
together; an ordered group; a class of four, what was predicted, and the
probabilities of the classes.
"""
import json, math, random, sys

def sigma(f):
    return 1 / (1 + math.exp(-f))

def rows(n, seed, base):
    r = random.Random(seed)
    gauss = lambda: math.sqrt(-2 * math.log(1 - r.random())) * math.cos(2 * math.pi * r.random())
    table = {k: [] for k in "y p q x1 x2 x3 x4 group label predicted".split()}
    shares = []
    for i in range(n):
        x1, x2 = gauss(), 3 + 2 * gauss()
        x3 = round(0.8 * x1 + 0.1 * x2 + 0.4 * gauss(), 1)
        x4 = i % 3 // 2
        f = base + 0.9 * x1 + 0.3 * (x2 - 3) + 0.5 * x4
        y = r.random() < sigma(f)
        p = sigma(1.3 * f + 0.4 + 0.3 * gauss())
        q = sigma(0.6 * f - 0.5 + 0.9 * gauss())
        group = min(3, max(0, round(1.4 + 0.5 * x1 + 0.9 * gauss())))
        label = min(3, max(0, round(1.5 + x1)))
        w = [math.exp(-abs(k - label - 0.8 * gauss())) for k in range(4)]
        w = [round(v / sum(w), 3) for v in w]
        w[3] = round(1 - sum(w[:3]), 3)
        new = dict(y=int(y), p=min(0.99, max(0.01, round(p, 2))), q=min(0.98, max(0.02, round(q * 50) / 50)),
                   x1=round(x1, 3), x2=round(x2, 2), x3=x3, x4=x4, group=group, label=label, predicted=w.index(max(w)))
        for k, v in new.items():
            table[k].append(v)
        shares += w
    table["shares"] = shares
    return table

cases = [{"name": "n200", **rows(200, 11, -1.4)}, {"name": "n60", **rows(60, 4, -0.9)}]
with open(sys.argv[1], "w") as file:
    file.write('{"cases": [\n' + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]}\n")
