package help

import (
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// auditTopic is the help of /audit.
func auditTopic() Topic {
	type item = templates.HelpItem
	return Topic{"audit", "Audit labels", groupPages, templates.Help{
		Lead: "Rows ranked by how little a model that did not see them believes their label, to be looked at one by one. " +
			"Nothing is changed by itself, and the label as uploaded never changes.",
		Parts: []templates.HelpPart{
			{Title: "Keys", List: []item{
				{"k, f, e, u", "Keep the label, flip it, exclude the row from training, or leave it unsure. The next row follows."},
				{"z", "Takes back the last decision, whichever row it was about."},
				{"j and p, or the arrows", "The next row and the one before."},
				{"n", "Writes a note; Escape leaves it."}}},
			{Title: "What the card says", List: []item{
				{"s", "1 − the probability of the own label. Losses without a probability are ranked by the margin of the own " +
					"label."},
				{"g and ξ / median", "How much a row still counts in a fit that gives up on labels: p^(t₂−t₁), and the same " +
					"over its median."},
				{"Contributes most", "What each column adds to the lead of the other label. Parts of linear scores and of trees " +
					"add up, from the mean of the rows trained on; those of a kernel do not."},
				{"Nearest rows", "Of the own label and of the other one, by their values, whatever the model thinks."}}},
			{Title: "What to look for", List: []item{
				{"The random controls", "One row in six is drawn at random from all rows. Only what is wrong among them " +
					"estimates the share of wrong labels; hide the evidence, since a small s gives a control away."},
				{"The number of wrong labels", "By the confident joint. It trusts the model’s probabilities: a model that " +
					"hardly tells the classes apart says nothing."},
				{"The child run", "A fit on the reviewed labels agrees with the model that doubted them, and looks better by " +
					"construction. Read it on the rows whose label nobody touched."},
				{"Try it", "Flips labels on purpose and counts how many come first, " +
					"beside plain logistic or softmax regression."}}},
		},
		Source: "Northcutt, Jiang and Chuang 2021 (confident joint); Lundberg, Erion and Lee 2018 (trees); Štrumbelj and " +
			"Kononenko 2014 (linear scores).",
		See: []templates.Link{see("α-loss", explore.Alpha), see("Two-temperature", explore.TwoTemperature)},
	}}
}
