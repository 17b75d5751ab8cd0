package help

import (
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// auditTopic is the help of /audit.
func auditTopic() Topic {
	type item = templates.HelpItem
	return Topic{"audit", "Audit labels", groupPages, templates.Help{
		Lead: "Rows ranked by how strongly a model disagrees with their label, for review one by one. Each row is scored " +
			"by a model that was not trained on it. Nothing changes without your decision, and the uploaded label never " +
			"changes.",
		Parts: []templates.HelpPart{
			{Title: "Keys", List: []item{
				{"k, f, e, u", "Keep the label, flip it, exclude the row from training, or mark it unsure. The next row follows."},
				{"z", "Undoes the last decision."},
				{"j and p, or the arrows", "The next row and the previous one."},
				{"n", "Writes a note; Escape leaves the field."}}},
			{Title: "What the card shows", List: []item{
				{"s", "1 − P(recorded label). Losses without a probability are ranked by the margin for the recorded label."},
				{"g and ξ / median", "The weight of a row relative to logistic loss: p to the power t₂ − t₁, where p is " +
					"the probability of the recorded label; and the same divided by its median over the rows."},
				{"Contributes most", "What each column adds to the margin of the other label. For linear scores " +
					"and trees the contributions add up, relative to the mean of the training rows; for a kernel they do not."},
				{"Nearest rows", "The most similar rows with the same label and with the other one, by their predictors alone."}}},
			{Title: "What to look for", List: []item{
				{"Random controls", "One row in six is drawn at random from all rows. Only these estimate the share of wrong " +
					"labels. The evidence is hidden until you decide: it shows which rows are not suspicious, so probably controls."},
				{"The number of wrong labels", "Estimated by the confident joint, which trusts the model’s probabilities: with " +
					"poor discrimination it has no meaning."},
				{"The child run", "A model trained on reviewed labels agrees with the model that questioned them, so its figures " +
					"improve by construction. Compare the two on the rows whose label was not touched."},
				{"Test the audit", "Flips labels at random and counts how many are ranked first, " +
					"compared with logistic or softmax regression."}}},
		},
		Source: "Northcutt, Jiang and Chuang 2021 (confident joint); Lundberg, Erion and Lee 2018 (trees); Štrumbelj and " +
			"Kononenko 2014 (linear scores).",
		See: []templates.Link{see("α-loss", explore.Alpha), see("Two-temperature", explore.TwoTemperature)},
	}}
}
