# values.R DATA OUT: what R and its packages say of the rows in DATA, one
# value or list for each call below, under the name by which the reference tests
# of internal/engine look it up. "Base R" in a comment means that no package
# here defines the quantity, and the call is its published definition.
suppressPackageStartupMessages(library(rms))
arguments <- commandArgs(trailingOnly = TRUE)
z <- qnorm(.975)
exactly <- glm.control(epsilon = 1e-15, maxit = 100)
cuts <- c(.1, .25, .5) # some p lie on each of them: such a row is below it
at <- c(.05, .1, .25, .31, .5)

roc <- function(p) pROC::roc(y, p, levels = 0:1, direction = "<", quiet = TRUE)
logistic <- function(formula) glm(formula, binomial, control = exactly)
spread <- function(p) data.frame(v = qlogis(seq(min(p), max(p), length = 21)))
smooth <- function(p) lrm(y ~ rcs(v, 5), data.frame(y, v = qlogis(p)), eps = 1e-13, maxit = 100, tol = 1e-14)
curve95 <- function(p) with(predict(smooth(p), spread(p), se.fit = TRUE), plogis(c(linear.predictors, linear.predictors - z * se.fit, linear.predictors + z * se.fit)))
errors <- function(p) with(list(e = abs(predict(smooth(p), data.frame(v = qlogis(p)), type = "fitted") - p)), c(mean(e), median(e), quantile(e, .9), max(e)))
mean95 <- function(v) c(mean(v), confint.default(lm(v ~ 1))) # normal interval of a mean
ratio95 <- function(a, m, b, n) exp(log((a / m) / (b / n)) + c(0, -z, z) * sqrt(1 / a - 1 / m + 1 / b - 1 / n))
two <- function(t) matrix(c(sum(p > t & y), sum(p <= t & y), sum(p > t & !y), sum(p <= t & !y)), 2)
benefit <- function(t) (p > t) * ifelse(y == 1, 1, -t / (1 - t))
# The mean of two values w, taken k times: MOVER (Zou and Donner 2008) of prop.test's limits of two shares of the same rows
net95 <- function(w, k) {
  n <- length(y)
  p <- k / n
  sides <- w * (t(sapply(k, function(j) suppressWarnings(prop.test(j, n, correct = FALSE))$conf.int)) - p)
  r <- matrix(c(1, -1, -1, 1) * sqrt(prod(p / (1 - p))) ^ c(0, 1, 1, 0), 2) # the correlation of multinomial shares
  limit <- function(side) { d <- sign(w) * apply(sides, 1, side); sqrt(d %*% r %*% d) }
  sum(w * p) + c(0, -limit(min), limit(max))
}

scaled <- function(d, w) with(d, 1 - sum(w * (y - p)^2) / (sum(w * y) * (1 - sum(w * y))))
band <- function(v, at = cuts) findInterval(v, at, left.open = TRUE)
rho <- function() cor(group, q, method = "spearman")
x <- function() cbind(x1, x2, x3, x4)

calls <- expression(
  # discrimination
  auc = pROC::auc(roc(p)),
  auc_variance = pROC::var(roc(p), method = "delong"),
  auc_interval = pROC::ci.auc(roc(p), method = "delong"),
  auc_interval_q = pROC::ci.auc(roc(q), method = "delong"),
  auc_somers = Hmisc::somers2(q, y)["C"],
  auc_covariance = pROC::cov(roc(p), roc(q), method = "delong"),
  auc_test = with(pROC::roc.test(roc(p), roc(q), method = "delong", paired = TRUE), c(statistic, p.value, conf.int)),
  roc = pROC::coords(roc(q), "all", ret = c("fpr", "tpr")),
  tables = pROC::coords(roc(p), cuts + .001, ret = c("tp", "fp", "fn", "tn", "sensitivity", "specificity", "ppv", "npv")),

  # losses; base R for the scaled score but its influences
  brier = mean95((y - p)^2),
  log_loss = mean95(-dbinom(y, 1, p, log = TRUE)),
  scaled_brier = scaled(data.frame(y, p), rep(1 / length(y), length(y))),
  scaled_brier_sd = sd(boot::empinf(data = data.frame(y, p), statistic = scaled, stype = "w", type = "inf", eps = 1e-5)),
  cox_snell = 1 - exp(-2 * (sum(dbinom(y, 1, p, log = TRUE)) - sum(dbinom(y, 1, mean(y), log = TRUE))) / length(y)),

  # calibration
  val_prob = rms::val.prob(p, y, pl = FALSE)[c("C (ROC)", "Brier", "Intercept", "Slope")],
  val_prob_certain = suppressWarnings(rms::val.prob(c(p, 0), c(y, 0), pl = FALSE))[c("Intercept", "Slope")],
  intercept = with(list(f = logistic(y ~ offset(qlogis(p)))), c(coef(f), confint.default(f))),
  slope = with(list(f = logistic(y ~ qlogis(p))), c(coef(f), confint.default(f)[2, ])),
  slope_q = with(list(f = logistic(y ~ qlogis(q))), c(coef(f), confint.default(f)[2, ])),
  observed_expected = with(survey::svyratio(~y, ~p, survey::svydesign(~1, data = data.frame(y, p), weights = rep(1, length(y)))), exp(log(c(ratio)) + c(0, -z, z) * c(sqrt(var) / ratio))),
  knots_3 = Hmisc::rcspline.eval(x2, nk = 3, knots.only = TRUE),
  knots_4 = Hmisc::rcspline.eval(x2, nk = 4, knots.only = TRUE),
  knots_5 = Hmisc::rcspline.eval(qlogis(p), nk = 5, knots.only = TRUE),
  spline = Hmisc::rcspline.eval(x2, nk = 5, inclx = TRUE, norm = 2),
  curve = curve95(p),
  curve_q = curve95(q),
  errors = errors(p),
  errors_q = errors(q),

  # decisions: base R of Vickers and Elkin (2006), as dcurves states it but for ties
  benefit = sapply(at, function(t) net95(c(1, -t / (1 - t)), two(t)[1, ])),
  benefit_all = sapply(at, function(t) net95(c(1, -t / (1 - t)), c(sum(y), sum(1 - y)))),
  avoided = sapply(at, function(t) net95(c(100, -100 * (1 - t) / t), two(t)[2, 2:1])),
  table = epiR::epi.tests(two(.25), method = "wilson")$detail[c(3, 4, 9:12), c("est", "lower", "upper")],
  wilson = Hmisc::binconf(sum(y), length(y), method = "wilson"),
  wilson_part = prop.test(sum(y[x4 == 1]), sum(x4), correct = FALSE)$conf.int,
  wilson_none = prop.test(0, sum(x4), correct = FALSE)$conf.int,
  newcombe = Epi::ci.pd(sum(y[x4 == 1]), sum(y[x4 == 0]), sum(1 - y[x4 == 1]), sum(1 - y[x4 == 0]), method = "Nc", print = FALSE)[5:7],
  band_ratio = ratio95(sum(y[band(p) == 2]), sum(y), sum(band(p) == 2 & !y), sum(!y)),
  moves = with(Hmisc::improveProb(band(p) / 3, band(q) / 3, y), c(pup.ev, pdown.ev, nri.ev, se.nri.ev, pup.ne, pdown.ne, nri.ne, se.nri.ne)),
  nri = with(Hmisc::improveProb(band(p, .25), band(q, .25), y), c(nri, se.nri)),

  # groups; base R for the interval of Bonett and Wright (2000)
  auc_of_some = pROC::ci.auc(pROC::roc(y[x4 == 0], q[x4 == 0], levels = 0:1, direction = "<", quiet = TRUE), method = "delong"),
  slope_of_some = with(list(f = logistic(y[x4 == 0] ~ qlogis(q[x4 == 0]))), c(coef(f)[2], confint.default(f)[2, ])),
  kendall = with(cor.test(group, q, method = "kendall", exact = FALSE), c(statistic, p.value)),
  concordance = survival::concordance(group ~ q)$concordance,
  spearman = with(cor.test(group, q, method = "spearman", exact = FALSE), c(estimate, p.value)),
  spearman_interval = tanh(atanh(rho()) + c(-z, z) * sqrt((1 + rho()^2 / 2) / (length(q) - 3))),

  # regression
  glm = with(list(f = logistic(y ~ x1 + x2 + x3 + x4)), c(coef(f), sqrt(diag(vcov(f))))),
  cox_snell_fit = 1 - exp(-rms::lrm(y ~ x1 + x2 + x3 + x4, eps = 1e-13, maxit = 100)$stats["Model L.R."] / length(y)),
  ridge = as.numeric(coef(glmnet::glmnet(x(), y, "binomial", alpha = 0, lambda = c(1, .05), standardize = FALSE, thresh = 1e-25, maxit = 1e7))[, 2]),
  vif = car::vif(lm(y ~ x1 + x2 + x3 + x4)),
  vif_ols = rms::vif(rms::ols(y ~ x1 + x2 + x3 + x4)),

  components = with(prcomp(x(), scale. = TRUE), c(abs(x[, 1:2]), (sdev^2 / sum(sdev^2))[1:2])),
  mae = mean95(abs(label - predicted)),

  # sample size: base R of Riley et al. (2020) at 8 parameters and R^2 = 0.2
  riley_1 = ceiling(8 / ((.9 - 1) * log(1 - .2 / .9))),
  riley_2 = with(list(s = .2 / (.2 + .05 * (1 - exp(2 * sum(dbinom(y, 1, mean(y), log = TRUE)) / length(y))))), ceiling(8 / ((s - 1) * log(1 - .2 / s)))),
  riley_3 = ceiling((1.96 / .05)^2 * mean(y) * (1 - mean(y))),

  # quantiles, density
  quartiles = quantile(q, c(.25, .5, .75), type = 7),
  percentiles = quantile(x2, c(.025, .975), type = 7),
  bandwidth = bw.nrd0(x2),
  density = sapply(-3:9, function(g) mean(dnorm(g, x2, bw.nrd0(x2))))
)

# Harrell's optimism by rms: own and original are what each of the samples that
# validate drew says of itself and of all rows, drawn again from its seed.
optimism <- function(set) with(set, {
  fit <- lrm(y ~ x1 + x2 + x3 + x4, set, x = TRUE, y = TRUE)
  set.seed(7)
  ours <- sapply(1:50, function(b) {
    rows <- sample(length(y), replace = TRUE)
    again <- lrm.fit(x()[rows, ], y[rows])
    dxy <- function(at) somers2(x()[at, ] %*% coef(again)[-1], y[at])["Dxy"]
    c(dxy(rows), dxy(seq_along(y)))
  })
  set.seed(7)
  v <- validate(fit, B = 50)["Dxy", c("index.orig", "training", "test", "optimism", "index.corrected")]
  stopifnot(all.equal(unname(v[2:3]), unname(rowMeans(ours)), tolerance = 1e-9))
  list(
    optimism = list(call = "rms::validate(lrm(y ~ x1 + x2 + x3 + x4), B = 50)[\"Dxy\", ]", value = v),
    optimism_own = list(call = "somers2(lp, y)[\"Dxy\"] of each sample's model on the sample", value = ours[1, ]),
    optimism_original = list(call = "somers2(lp, y)[\"Dxy\"] of each sample's model on all rows", value = ours[2, ])
  )
})

numbers <- function(v) as.numeric(if (is.data.frame(v)) as.matrix(v) else v)
entry <- function(name, e) sprintf("      \"%s\": {\"call\": %s, \"value\": [%s]}", name, jsonlite::toJSON(e$call, auto_unbox = TRUE), paste(sprintf("%.17g", numbers(e$value)), collapse = ", "))
values <- function(set) {
  set <- set[c("y", "p", "q", "x1", "x2", "x3", "x4", "group", "label", "predicted")]
  list2env(set, globalenv())
  of <- lapply(calls, function(call) list(call = deparse1(call), value = eval(call, globalenv())))
  of <- c(of, optimism(as.data.frame(set)))
  paste(mapply(entry, names(of), of), collapse = ",\n")
}
sets <- jsonlite::fromJSON(arguments[1], simplifyDataFrame = FALSE)$cases
packages <- c("rms", "Hmisc", "pROC", "boot", "car", "Epi", "epiR", "glmnet", "survey", "survival")
version <- c(R = paste(R.version$major, R.version$minor, sep = "."), sapply(packages, function(p) as.character(packageVersion(p))))
cases <- sapply(sets, function(set) paste0("    {\"name\": \"", set$name, "\", \"values\": {\n", values(set), "\n    }}"))
writeLines(c("{", paste0("  \"versions\": ", jsonlite::toJSON(as.list(version), auto_unbox = TRUE), ","), "  \"cases\": [", paste(cases, collapse = ",\n"), "  ]", "}"), arguments[2])
