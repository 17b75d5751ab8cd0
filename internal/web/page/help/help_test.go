package help

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/loss"
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// TestTopics: each topic is in the index once, its links exist, and the states it links to are valid.
func TestTopics(t *testing.T) {
	listed := map[string]int{}
	for _, g := range Index("") {
		for _, l := range g.Links {
			listed[l.URL]++
		}
	}
	all := topics()
	for id := range otherNames {
		if _, ok := Find(id); !ok {
			t.Errorf("other names of %s, which is not there", id)
		}
	}
	if len(listed) != len(all) {
		t.Errorf("%d topics, %d in the index", len(all), len(listed))
	}
	for _, topic := range all {
		if found, ok := Find(topic.ID); !ok || found.Title != topic.Title || topic.Lead == "" || listed["/help/"+topic.ID] != 1 {
			t.Errorf("%s: found %v, lead %q, %d times in the index", topic.ID, ok, topic.Lead, listed["/help/"+topic.ID])
		}
		for _, l := range topic.See {
			if _, ok := Find(strings.TrimPrefix(l.URL, "/help/")); !ok {
				t.Errorf("%s points to %s, which is not there", topic.ID, l.URL)
			}
		}
		for _, l := range topic.Try {
			u, err := url.Parse(l.URL)
			if err != nil || u.Path != "/" {
				continue // of another page than the explorer
			}
			if st, bad := explore.Parse(u.Query()); len(bad) > 0 || st.URL() != l.URL {
				t.Errorf("%s offers %s, which is %s (%v)", topic.ID, l.URL, st.URL(), bad)
			}
		}
	}
	for _, family := range explore.Families {
		l, listed := loss.FamilyByID(family)
		errata := !listed || len(l.Errata) > 0
		if topic, ok := Find(family); !ok || len(topic.Formula) == 0 || topic.Source == "" || errata && len(topic.Errata) == 0 {
			t.Errorf("the family %s has no full topic", family)
		}
	}
	if _, ok := Find("nothing"); ok {
		t.Error("a topic that is not there")
	}
}

// TestIndex: a search finds the topics whose text has all its words, ignoring case and order, and the index starts
// with the page for beginners.
func TestIndex(t *testing.T) {
	if first := Index("")[0].Links[0]; first.URL != "/help/start" {
		t.Errorf("the index starts with %s", first.URL)
	}
	for query, want := range map[string]string{
		"wilson": "/help/strata", "score file": "/help/runs",
		"Inner OUTER folds": "/help/nested", "too few": "/help/verdicts", "cross-validation five": "/help/folds",
		"survival analysis": "/help/limits", "censored": "/help/limits", "class imbalance": "/help/limits", "lasso": "/help/limits",
		"c-statistic": "/help/statistics", "python": "/help/take", "pdf": "/help/take", "keyboard shortcuts": "/help/keys",
		"imputation": "/help/data", "vif": "/help/runs", "cutoff": "/help/boundaries",
		"epp": "/help/epp", "epv": "/help/epp", "events per variable": "/help/epp", "significant digits": "/help/statistics",
		"unequal decimals": "/help/statistics", "cumulative gains": "/help/gains", "net interventions avoided": "/help/decision-curve",
	} {
		found := false
		for _, g := range Index(query) {
			for _, l := range g.Links {
				found = found || l.URL == want
			}
		}
		if !found {
			t.Errorf("%q does not find %s", query, want)
		}
	}
	if groups := Index("folds zebra"); len(groups) > 0 {
		t.Errorf("%v has a zebra", groups)
	}
}

// TestNamesInList: who looks through the list for events per parameter finds both of its short names there.
func TestNamesInList(t *testing.T) {
	for _, query := range []string{"epp", "epv"} {
		for _, g := range Index(query) {
			for _, l := range g.Links {
				if l.URL == "/help/epp" && !strings.Contains(strings.ToLower(l.Label), query) {
					t.Errorf("the list says %q, without %s", l.Label, strings.ToUpper(query))
				}
			}
		}
	}
	statistics, _ := Find("statistics")
	if !slices.ContainsFunc(statistics.Parts, func(p templates.HelpPart) bool { return p.Title == "Digits" && len(p.List) > 0 }) {
		t.Error("the topic about statistics doesn’t say how many digits numbers have")
	}
}

// TestOf: every page has a topic about it.
func TestOf(t *testing.T) {
	for _, page := range []string{"/runs/x/group", "/runs/x/nomogram", "/stratify/x/flips"} {
		if got := Of(page); got != "/help/audience" {
			t.Errorf("%s is explained by %s", page, got)
		}
	}
	for _, page := range []string{"/", "/data", "/data/x", "/stratify/x", "/stratify/x/given", "/verify", "/runs", "/runs/x/score", "/report/x", "/evaluations/x",
		"/compare", "/audit/x", "/robustness", "/studies", "/playground", "/sessions", "/nope"} {
		if _, ok := Find(strings.TrimPrefix(Of(page), "/help/")); !ok {
			t.Errorf("%s is explained by %s, which is not there", page, Of(page))
		}
	}
}
