package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"taper/internal/web/live"
)

// TestStratifyMethods shows every method: its controls, its name in the comparison, its link; the live answer; the
// saved run, and the link back from its page.
func TestStratifyMethods(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	for query, want := range map[string]struct{ title, link, controls string }{
		"method=logistic":                  {"Logistic, thresholded", "P = 1/(1 + exp(−f))", ""},
		"method=alpha&alpha=2":             {"α-loss, α = 2", "P = 1/(1 + exp(−0.5·f))", "alpha"},
		"method=t-logistic":                {"t-logistic, t = 1.6", "t-exponential", "t"},
		"method=tempered&t1=0.5":           {"Two-temperature, t₁ = 0.5, t₂ = 1.6", "logit P = t₁ · logit p", "t1 t2"},
		"method=bi-tempered&t1=0.5":        {"Bi-tempered, t₁ = 0.5, t₂ = 1.4", "P = p, the model’s own", "t1 t2"},
		"method=squared-hinge":             {"Squared hinge", "P = (1 + f)/2", ""},
		"method=boost&alpha=0.5&rounds=20": {"AdaBoost.α, α = 0.5, 20 trees", "P = 1/(1 + exp(−2·f))", "alpha rounds depth"},
		"method=kernel&l2=0.0156":          {"Interval surrogate, RBF kernel", "none: bands", "loss kernel solver gammahow"},
		"method=kernel&loss=logistic&kernel=poly&gamma=0.03125&degree=2&l2=0.0156": {"Logistic, polynomial kernel of degree 2", "P = 1/(1 + exp(−f))", "loss kernel gammahow gamma degree"},
		"pi=.3,.6&method=boost&depth=2&l2=1":                                       {"AdaBoost.α, α = 4, 100 trees", "P = 1/(1 + exp(−0.25·f))", "alpha rounds depth"},
	} {
		at := "/stratify/" + id
		w := ask(s, "GET", at+"?"+query, "", browser)
		text := plain(w.Body.String())
		if w.Code != 200 || !strings.Contains(text, want.title) || !strings.Contains(text, want.link) {
			t.Errorf("%s: %d, no %q or no %q", query, w.Code, want.title, want.link)
		}
		for _, name := range []string{"alpha", "t", "t1", "t2", "rounds", "depth", "loss", "kernel", "solver", "gammahow", "gamma", "degree"} {
			offered := strings.Contains(w.Body.String(), ` name="`+name+`"`)
			if wanted := strings.Contains(" "+want.controls+" ", " "+name+" "); offered != wanted {
				t.Errorf("%s: control %s is offered: %v", query, name, offered)
			}
		}
		var live live.Answer
		l := ask(s, "GET", at+"/live?"+query+"&panel=1", "")
		if err := json.Unmarshal(l.Body.Bytes(), &live); err != nil || l.Code != 200 || live.URL != at+"?"+query || !strings.Contains(live.Parts["controls"], "Method") {
			t.Errorf("%s: live %d to %q", query, l.Code, live.URL)
		}
		w = ask(s, "POST", at+"/save", query, "Content-Type: application/x-www-form-urlencoded", browser)
		to := w.Header().Get("Location")
		if w.Code != http.StatusSeeOther {
			t.Fatalf("%s: saved with %d %s", query, w.Code, w.Body)
		}
		run, err := s.db.Run(context.Background(), strings.TrimPrefix(to, "/runs/"))
		if err != nil || run.Spec.Model.Title() != want.title {
			t.Errorf("%s: saved as %q, %v", query, run.Spec.Model.Title(), err)
		}
		if back := s.stratifyOf(context.Background(), run); !strings.HasPrefix(back+"&", at+"?"+query+"&") {
			t.Errorf("%s: the run leads back to %q", query, back)
		}
	}
}

// TestStratifyMethodRefused: invalid parameters of a method are reported at their controls.
func TestStratifyMethodRefused(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	for query, says := range ordered(map[string]string{
		"method=forest&l2=1":               "There is no method ‘forest’",
		"method=alpha&alpha=-1&l2=1":       "Alpha must be greater than 0",
		"method=tempered&t1=0&l2=1":        "t₁ begins at 0.05",
		"method=kernel&gamma=-1&l2=1":      "γ must be auto or a number from",
		"method=kernel&kernel=cosine&l2=1": "There is no such choice",
		"method=boost&rounds=0&l2=1":       "Rounds must be a whole number from 1 to 1000",
		"method=boost&alpha=inf&l2=1":      "at ∞ the score has no probability",
	}) {
		w := ask(s, "GET", "/stratify/"+id+"?"+query, "", browser)
		if w.Code != 422 || !strings.Contains(plain(w.Body.String()), says) {
			t.Errorf("%s: %d without %q", query, w.Code, says)
		}
		wantField(t, s, "GET", "/stratify/"+id+"/live?"+query, "", fieldOf(query))
	}
}

// fieldOf is the key of the invalid value: the one before l2.
func fieldOf(query string) string {
	pairs := strings.Split(query, "&")
	key, _, _ := strings.Cut(pairs[len(pairs)-2], "=")
	return key
}

// TestStratifyMethodByHand chooses a method and changes its parameters in Chromium.
func TestStratifyMethodByHand(t *testing.T) {
	p, b := ownTab(t)
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "?l2=0.0156")
	b.drawn()
	choose := func(id string) {
		b.do(chromedp.Focus("#method"))
		b.exec(`(() => { const m = document.querySelector('#method'); m.value = '` + id + `'; m.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	}
	choose("alpha")
	b.wait(`location.search === '?method=alpha&l2=0.0156' && document.querySelector('#m-alpha-range')`)
	b.wait(`document.querySelector('.is-steer')?.innerText.includes('α-loss, α = 4')`)
	b.steer("m-alpha", kb.ArrowLeft)
	b.wait(`location.search === '?method=alpha&alpha=3.7&l2=0.0156'`)
	b.wait(`document.querySelector('.is-steer')?.innerText.includes('α-loss, α = 3.7')`)
	if got := eval[string](b, `document.activeElement.id`); got != "m-alpha-range" {
		t.Errorf("the focus went to %q", got)
	}
	choose("kernel")
	b.wait(`document.querySelector('#m-kernel') && document.querySelector('.is-steer')?.innerText.includes('RBF kernel')`)
	b.do(chromedp.Focus("#m-gammahow")) // another control starts a new history entry
	b.exec(`(() => { const m = document.querySelector('#m-gammahow'); m.value = 'hand'; m.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	b.wait(`location.search.includes('gamma=0.03125') && document.querySelector('#m-gamma-range')`)
	b.axe("kernel")
	b.fits("kernel")
	choose("boost")
	b.wait(`document.querySelector('#m-rounds-range') && document.querySelector('.is-steer')?.innerText.includes('AdaBoost.α')`)
	b.axe("trees")
	b.fits("trees")
	b.exec(`history.back()`)
	b.wait(`document.querySelector('#method')?.value === 'kernel'`)
}
