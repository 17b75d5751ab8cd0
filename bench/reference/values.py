"""values.py DATA OUT: what scikit-learn, statsmodels and scipy say of the rows in DATA, under the names by which the reference tests of internal/engine look it up."""
import json, sys
import numpy, scipy, sklearn, statsmodels
from scipy import stats
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import label_binarize
from statsmodels.api import Logit, add_constant
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.outliers_influence import variance_inflation_factor
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

classes = range(4)
CALLS = """
auc: metrics.roc_auc_score(y, p)
brier: metrics.brier_score_loss(y, p)
log_loss: metrics.log_loss(y, p)
average_precision: metrics.average_precision_score(y, q)
confusion: metrics.confusion_matrix(label, predicted)
accuracy: metrics.accuracy_score(label, predicted)
balanced_accuracy: metrics.balanced_accuracy_score(label, predicted)
per_class: metrics.precision_recall_fscore_support(label, predicted)
macro_f1: metrics.f1_score(label, predicted, average="macro")
mae: metrics.mean_absolute_error(label, predicted)
kappa: metrics.cohen_kappa_score(label, predicted, weights="quadratic")
log_loss_classes: metrics.log_loss(label, shares)
brier_classes: 4 * metrics.mean_squared_error(label_binarize(label, classes=classes), shares)
logit: logit.params, logit.bse
ridge: [ridge.intercept_, ridge.coef_]
vif: [variance_inflation_factor(add_constant(x), j) for j in (1, 2, 3, 4)]
wilson: proportion_confint(y.sum(), len(y), method="wilson")
newcombe: confint_proportions_2indep(y[x4 == 1].sum(), (x4 == 1).sum(), y[x4 == 0].sum(), (x4 == 0).sum(), method="newcomb")
likelihood_ratio: [table.riskratio, *table.riskratio_confint()]
kendall: stats.kendalltau(group, q, method="asymptotic").pvalue
spearman: stats.spearmanr(group, q)
density: stats.gaussian_kde(x2, width / x2.std(ddof=1))(numpy.arange(-3, 10))
percentiles: numpy.quantile(x2, [0.025, 0.975])
"""

def flat(v):
    return [u for part in v for u in flat(part)] if hasattr(v, "__len__") else [float(v)]

def values(case):
    d = {k: numpy.array(v) for k, v in case.items() if k != "name"}
    d["shares"] = d["shares"].reshape(-1, 4)
    x = d["x"] = numpy.column_stack([d["x1"], d["x2"], d["x3"], d["x4"]])
    y, p = d["y"], d["p"]
    d["logit"] = Logit(y, add_constant(x)).fit(disp=0, method="newton", tol=1e-14)
    d["ridge"] = LogisticRegression(C=1 / (0.05 * len(y)), solver="newton-cholesky", tol=1e-13).fit(x, y)
    high = p > 0.25
    d["table"] = Table2x2([[(high & (y == 1)).sum(), (~high & (y == 1)).sum()], [(high & (y == 0)).sum(), (~high & (y == 0)).sum()]])
    quarters = numpy.quantile(d["x2"], [0.25, 0.75])
    d["width"] = 0.9 * min(d["x2"].std(ddof=1), (quarters[1] - quarters[0]) / 1.34) * len(y) ** -0.2
    for line in CALLS.strip().splitlines():
        name, call = line.split(": ", 1)
        yield name, {"call": call, "value": flat(eval(call, {**globals(), **d}))}

version = {"python": sys.version.split()[0], **{m.__name__: m.__version__ for m in (numpy, scipy, sklearn, statsmodels)}}
def entry(case):
    return '{"name": "%s", "values": {\n' % case["name"] + ",\n".join(f"      {json.dumps(k)}: {json.dumps(v)}" for k, v in values(case)) + "\n    }}"

with open(sys.argv[1]) as f:
    cases = ",\n    ".join(map(entry, json.load(f)["cases"]))
with open(sys.argv[2], "w") as f:
    f.write('{\n  "versions": %s,\n  "cases": [\n    %s\n  ]\n}\n' % (json.dumps(version), cases))
