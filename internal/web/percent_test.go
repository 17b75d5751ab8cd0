package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestPercentsWithoutScripts sends forms as a browser without scripts does: the fields have per cent, the resulting
// address has fractions.
func TestPercentsWithoutScripts(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	at := "/stratify/" + id
	form := "?was=quartiles&wasmode=interval&mode=interval&template=quartiles&rate=0.9"
	follow := func(to string) string {
		for range 3 {
			w := ask(s, "GET", to, "", browser)
			if w.Code != http.StatusSeeOther {
				return to
			}
			to = w.Header().Get("Location")
		}
		t.Fatalf("%s leads on and on", to)
		return ""
	}
	for _, test := range []struct{ path, want string }{
		{at + form + "&pi.pct=30&pi.pct=50+%25&pi.pct=75%25", at + "?pi=.3,.5,.75"},
		{at + form + "&pi.pct=12,5&pi.pct=50&pi.pct=75", at + "?pi=.125,.5,.75"},
		{at + form + "&pi.pct=0.3&pi.pct=50&pi.pct=75", at + "?pi=.003,.5,.75"},
		{at + form + "&pi.pct=25&pi.pct=50&pi.pct=75", at},
		{at + "?was=quartiles&mode=interval&noise=random&rate.pct=30&pi.pct=25&pi.pct=50&pi.pct=75", at + "?noise=random&rate=0.3"},
		{at + "?task=multiclass&noise=random&rate.pct=12,5", at + "?noise=random&rate=0.125&task=multiclass"},
		{"/?family=interval&pi.pct=30&pi.pct=60", "/?family=interval&pi=0.3&pi=0.6"},
		{"/?family=alpha&noise.pct=30", "/?family=alpha&noise=0.3"},
		{"/playground?rate.pct=30&test.pct=40&a.pi.pct=20", "/playground?a.pi=0.2&rate=0.3&test=0.4"},
	} {
		if got := follow(test.path); got != test.want {
			t.Errorf("%s leads to %s, want %s", test.path, got, test.want)
		}
	}

	for _, test := range []struct{ path, words string }{
		{at + "?pi=.003,.5,.75", "This is 0.3\u00a0%. For 30\u00a0%, type 30."},
		{at + "?pi=.3,.5,.75", `name="pi.pct"`},
		{at + form + "&pi.pct=60&pi.pct=50&pi.pct=75", "Boundaries must rise: boundary 2 must be at least 61\u00a0%, not 50\u00a0%."},
		{at + form + "&pi.pct=150&pi.pct=50&pi.pct=75", "A boundary must be from 0.1 to 99.9\u00a0%, not 150\u00a0%."},
		{at + form + "&pi.pct=half&pi.pct=50&pi.pct=75", "not ‘half’."},
		{at + "?noise=random&rate=3", "A share lies between 0 and 100\u00a0%, not 300\u00a0%."},
		{"/playground?rate=.7", "must be from 0 to 50\u00a0%, not 70\u00a0%"},
	} {
		w := ask(s, "GET", follow(test.path), "", browser)
		if !strings.Contains(w.Body.String(), test.words) {
			t.Errorf("%s (%d) lacks %q", test.path, w.Code, test.words)
		}
	}

	saved := url.Values{"mode": {"interval"}, "was": {"quartiles"}, "pi.pct": {"30", "50", "75"}, "how": {"hand"}, "lambda": {"1"}}
	w := ask(s, "POST", at+"/save", saved.Encode(), "Content-Type: application/x-www-form-urlencoded")
	run := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
	if pi := run.Spec.Boundaries; len(pi) != 3 || pi[0] != .3 {
		t.Errorf("a saved run has boundaries %v, want 0.3 first", pi)
	}
}
