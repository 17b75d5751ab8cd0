# taper_scorer(model) makes a function that scores a data frame by a model of Taper, without Taper and without any package.
# The data frame has the columns of the model: numbers, texts or factors, dates as Date or "2024-01-31"; NA is missing. In a
# column of numbers a text is read as the training file wrote numbers, or with a decimal point; a text that is no number is
# missing, with a warning. The answer has score, probability, stratum and band; of several classes a score and a probability each, and the prediction. A
# row outside the data has its scores alone.
taper_scorer <- function(model) {
  several <- !is.null(model$potentials)
  or <- function(value, other) if (is.null(value)) other else value

  text_of <- function(x) {
    x <- as.character(x)
    x[is.na(x)] <- ""
    x <- trimws(x)
    guarded <- grepl("^'[-=+@\t\r]", x)
    x[guarded] <- trimws(substring(x[guarded], 2))
    x
  }
  fold <- function(level) trimws(gsub("[[:space:]]+", " ", sub("\\.+$", "", tolower(trimws(level)))))
  codes <- function(column) unlist(column$missing)

  # The numbers of a column, NA for missing.
  numbers <- function(column, x) {
    text <- text_of(x)
    missing <- text == "" | tolower(text) %in% tolower(codes(column))
    if (!is.null(column$origin)) {
      v <- if (inherits(x, "Date")) as.numeric(x) else if (is.numeric(x)) x else
        as.numeric(as.Date(text, format = "%Y-%m-%d"))
    } else if (is.numeric(x)) {
      v <- as.numeric(x)
    } else {
      v <- rep(NA_real_, length(text))
      thousands <- or(column$thousands, "none")
      ways <- list(gsub("\u2212", "-", text))
      odd <- or(column$non_numeric, "")
      if (odd %in% c("limit", "strip")) { # <0.01 is its limit, and where training read 12 mg so, 12
        way <- sub(" *[a-zA-Z%\u00b5\u03bc\u00b0].{0,15}$", "", sub("^[<>=\u2264\u2265 ]+", "", ways[[1]]))
        if (odd == "limit") way[!grepl("^[<>=\u2264\u2265 ]", ways[[1]])] <- ""
        ways[[2]] <- way
      }
      sign <- switch(thousands, " " = "[ \u00a0\u202f]", "'" = "['\u2019]", paste0("[", thousands, "]"))
      for (mark in unique(c(or(column$decimal, model$decimal), model$decimal, if (odd == "strip") ",",
        if (thousands != ".") "."))) {
        for (digits in ways) {
          if (nchar(thousands) == 1 && thousands != mark) { # a point in 0.123 and in 1234.567 separates no thousands
            groups <- paste0("^[^0-9]*[1-9][0-9]{0,2}(", sign, "[0-9]{3})+(?![0-9])")
            whole <- grepl(groups, digits, perl = TRUE)
            digits[whole] <- gsub(paste0("(?<=[0-9])", sign, "(?=[0-9]{3}(?![0-9]))"), "", digits[whole], perl = TRUE)
          }
          plain <- grepl(sprintf("^[-+]?([0-9]+[%s]?[0-9]*|[%s][0-9]+)([eE][-+]?[0-9]+)?$", mark, mark), digits) & is.na(v)
          v[plain] <- as.numeric(sub(mark, ".", digits[plain], fixed = TRUE))
        }
      }
      if (any(odd <- !missing & is.na(v)))
        warning(sum(odd), " cells of ", column$name, " are no numbers and are scored as missing", call. = FALSE)
    }
    coded <- codes(column)[grepl("^-?[0-9]+(\\.[0-9]+)?$", codes(column))]
    v[missing | !is.finite(v) | v %in% as.numeric(coded)] <- NA_real_
    v - or(column$origin, 0)
  }

  # The levels of a column: "" for missing, NA for one that training never saw.
  levels_of <- function(column, x) {
    text <- text_of(x)
    missing <- text == "" | tolower(text) %in% tolower(codes(column))
    seen <- c(or(column$reference, ""), unlist(column$levels), unlist(column$pooled))
    aliases <- unlist(column$aliases)
    named <- text %in% names(aliases)
    text[named] <- aliases[text[named]]
    at <- match(text, seen)
    if (isTRUE(column$join)) at <- ifelse(is.na(at), match(fold(text), fold(seen)), at)
    list(missing = missing, level = seen[at])
  }

  # A curved term of a natural cubic spline; beyond the last knot a straight line.
  curved <- function(x, knots, j) {
    last <- knots[length(knots)]
    before <- knots[length(knots) - 1]
    w <- last - knots[1]
    gap <- (last - before) / w
    reach <- (last - knots[j]) / w
    room <- (before - knots[j]) / w
    cube <- function(u) pmax(u, 0)^3
    ifelse(x >= last, w * reach * (reach * reach - gap * gap) + 3 * reach * room * (x - last),
      w * (cube((x - knots[j]) / w) - cube((x - before) / w) * reach / gap))
  }

  raw <- function(term, column, cells) {
    if (column$kind == "number") {
      if (term$kind == "missing") return(as.numeric(is.na(cells)))
      v <- ifelse(is.na(cells), or(column$median, 0), cells)
      return(if (term$kind == "spline") curved(v, unlist(column$knots), term$knot) else v)
    }
    if (term$kind == "missing") return(as.numeric(cells$missing))
    if (term$kind == "level") return(as.numeric(!cells$missing & cells$level %in% term$level))
    known <- cells$level %in% c(or(column$reference, ""), unlist(column$levels))
    as.numeric(ifelse(cells$missing, !column$indicator, !known))
  }

  weighs <- rep(FALSE, length(model$terms))
  for (tree in model$trees) for (n in tree$nodes) {
    if (or(n$below, 0) > 0 && tree$theta != 0) weighs[or(n$feature, 0) + 1] <- TRUE
  }
  rows_of_weights <- if (several) model$potentials$weights else if (is.null(model$trees)) list(model$weights) else list()
  for (row in rows_of_weights) weighs <- weighs | unlist(row) != 0
  of_column <- vapply(model$terms, function(t) t$column, "")
  used <- unique(of_column[weighs])
  pooling <- unique(of_column[vapply(model$terms, function(t) t$kind == "other", TRUE)])

  far <- function(column, cells) {
    if (column$kind == "number") {
      low <- or(column$min, 0)
      high <- or(column$max, 0)
      room <- (high - low) * 0.25
      if (!(room > 0) || !(column$name %in% used)) return(rep(FALSE, length(cells)))
      return(!is.na(cells) & (cells < low - room | cells > high + room))
    }
    names_all <- length(unlist(column$pooled)) > 0 || !(column$name %in% pooling)
    names_all & !cells$missing & is.na(cells$level)
  }

  vote <- function(tree, x) {
    node <- function(k, rows) {
      n <- tree$nodes[[k + 1]]
      if (or(n$below, 0) == 0) return(rep(n$vote, length(rows)))
      above <- x[rows, or(n$feature, 0) + 1] > or(n$threshold, 0)
      out <- numeric(length(rows))
      if (any(above)) out[above] <- node(n$above, rows[above])
      if (any(!above)) out[!above] <- node(n$below, rows[!above])
      out
    }
    node(0, seq_len(nrow(x)))
  }
  weighted <- function(x, weights, start) {
    sum <- rep(start, nrow(x))
    for (k in seq_along(weights)) sum <- sum + weights[k] * x[, k]
    sum
  }

  sigmoid <- function(z) {
    e <- exp(-abs(z))
    ifelse(z < 0, e / (1 + e), 1 / (1 + e))
  }
  # log exp_t(y), where exp_t(y) = max(0, 1 + (1-t)y)^(1/(1-t))
  log_exp <- function(t, y) {
    if (t == 1) return(y)
    u <- (1 - t) * y
    out <- rep(if (t < 1) -Inf else Inf, length(u))
    out[u > -1] <- log1p(u[u > -1]) / (1 - t)
    out
  }
  # The logarithms of p_j = exp_t(a_j - G) that add up to 1, by Newton's method for the gap G - max a.
  log_shares <- function(t, a) {
    top <- max(a)
    first <- which.max(a)
    gap <- 0
    for (i in 1:500) {
      own <- log_exp(t, -gap)
      others <- log_exp(t, -(top - a[-first] + gap))
      others <- others[others > -Inf]
      step <- (expm1(own) + sum(exp(others))) / (exp(t * own) + sum(exp(t * others)))
      if (!(step > 0)) break
      gap <- gap + step
      if (step <= 1e-16 * gap) break
    }
    log_exp(t, -(top - a + gap))
  }
  t1 <- if (model$link == "escort") or(model$params$t1, 1) else 1
  t2 <- or(model$params$t2, model$params$t)

  probability <- function(f) {
    switch(model$link,
      "none" = rep(NA_real_, length(f)),
      "logistic" = sigmoid(f),
      "logistic-scaled" = sigmoid(or(model$link_scale, 1) * f),
      "squared-hinge" = pmin(1, pmax(0, 0.5 + 0.5 * f)),
      "dwd" = ifelse(f > 0.5, 1 / (1 + 1 / (4 * f * f)), ifelse(f < -0.5, 1 / (4 * f * f + 1), 0.5)),
      "escort" = , "tempered" = vapply(f, function(v) {
        l <- log_shares(t2, c(0, -abs(v)))
        sigmoid(if (v < 0) t1 * (l[2] - l[1]) else t1 * (l[1] - l[2]))
      }, 0),
      stop("The link '", model$link, "' is not known here."))
  }
  shares <- function(f) {
    normalised <- function(logs, t) {
      e <- exp(t * (logs - max(logs)))
      e / sum(e)
    }
    one <- switch(model$link,
      "none" = function(f) rep(NA_real_, length(f)),
      "softmax" = function(f) normalised(f, 1),
      "escort" = function(f) normalised(log_shares(t2, f), t1),
      "tempered" = function(f) exp(log_shares(t2, f)),
      stop("The link '", model$link, "' is not known here."))
    t(apply(f, 1, one))
  }

  called <- function(f, outputs, p) {
    best <- which.max(f)
    lead <- f[best] - max(-Inf, f[-best])
    switch(model$rule,
      "largest-score" = best,
      "largest-score-if-positive" = if (f[best] > 0) best else NA,
      "largest-score-if-it-leads-by-half" =
        if (lead > 0.5 || lead == 0.5 && model$loss == "al-abstain") best else NA,
      "thresholds-passed" = sum(outputs > 0) + 1,
      "least-expected-cost" = {
        answer <- 1
        least <- Inf
        for (a in seq_along(model$costs)) {
          expected <- sum(unlist(model$costs[[a]]) * p)
          if (expected < least - 1e-12) {
            answer <- a
            least <- expected
          }
        }
        if (answer <= length(p)) answer else NA
      },
      stop("The rule '", model$rule, "' is not known here."))
  }

  function(data) {
    cells <- lapply(model$columns, function(column) {
      x <- data[[column$name]]
      if (is.null(x)) stop("The data lack the column '", column$name, "': add it, with NA where unknown.")
      if (column$kind == "number") numbers(column, x) else levels_of(column, x)
    })
    column_names <- vapply(model$columns, function(column) column$name, "")
    x <- vapply(model$terms, function(term) {
      k <- match(term$column, column_names)
      (raw(term, model$columns[[k]], cells[[k]]) - term$mean) / term$sd
    }, numeric(nrow(data)))
    x <- matrix(pmin(pmax(x, -1e150), 1e150), nrow = nrow(data))
    outside <- Reduce(`|`, Map(far, model$columns, cells))
    if (!several) {
      f <- if (is.null(model$trees)) weighted(x, unlist(model$weights), model$intercept) else
        Reduce(`+`, lapply(model$trees, function(tree) tree$theta * vote(tree, x)))
      p <- probability(f)
      pi <- unlist(model$boundaries)
      delta <- unlist(model$delta)
      k <- rep(0, length(f))
      for (j in seq_along(pi)) {
        tie <- p == pi[j] & delta[j] < f & !grepl("^logistic", model$link)
        k <- k + if (model$link == "none") delta[j] < f else pi[j] < p | tie
      }
      band <- unlist(model$bands)[k + 1]
      return(data.frame(score = f, probability = ifelse(outside, NA, p), stratum = ifelse(outside, NA, k),
        band = ifelse(outside, "outside the data", band)))
    }
    m <- model$potentials
    z <- vapply(m$weights, function(row) weighted(x, unlist(row), 0), numeric(nrow(data)))
    z <- matrix(z, nrow = nrow(data))
    eta <- unlist(m$offsets)
    classes <- unlist(model$levels)
    outputs <- switch(m$form,
      "thresholds" = outer(z[, 1], eta, `-`),
      "ordinal" = vapply(seq_along(classes), function(c) c * z[, 1] + sum(eta[seq_along(eta) >= c]), numeric(nrow(data))),
      sweep(z, 2, eta, `+`))
    outputs <- matrix(outputs, nrow = nrow(data))
    p <- matrix(shares(outputs), nrow = nrow(data))
    f <- outputs
    if (m$form == "thresholds") f <- cbind(0, t(matrix(apply(outputs, 1, cumsum), ncol = nrow(data))))
    answer <- vapply(seq_len(nrow(data)), function(i) as.numeric(called(f[i, ], outputs[i, ], p[i, ])), 0)
    if (ncol(p) != length(classes)) p <- matrix(NA_real_, nrow(data), length(classes))
    p[outside, ] <- NA
    colnames(f) <- paste0("score_", classes)
    colnames(p) <- paste0("probability_", classes)
    said <- ifelse(outside, "outside the data", ifelse(is.na(answer), "(abstain)", classes[answer]))
    data.frame(f, p, prediction = said, check.names = FALSE)
  }
}
