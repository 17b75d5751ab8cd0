package help

import "taper/web/templates"

// limitsTopic says what a reader may look for in vain, and what to use in its place.
func limitsTopic() Topic {
	type item = templates.HelpItem
	return Topic{"limits", "What Taper does not do", groupStart, templates.Help{
		Lead: "Taper predicts one outcome of each row from the other columns of one table. These methods are not part of it.",
		Parts: []templates.HelpPart{
			{Title: "Questions of another kind", List: []item{
				{"Survival: time to event", "There is no Cox regression and no Kaplan–Meier curve, and censored times are not " +
					"modelled. Ask whether the event occurred within a fixed time, such as 30 days. Leaving out the rows that " +
					"were censored earlier makes the rates too high: where there are many, use survival analysis."},
				{"Effects of a treatment", "Coefficients and odds ratios describe association. They do not say what would happen " +
					"if a predictor were changed."},
				{"Repeated measurements", "All rows of a patient stay in one fold. There are no random effects, and intervals do " +
					"not account for the clusters."},
				{"Images, texts, series", "A column is a number, a date or a category. Compute features elsewhere."}}},
			{Title: "Other models", List: []item{
				{"Random forest, XGBoost, neural network", "Taper fits linear models, kernels (with the hinge loss a support " +
					"vector machine, SVM) and AdaBoost.α. It can evaluate the predictions of any other program beside them."},
				{"Lasso, elastic net, stepwise selection", "The penalty λ (ridge, L2) shrinks all coefficients and drops none. " +
					"Choose predictors by what is known about them."},
				{"Interactions", "A linear model has no products of predictors: add them as columns. Trees with a depth of 2 or " +
					"more, and kernels, contain interactions."},
				{"Multiple imputation", "Missing values get one value, or a term of their own. Impute before the upload if you " +
					"need more, separately for each dataset that you compare."},
				{"SMOTE, over-sampling for class imbalance", "Balancing the classes distorts probabilities. Move the boundaries " +
					"instead: they say what a missed event costs."}}},
		},
		Source: "Van den Goorbergh et al. 2022 (class imbalance); Harrell 2015 (selection of predictors, imputation).",
		See: []templates.Link{see("Evaluate a score from elsewhere", "given"), see("Data", "data"),
			see("Boundaries", "boundaries")},
	}}
}

// takeTopic lists the ways out of the program.
func takeTopic() Topic {
	type item = templates.HelpItem
	return Topic{"take", "Export and automate", groupPages, templates.Help{
		Lead: "A run is not tied to this program. The menu of a run writes most of these files.",
		Parts: []templates.HelpPart{
			{Title: "A model for others", List: []item{
				{"Calculator", "One HTML page that scores a patient in any browser, without Taper and without a network."},
				{"Code", "The model in Python, R, JavaScript or SQL, without packages. It gives the same bands and risks."},
				{"Equation", "In words or LaTeX, in the units of the columns, with all digits."},
				{"model.json", "All that is needed to score a row. Kernel models contain rows of the data and cannot be " +
					"exported in the other forms."}}},
			{Title: "A result for others", List: []item{
				{"Report", "Print it, or save it as PDF from the print dialog of the browser."},
				{"Verdict card", "The verdict and the bands as one picture, SVG or PNG."},
				{"Tables", "CSV of the runs, of the scored rows, of a comparison and of a study."},
				{"Bundle", "A ZIP file from which another Taper computes the run again and compares every number, so that a " +
					"result can be reproduced."}}},
			{Title: "Without the pages", List: []item{
				{"Command line", "taper help lists the commands: import, stratify, score, validate, report and more. They read " +
					"Parquet too, and score and study write it."},
				{"API", "/api describes every call of the JSON interface."},
				{"Backup", "taper backup FILE saves the whole data folder, taper restore FILE brings it back."},
				{"Password", "Taper asks for none on this machine. To reach it from others, start it with a password and put TLS " +
					"in front of it; docs/proxy.md says how."}}},
		},
		See: []templates.Link{see("Bundles and verification", "bundle"), see("Runs and their results", "runs"),
			see("Before an audience", "audience")},
	}}
}

// keysTopic lists the keys, and what screen readers are given.
func keysTopic() Topic {
	type item = templates.HelpItem
	return Topic{"keys", "Keyboard, screen reader, display", groupPages, templates.Help{
		Lead: "Everything can be done without a mouse, and every picture has a description and its numbers as a table.",
		Parts: []templates.HelpPart{
			{Title: "Shortcuts", List: []item{
				{"?", "Help on the focused control or on the page, in a side panel. Escape closes it."},
				{"Sliders", "Arrows move by one step, Page Up and Page Down by ten, Home and End to the ends. The field beside " +
					"a slider takes a number, with a decimal point or comma."},
				{"Before an audience", "Left and right change the scene, Escape leaves."},
				{"Playground", "Arrows move the probe on a surface, with Shift by ten. " +
					"Number keys choose the class of a new point."},
				{"Audit of labels", "k keeps, f flips, e excludes, u is unsure, z undoes, j and p go to the next and the " +
					"previous row, n opens the note."}}},
			{Title: "Screen readers", Text: "Results that change while a slider moves are announced when it rests. Bands and " +
				"classes differ in symbol and hatching as well as in colour."},
			{Title: "Display", Text: "The button at the top right changes between light, dark and the setting of the system. " +
				"Pages fit a width of 360 pixels. The language is English."},
		},
		See: []templates.Link{see("Playground", "playground"), see("Before an audience", "audience"),
			see("Audit labels", "audit")},
	}}
}
