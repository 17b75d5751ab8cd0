#!/usr/bin/env python3
"""score.py MODEL.json DATA.csv: score, probability and stratum of every row of a comma-separated file."""
import csv, datetime, json, math, re, sys
model = json.load(open(sys.argv[1]))
columns = {c["name"]: c for c in model["columns"]}

def number(text, c):  # None = missing
    if "origin" in c:
        return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days - c["origin"]
    text = text.replace("\u2212", "-").replace(c.get("thousands", "none"), "").replace(c.get("decimal", model["decimal"]), ".")
    odd = {"limit": r"[<>=≤≥ ]*(.+)", "strip": r"([-+]?[\d.]+(?:[eE][-+]?\d+)?).*"}.get(c.get("non_numeric"), "(.+)")
    found = re.fullmatch(odd, text)
    v = float(found[1]) if found and re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", found[1]) else None
    return None if v is None or any(re.fullmatch(r"-?\d+(\.\d+)?", k) and float(k) == v for k in c["missing"]) else v

def raw(term, text):
    c = columns[term["column"]]
    missing = text == "" or text.lower() in [k.lower() for k in c["missing"]]
    if c["kind"] == "number":
        v = None if missing else number(text, c)
        return v is None if term["kind"] == "missing" else c.get("median", 0) if v is None else v
    level = c.get("aliases", {}).get(text, text)
    known = level in [c["reference"]] + c.get("levels", [])
    return {"missing": missing, "level": not missing and level == term.get("level"), "other": not c["indicator"] if missing else not known}[term["kind"]]

print("score,probability,stratum")
for row in csv.DictReader(open(sys.argv[2], encoding="utf-8-sig", newline="")):
    f = model["intercept"] + sum(w * (raw(t, row[t["column"]].strip()) - t["mean"]) / t["sd"] for w, t in zip(model["weights"], model["terms"]))
    p = 1 / (1 + math.exp(-f)) if model["link"] == "logistic" else None
    print(f"{f!r},{'' if p is None else repr(p)},{sum(d < f for d in model['delta'])}")
