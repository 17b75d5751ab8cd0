"""Independent values of an external validation: a logistic model given by hand, 240 new rows.

numpy, scipy and scikit-learn; run as: python3 bench/external.py > testdata/oracle/external.json
"""
import json, sys
import numpy as np, scipy, sklearn
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.metrics import roc_auc_score, brier_score_loss, log_loss
from sklearn.linear_model import LogisticRegression

rng = np.random.default_rng(20)
n = 240
age = np.round(rng.normal(62, 12, n), 1)
marker = np.round(rng.gamma(2, 1.2, n), 2)
sex = rng.choice(["F", "M", "X"], n, p=[.48, .47, .05])
site = rng.choice(["A", "B", "C"], n)
miss = rng.random(n) < .06
# the model: intercept, age, marker, marker missing, sex = M; its ranges (age 40 to 95) and its pooled
# levels of sex are such that no row is far enough outside the data to be left out
INTERCEPT, AGE, MARKER, MISSING, MALE = -0.9, 0.045, 0.35, 0.2, 0.5
MEDIAN = 2.0
m = np.where(miss, MEDIAN, marker)
f = INTERCEPT + AGE * (age - 60) + MARKER * (m - 2) + MISSING * miss + MALE * (sex == "M")
p = expit(f)
truth = expit(0.6 + 0.7 * f + 0.3 * (site == "C"))
y = (rng.random(n) < truth).astype(int)
outcome = np.where(y == 1, "died", "alive").astype(object)
outcome[:7] = ""            # no outcome
outcome[7:19] = "moved"     # a level that the model does not know, in twelve rows
outcome[19] = "Mrs Smith"   # one that stands in one row
keep = np.ones(n, bool); keep[:20] = False
Y, P, F = y[keep], p[keep], f[keep]
lp = logit(P)

lines = ["age,marker,sex,site,outcome"]
for i in range(n):
    lines.append("%s,%s,%s,%s,%s" % (age[i], "" if miss[i] else marker[i], sex[i], site[i], outcome[i]))

nll = lambda eta: -np.sum(Y * eta - np.logaddexp(0, eta))
a = minimize(lambda t: nll(t[0] + lp), [0.], method="BFGS", options={"gtol": 1e-10}).x[0]
ab = LogisticRegression(penalty=None, tol=1e-12, max_iter=10000).fit(lp[:, None], Y)
joint, slope = ab.intercept_[0], ab.coef_[0, 0]
mu = expit(joint + slope * lp)
info = np.array([[np.sum(mu*(1-mu)), np.sum(mu*(1-mu)*lp)], [np.sum(mu*(1-mu)*lp), np.sum(mu*(1-mu)*lp**2)]])
slope_se = np.sqrt(np.linalg.inv(info)[1, 1])
mi = expit(a + lp)
a_se = 1/np.sqrt(np.sum(mi*(1-mi)))

def perform(P):
    return {"brier": brier_score_loss(Y, P), "scaled_brier": 1 - brier_score_loss(Y, P)/(Y.mean()*(1-Y.mean())),
            "log_loss": log_loss(Y, P), "observed_expected": Y.sum()/P.sum()}

def strata(P):
    band = np.digitize(P, [.25, .5, .75], right=True)
    return [[int(np.sum(band == k)), int(Y[band == k].sum())] for k in range(4)]

def nb(t):
    hit = P > t
    return float(np.sum(hit & (Y == 1))/len(Y) - np.sum(hit & (Y == 0))/len(Y)*t/(1-t))

def quart(v): return [float(q) for q in np.percentile(v, [25, 50, 75])]

K = keep
out = {
    "program": "numpy %s, scipy %s, scikit-learn %s" % (np.__version__, scipy.__version__, sklearn.__version__),
    "csv": "\n".join(lines) + "\n",
    "read": n, "n": int(K.sum()), "events": int(Y.sum()), "no_outcome": 7, "unknown": {"moved": 12, "": 1},
    "auc": roc_auc_score(Y, F), "expected": float(P.sum()),
    "performance": perform(P), "intercept": [a, a_se], "slope": [slope, slope_se], "joint": joint,
    "moved_intercept": perform(mi), "moved_both": perform(mu),
    "strata": strata(P), "strata_intercept": strata(mi), "strata_both": strata(mu),
    "net_benefit": {"0.2": nb(.2), "0.5": nb(.5), "0.75": nb(.75)},
    "age": [quart(age[K & (y == c)]) for c in (0, 1)],
    "marker": [quart(marker[K & ~miss & (y == c)]) for c in (0, 1)],
    "marker_missing": int((miss & K).sum()), "age_outside": int((((age < 40) | (age > 95)) & K).sum()),
    "sex": {s: [int((K & (sex == s) & (y == c)).sum()) for c in (0, 1)] for s in ("F", "M", "X")},
    "site": {s: [int((K & (site == s)).sum()), int(y[K & (site == s)].sum()), roc_auc_score(y[K & (site == s)], f[K & (site == s)]),
                 float(y[K & (site == s)].sum()/p[K & (site == s)].sum())] for s in "ABC"},
}
json.dump({"cases": [out]}, sys.stdout, indent=1)
