package web

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"taper/internal/engine/study/paper"
	"taper/internal/store"
	"taper/internal/terms"
)

// mostStates limits the states read of one page, since some pages link to hundreds of their own.
const mostStates = 12

// olderWords are words in runs, audits and files stored by an older version.
var olderWords = []string{"the group it is told from", "On purpose, 10 of 98", "that the model has seen, and too good",
	"none: judged on the rows trained on", "each row judged by a model that did not see it", "λ chosen anew in each sample"}

// TestRenderedTerms follows the links of a program with runs of every task and kind of model, and checks everything
// on each page that a person sees or hears: text, titles, labels, texts of charts. It also checks the sentences of
// the API description.
func TestRenderedTerms(t *testing.T) {
	if testing.Short() {
		t.Skip("Reads some hundred pages: left out with -short.")
	}
	dir := t.TempDir()
	backup, data := filepath.Join(dir, "backup.db"), filepath.Join(dir, "data")
	if err := os.WriteFile(backup, unpacked(t, "../../testdata/versions/0.1/backup.db.gz"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := store.Restore(t.Context(), data, backup); err != nil {
		t.Fatal(err)
	}
	s, _ := serverOn(t, data, Config{})
	said := map[string]bool{}
	read := func(at, text string) {
		if said[text] {
			return
		}
		said[text] = true
		for _, words := range olderWords {
			text = strings.ReplaceAll(text, words, "")
		}
		for _, hit := range terms.Banned(text) {
			t.Errorf("%s: %s, in %.200q", at, hit, text)
		}
	}
	todo := []string{"/", "/no-such-page", "/compare"}
	for _, preset := range paper.Presets {
		todo = append(todo, "/studies/preset/"+preset.ID, "/studies/new?preset="+preset.ID)
	}
	// The report of a run without data is stored as it was written.
	var runs struct {
		Items []struct {
			ID      string
			Deleted *time.Time `json:"data_deleted"`
		}
	}
	if err := json.Unmarshal(ask(s, "GET", "/api/v1/runs", "").Body.Bytes(), &runs); err != nil || len(runs.Items) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	kept := map[string]bool{}
	for _, r := range runs.Items {
		kept[r.ID] = r.Deleted != nil
	}
	seen, states := map[string]bool{}, map[string]int{}
	for len(todo) > 0 {
		at, _, _ := strings.Cut(todo[0], "#")
		todo = todo[1:]
		path, _, _ := strings.Cut(at, "?")
		page := place(path)
		if seen[at] || states[page] == mostStates || kept[ids.FindString(path)] {
			continue
		}
		seen[at] = true
		w := ask(s, "GET", at, "", browser)
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			todo = append(todo, w.Header().Get("Location"))
			continue
		}
		states[page]++
		texts, links := sentences(t, w.Body.String())
		for _, text := range texts {
			read(at, text)
		}
		todo = append(todo, links...)
	}
	for _, page := range []string{"/", "/playground", "/robustness", "/studies", "/studies/not-replicated", "/data", "/data/*",
		"/stratify/*", "/runs", "/runs/*", "/runs/*/performance", "/runs/*/model", "/runs/*/patients", "/runs/*/group",
		"/report/*", "/audit/*", "/compare", "/help", "/help/strata", "/api"} {
		if states[page] == 0 {
			t.Errorf("no link leads to %s", page)
		}
	}
	var description any
	if err := json.Unmarshal(ask(s, "GET", "/api/v1/openapi.json", "").Body.Bytes(), &description); err != nil {
		t.Fatal(err)
	}
	strs(description, func(key, text string) {
		if key == "description" || key == "summary" || key == "title" {
			read("API description", text)
		}
	})
}

// inline are elements within a sentence.
var inline = map[atom.Atom]bool{atom.A: true, atom.Abbr: true, atom.B: true, atom.Em: true, atom.I: true, atom.Small: true,
	atom.Span: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Var: true}

// sentences are the visible texts of a page, one per block, and the targets of its links. Code, formulas and input
// fields are no sentences.
func sentences(t *testing.T, page string) (texts, links []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var block strings.Builder
	end := func() {
		if text := strings.Join(strings.Fields(block.String()), " "); text != "" {
			texts = append(texts, text)
		}
		block.Reset()
	}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			block.WriteString(n.Data)
			return
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "title", "aria-label", "alt", "placeholder", "aria-description":
				texts = append(texts, a.Val)
			case "href":
				if strings.HasPrefix(a.Val, "/") && n.DataAtom == atom.A {
					links = append(links, a.Val)
				}
			}
		}
		switch {
		case n.DataAtom == atom.Script:
			var options any
			if n.FirstChild != nil && json.Unmarshal([]byte(n.FirstChild.Data), &options) == nil {
				strs(options, func(_, text string) {
					if strings.ContainsRune(text, ' ') && !strings.ContainsRune(text, '=') {
						texts = append(texts, text)
					}
				})
			}
			return
		case n.DataAtom == atom.Style, n.DataAtom == atom.Code, n.DataAtom == atom.Pre, n.DataAtom == atom.Textarea,
			n.Data == "math":
			return
		case !inline[n.DataAtom]:
			end()
			defer end()
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(doc)
	return texts, links
}

// strs calls f with every string in a JSON value and its key.
func strs(v any, f func(key, text string)) {
	var walk func(string, any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case string:
			f(key, v)
		case []any:
			for _, one := range v {
				walk(key, one)
			}
		case map[string]any:
			for k, one := range v {
				walk(k, one)
			}
		}
	}
	walk("", v)
}
