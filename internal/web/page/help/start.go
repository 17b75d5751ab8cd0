package help

import "taper/web/templates"

const (
	groupStart      = "Start here"
	groupEvaluation = "Results and their evaluation"
)

// startTopics are for new users.
func startTopics() []Topic {
	type item = templates.HelpItem
	return []Topic{
		{"start", "First steps", groupStart, templates.Help{
			Lead: "From a table Taper puts each patient in a band of risk, or estimates the risk itself, shows how far the " +
				"result can be trusted, and what wrong labels do to a model. All data stay on this machine.",
			Parts: []templates.HelpPart{
				{Title: "From a table to risk bands", List: []item{
					{"1. Upload", "On Data, choose a CSV or Excel file with one row per patient and one column per " +
						"measurement. Or open one of the sample datasets."},
					{"2. Check", "Taper lists what needs a decision: text in numeric columns, missing values, columns that " +
						"identify people, columns known only after the outcome. Choose the outcome and the predictors."},
					{"3. Stratify", "Choose the boundaries of the risk bands, such as 25, 50 and 75\u00a0%. The table shows for " +
						"each band how many patients fall into it and how many of them had the event."},
					{"4. Read", "The verdict beside each band compares its observed rate and its interval with its limits. The " +
						"sentence above the table sums this up."},
					{"5. Save", "A saved run keeps its settings and results. It gives a report, scores for new patients, and a " +
						"comparison with other runs."}}},
				{Title: "To understand or to teach", List: []item{
					{"Explorer", "What a loss function is, and why some of them resist wrong labels."},
					{"Playground", "Two models on the same points: flip labels and see which one holds up."},
					{"Robustness", "Accuracy versus label noise, with confidence intervals, as slides."}}},
				{Title: "Terms", List: []item{
					{"Outcome, event", "What is predicted, and its value of interest: readmitted = 1."},
					{"Row", "One line of the table: a patient, or a visit of one."},
					{"Predictor", "A column that the model uses."},
					{"Label", "The outcome as recorded for one row. It can be wrong."},
					{"Score", "What the model computes for one row. It decides the band."},
					{"Margin", "How far the score lies on the side of the row’s own label; below 0 it lies on the wrong side."},
					{"Link", "The formula that turns a score into a probability. Not every loss has one."},
					{"Non-event", "Any other value of the outcome that the model is trained on."}}},
			},
			See: []templates.Link{see("Risk bands", "strata"), see("Verdicts", "verdicts"), see("Folds", "folds"),
				see("Method", "method")},
			Try: []templates.Link{{Label: "Open the datasets", URL: "/data"},
				{Label: "Open the playground", URL: "/playground"}},
		}},
		{"data", "Data", groupStart, templates.Help{
			Lead: "The datasets on this machine. Taper asks about what is unclear in a file. It " +
				"leaves out identifiers and mostly empty columns, says so, and changes nothing else without your answer.",
			Parts: []templates.HelpPart{
				{Title: "The file", List: []item{
					{"Form", "One row per patient or visit, one column per measurement, column names in the first row."},
					{"Formats", "CSV and Excel; the command line reads Parquet too. Delimiter, encoding and decimal comma are " +
						"detected and shown."},
					{"Several rows per patient", "Choose the column that identifies the patient, so that all rows of a patient " +
						"stay in the same fold."}}},
				{Title: "Questions about the data", List: []item{
					{"Order", "Questions that can bias the result come first."},
					{"Leakage", "A column that is known only after the outcome makes results optimistic. Exclude it."},
					{"Missing values", "Missing numbers are replaced by the median of the training rows. From ten training " +
						"rows without a value on, a term says that it is missing. With fewer, a missing category counts as a rare " +
						"level, or as the most frequent one where no level is rare. Missing outcome: the row is scored but not used " +
						"for training."}}},
				{Title: "Privacy", List: []item{
					{"What is kept", "Only the columns in use. The uploaded file is deleted when you continue to Stratify."},
					{"Identifying values", "Names, dates of birth and ages above 89 are pointed out."}}},
			},
			See: []templates.Link{see("First steps", "start"), see("Folds", "folds")},
		}},
	}
}

// evaluationTopics say how to read a result and how it was computed.
func evaluationTopics() []Topic {
	type item = templates.HelpItem
	return []Topic{
		{"strata", "Risk bands (strata)", groupEvaluation, templates.Help{
			Lead: "A risk band, or stratum, holds the patients whose predicted risk lies between two boundaries. Three " +
				"boundaries, 25, 50 and 75\u00a0%, give four bands.",
			Parts: []templates.HelpPart{
				{Title: "The table", List: []item{
					{"Rows", "Rows that the model assigns to the band, each held out from the fit of its fold. A patient can have " +
						"several."},
					{"Events", "How many of them had the event."},
					{"Observed rate with interval", "Events over rows, with the 95\u00a0% Wilson interval. In the band 25 – " +
						"50\u00a0% it should lie between 25 and 50\u00a0%."},
					{"Verdict", "Whether the observed rate and its interval agree with the limits of the band."}}},
				{Title: "How boundaries are chosen", List: []item{
					{"By decision", "A boundary belongs where the action changes. At 20\u00a0% one false alarm costs as much as a " +
						"quarter of a missed event: the odds of the boundary."},
					{"In advance", "Boundaries chosen after the result is known make the result optimistic."},
					{"Not too many", "More bands leave fewer patients in each, and wider intervals."}}},
				{Title: "Where bands come from", List: []item{
					{"Interval surrogate", "Fits the boundaries directly. It gives bands, no individual probabilities."},
					{"Other methods", "Estimate a probability, which the boundaries cut into bands."}}},
			},
			Source: "Kimes et al. 2016 (classification with several boundaries); Wilson 1927 (interval).",
			See: []templates.Link{see("Verdicts", "verdicts"), see("Boundaries", "boundaries"),
				see("Statistics", "statistics")},
		}},
		{"verdicts", "Verdicts", groupEvaluation, templates.Help{
			Lead: "The verdict on a band compares the 95\u00a0% interval of its observed rate with its limits. The verdict " +
				"on a difference compares its 95\u00a0% interval with 0.",
			Parts: []templates.HelpPart{
				{Title: "Of a band", List: []item{
					{"Inside", "The whole interval lies within the limits: the data support the band."},
					{"Compatible", "The observed rate lies within the limits, the interval extends beyond them: no contradiction, " +
						"but more data are needed."},
					{"Unclear", "The observed rate lies outside the limits, the interval overlaps them."},
					{"Outside", "The whole interval lies outside the limits: these data contradict the band."},
					{"Too few", "Too few rows, events or non-events to judge. Consider merging the band with a neighbouring one."}}},
				{Title: "Of a difference", List: []item{
					{"Better, worse", "The interval excludes 0."},
					{"No significant difference", "The interval includes 0. The data show neither a difference nor equality: " +
						"look at how wide the interval is."},
					{"No verdict", "There is no interval, or the runs have different data or boundaries."}}},
				{Title: "Limits", Text: "A verdict is about these data. Several verdicts are not corrected for multiplicity. " +
					"Patients of another hospital need an external validation."},
			},
			See: []templates.Link{see("Risk bands", "strata"), see("Compare runs", "compare"), see("Statistics", "statistics")},
		}},
		{"given", "Evaluate a score from elsewhere", groupEvaluation, templates.Help{
			Lead: "A published score, another program or a laboratory gave predictions for your patients. Taper evaluates " +
				"them on the same rows as its own models, and trains nothing but a logistic regression for comparison.",
			Parts: []templates.HelpPart{
				{Title: "What can be evaluated", List: []item{
					{"Probabilities", "A column with values from 0 to 1. They are cut at the boundaries."},
					{"Log odds", "A column with the linear predictor of a logistic regression."},
					{"Points", "Any other number that rises, or falls, with the risk. It is cut into bands where the interval " +
						"loss on these data is smallest; the cut-offs have bootstrap intervals."},
					{"A formula", "Pasted as an expression, such as -4.3 + 0.05*age, or as lines of a term and its coefficient."},
					{"A model.json", "A linear model or trees that Taper saved elsewhere, pasted as text."}}},
				{Title: "What you get", Text: "Bands with observed rates, AUC, calibration, net benefit, subgroups, label audit, " +
					"report and comparisons, as for any run."},
				{Title: "What cannot be known", Text: "How the score was fitted, and on which rows. If these rows were among " +
					"them, all figures are optimistic. Optimism and stability need refits, so there is no bootstrap."}},
			Source: "Barlow et al. 1972; Zadrozny and Elkan 2002 (cut-offs by isotonic regression).",
			See: []templates.Link{see("Risk bands", "strata"), see("Statistics", "statistics"),
				see("Compare runs", "compare")},
		}},
		{"bundle", "Bundles and verification", groupEvaluation, templates.Help{
			Lead: "A bundle is a ZIP file with the settings, the results and the model of a run. Whoever has the data can " +
				"compute the run again with Taper and compare every number.",
			Parts: []templates.HelpPart{
				{Title: "In the bundle", List: []item{
					{"Settings and results", "The specification, how the file was read, all numbers, the model, the report with " +
						"masked counts."},
					{"Data", "Only a hash, unless you include the file."},
					{"Versions and licences", "Of Taper and of everything in it."}}},
				{Title: "Verdicts", List: []item{
					{"Reproduced to the bit", "The same build on the same class of processor gave identical numbers."},
					{"Reproduced to 10⁻⁹", "Another class of processor, which rounds differently: relative differences stay " +
						"below 0.000000001."},
					{"Not reproduced", "The first number that differs is named, with both values."}}}},
			See: []templates.Link{see("Statistics", "statistics"), see("Runs", "runs")},
		}},
		{"folds", "Folds and cross-validation", groupEvaluation, templates.Help{
			Lead: "A model must be tested on rows that it was not trained on. Five-fold cross-validation splits the rows " +
				"into five parts; each part is tested by a model that was trained on the other four.",
			Parts: []templates.HelpPart{
				{Title: "What you see", List: []item{
					{"Results", "All rows tested once, by five models. They estimate how the final model, trained on all rows, " +
						"will perform on similar patients."},
					{"Stratified folds", "Each fold has the same share of events as far as possible."},
					{"Groups", "Rows of the same patient stay in one fold, if a patient column is chosen."},
					{"Seed", "Decides which row belongs to which fold. The same seed gives the same folds; another seed gives " +
						"slightly different results."},
					{"Repeats", "Cross-validation with several splits. The numbers in the comparison of models are means over " +
						"the repeats; bands, curves and intervals are of the first."}}},
				{Title: "What is done inside each fold", Text: "Everything that learns from data: replacing missing values, " +
					"standardisation, splines, the choice of λ where tuning is nested. So the test rows influence nothing."},
				{Title: "Other designs", List: []item{
					{"Hold-out", "One part is tested, the rest trains: quicker, with wider intervals."},
					{"No hold-out", "All figures are on training data and therefore optimistic."},
					{"External validation", "A file that took no part in training. This is the strongest evidence."}}},
			},
			See: []templates.Link{see("Nested tuning", "nested"), see("Statistics", "statistics"), see("Data", "data")},
		}},
		{"nested", "Nested tuning", groupEvaluation, templates.Help{
			Lead: "The penalty λ and other parameters are chosen by cross-validation, too. If the same folds both choose λ " +
				"and test the model, the results are optimistic. Nested tuning avoids this.",
			Parts: []templates.HelpPart{
				{Title: "How it works", List: []item{
					{"Outer folds", "Test the model. They play no part in choosing λ."},
					{"Inner folds", "Split the training part of each outer fold again and choose λ there. Each outer fold can " +
						"have its own λ."},
					{"Final model", "λ is chosen once more on all rows, and the model is trained on all rows."}}},
				{Title: "What to choose", List: []item{
					{"Nested", "For results that are reported."},
					{"Same folds", "Quicker, for exploration: the live page uses it. The bias is small for one parameter, larger " +
						"for several and for small samples."},
					{"Fixed λ", "No bias, if it was fixed before the data were seen."},
					{"One-standard-error rule", "Takes the largest λ whose loss is within one standard error of the lowest: a " +
						"simpler model of similar performance."}}},
			},
			Source: "Varma and Simon 2006 (bias of tuning on the test folds); Hastie, Tibshirani and Friedman 2009, section " +
				"7.10 (one-standard-error rule).",
			See: []templates.Link{see("Folds and cross-validation", "folds"), see("Penalty λ", "penalty")},
		}},
	}
}
