package web

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// A heard is one element as a screen reader announces it.
type heard struct {
	role, name string
	level      int // of a heading
}

func (h heard) String() string { return h.role + " " + h.name }

// aloud lists the nodes of the accessibility tree in reading order.
func (b *tab) aloud() (all []heard) {
	b.Helper()
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.Fatal(err)
	}
	nodes := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		nodes[n.NodeID] = n
	}
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			_ = json.Unmarshal(v.Value, &s) // other values have no text
		}
		return s
	}
	var walk func(id accessibility.NodeID)
	walk = func(id accessibility.NodeID) {
		n := nodes[id]
		if n == nil {
			return
		}
		if !n.Ignored {
			h := heard{role: text(n.Role), name: text(n.Name)}
			for _, p := range n.Properties {
				if p.Name == "level" && p.Value != nil {
					_ = json.Unmarshal(p.Value.Value, &h.level)
				}
			}
			all = append(all, h)
		}
		for _, child := range n.ChildIDs {
			walk(child)
		}
	}
	walk(tree.Nodes[0].NodeID)
	return all
}

// TestReadingOrder reads pages as a screen reader does: landmarks occur once and in order, the page's title is the
// first heading of its content, no heading level is skipped, every control has a name, and the answer to the page's
// question comes first.
func TestReadingOrder(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	clinic := heart(t, s)
	run := trained(t, s, heartSpec(clinic, "Risk", "interval", .25, .5, .75)).ID
	other := trained(t, s, heartSpec(clinic, "Other", "logistic", .25, .5, .75)).ID
	outcome := "?outcome=disease&positive=yes"
	b := newTab(t, web.URL)
	narrow := map[string][]string{ // where the result comes before the controls
		"/": {"StaticText Add label noise", "heading Two-temperature loss", "heading Loss", "radio Two-temperature", "slider t1",
			"heading Influence", "heading Regime", "heading Every curve"},
		"/playground": {"heading Playground", "StaticText Validate and save", "combobox Method of A", "application Surface of A",
			"combobox Method of B", "application Surface of B", "combobox Kind", "slider Rate", "radio Shared",
			"slider Penalty λ", "slider Solver step", "heading On the loss curve of A", "heading A against B",
			"heading Points"},
		"/stratify/" + clinic.ID + outcome: {"heading disease", "table", "radio Hard", "slider", "heading Score distribution"},
	}
	for path, order := range map[string][]string{
		"/": {"StaticText Add label noise", "heading Two-temperature loss", "radio Two-temperature", "slider t1",
			"heading Loss", "heading Influence", "heading Regime", "heading Every curve"},
		"/playground": {"heading Playground", "StaticText Validate and save", "combobox Kind", "slider Rate", "radio Shared",
			"slider Penalty λ", "combobox Method of A", "application Surface of A", "combobox Method of B",
			"application Surface of B", "slider Solver step", "heading On the loss curve of A", "heading A against B",
			"heading Points"},
		"/robustness":                      {"heading Accuracy against label noise", "link Present", "heading Accuracy on clean rows"},
		"/data":                            {"heading Data", "heading Drop a CSV", "heading Datasets"},
		"/stratify/" + clinic.ID + outcome: {"heading disease", "radio Hard", "slider", "table", "heading Score distribution"},
		"/stratify/" + clinic.ID + "/flips" + outcome: {"heading What label flips do", "slider Share flipped",
			"heading Labels as recorded", "heading With label noise"},
		"/runs": {"heading Runs", "searchbox", "table"},
		"/runs/" + run: {"heading Risk", "link Result", "link Report", "table",
			"heading Score distribution", "heading What next"},
		"/runs/" + run + "/performance": {"heading Risk", "link Performance", "heading ROC curve"},
		"/runs/" + run + "/model":       {"heading Risk", "link Model", "heading Coefficients", "heading Nomogram"},
		"/runs/" + run + "/patients":    {"heading Risk", "link Patients", "heading Score a file", "heading One patient"},
		"/report/" + run: {"link Back to the run", "heading Risk", "heading Verdict",
			"heading Strata", "heading Main limits"},
		"/audit/" + other:                   {"heading Labels", "heading Rank the labels", "button Audit the labels"},
		"/compare?ids=" + run + "," + other: {"heading Two runs", "link Differences only", "heading What differs"},
		"/studies":                          {"heading Studies", "link All studies", "table"},
		"/help":                             {"heading Help", "searchbox", "heading Start here"},
	} {
		for _, width := range []int{1280, 360} {
			where := fmt.Sprintf("%s at %d px", path, width)
			b.look(width, "light")
			b.open(path)
			b.drawn()
			if on, ok := narrow[path]; ok && width == 360 {
				order = on
			}
			all := b.aloud()
			b.landmarks(where, all)
			b.headings(where, all)
			at := 0
			for _, want := range order {
				i := slices.IndexFunc(all[at:], func(h heard) bool {
					return strings.HasPrefix(strings.ToLower(h.String()), strings.ToLower(want))
				})
				if i < 0 {
					t.Errorf("%s: %q is not read after what stands before it; read: %v", where, want,
						all[at:min(at+60, len(all))])
					break
				}
				at += i + 1
			}
		}
	}
}

// TestRefitsStandInALine: the number of bootstrap samples and its button are aligned.
func TestRefitsStandInALine(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	run := trained(t, s, heartSpec(heart(t, s), "Risk", "interval", .25, .5, .75)).ID
	b := newTab(t, web.URL)
	b.open("/runs/" + run + "/performance")
	b.drawn()
	ends := eval[[]float64](b, `['#replicates', '.check-form:has(#replicates) button'].map((s) =>
		document.querySelector(s).getBoundingClientRect().bottom)`)
	if off := ends[0] - ends[1]; off < -2 || off > 2 {
		t.Errorf("the field ends %.0f px from the end of its button", off)
	}
}

// landmarks checks that header with navigation, content and footer occur once each, and that every control has a
// name.
func (b *tab) landmarks(where string, all []heard) {
	b.Helper()
	var found []string
	for _, h := range all {
		switch h.role {
		case "banner", "main", "contentinfo":
			found = append(found, h.role)
		case "button", "link", "textbox", "searchbox", "combobox", "listbox", "slider", "checkbox", "radio",
			"spinbutton", "tab":
			if strings.TrimSpace(h.name) == "" {
				b.Errorf("%s: a %s has no name", where, h.role)
			}
		}
	}
	if !slices.Equal(found, []string{"banner", "main", "contentinfo"}) {
		b.Errorf("%s: the landmarks are %v", where, found)
	}
}

// headings checks that one heading has level 1, that it is first, and that no level is skipped.
func (b *tab) headings(where string, all []heard) {
	b.Helper()
	last, first := 0, 0
	for _, h := range all {
		if h.role != "heading" {
			continue
		}
		if h.level == 1 {
			first++
		}
		if h.level > last+1 {
			b.Errorf("%s: heading %q of level %d follows one of level %d", where, h.name, h.level, last)
		}
		last = h.level
	}
	if first != 1 {
		b.Errorf("%s: %d headings of level 1", where, first)
	}
}
