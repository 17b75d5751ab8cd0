// Package help contains the help topics: short texts about a loss, a page or a control, what to look for, and the
// source.
package help

import (
	"slices"
	"strings"

	"taper/web/templates"
)

// Topic is one page of help: the formula, what the sliders do, what to look for, and the source.
type Topic struct {
	ID, Title, Group string
	templates.Help
}

// Find returns the topic with an id.
func Find(id string) (Topic, bool) {
	all := topics()
	i := slices.IndexFunc(all, func(t Topic) bool { return t.ID == id })
	if i < 0 {
		return Topic{}, false
	}
	return all[i], true
}

// Index lists the topics that contain every word of the query, by group; all topics for an empty query.
func Index(query string) []templates.HelpGroup {
	var groups []templates.HelpGroup
	for _, t := range topics() {
		if !t.has(strings.Fields(strings.ToLower(query))) {
			continue
		}
		i := slices.IndexFunc(groups, func(g templates.HelpGroup) bool { return g.Title == t.Group })
		if i < 0 {
			groups, i = append(groups, templates.HelpGroup{Title: t.Group}), len(groups)
		}
		groups[i].Links = append(groups[i].Links, templates.Link{Label: t.Title, URL: "/help/" + t.ID})
	}
	return groups
}

// has reports whether the topic's text has all the words.
func (t Topic) has(words []string) bool {
	text := []string{t.ID, t.Title, t.Group, t.Lead, t.Source, otherNames[t.ID]}
	for _, p := range t.Parts {
		text = append(text, p.Title, p.Text)
		for _, i := range p.List {
			text = append(text, i[0], i[1])
		}
	}
	all := strings.ToLower(strings.Join(text, "\n"))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) })
}

// otherNames are words that readers look for and that the texts, which keep to one term for a thing, do not use.
var otherNames = map[string]string{
	"start":      "prior prevalence class label target",
	"statistics": "C-statistic concordance index p-value cross-entropy log loss",
	"boundaries": "cutoff cut-point utility regret weighting",
	"data":       "GDPR imputation encoding separator language",
	"folds":      "cluster clustered repeated leave-one-out overfitting reproducible",
	"runs": "fairness subgroups importance SHAP multicollinearity variance inflation VIF regularization regularisation " +
		"lambda",
	"given": "APACHE EuroSCORE Framingham GRACE benchmark",
	"take":  "PDF login sign-in script programming",
}

// Of returns the address of the topic about a page.
func Of(path string) string {
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if _, last, _ := strings.Cut(rest, "/"); last == "group" || last == "nomogram" || last == "flips" {
		return "/help/audience"
	}
	switch {
	case first == "stratify" && strings.HasSuffix(rest, "/given"):
		return "/help/given"
	case first == "verify":
		return "/help/bundle"
	}
	switch first {
	case "help":
		return "/help"
	case "data", "playground", "compare", "audit":
		return "/help/" + first
	case "stratify":
		return "/help/strata"
	case "runs", "report", "evaluations":
		return "/help/runs"
	case "robustness", "studies":
		return "/help/robustness"
	}
	return "/help/start"
}
