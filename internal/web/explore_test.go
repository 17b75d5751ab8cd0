package web

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/loss"
	"taper/internal/web/page/explore"
)

// TestExploreProblems: an invalid value is reported with the allowed ones; the page shows the rest, and the JSON is
// a problem.
func TestExploreProblems(t *testing.T) {
	s, _ := testServer(t, Config{})
	for query, want := range map[string]string{
		"t1=5":                         `t1 must be a number from 0 to 4, not ‘5’.`,
		"t2=x":                         `t2 must be a number from 0 to 4, not ‘x’.`,
		"family=beta":                  "family must be one of " + strings.Join(explore.Families, ", ") + `, not ‘beta’.`,
		"family=alpha&alpha=0":         `alpha must be a number above 0 or ∞, not ‘0’.`,
		"family=alpha&alpha=NaN":       `alpha must be a number above 0 or ∞, not ‘NaN’.`,
		"family=interval&pi=.5,.4":     `pi[1] must be greater than pi[0] (0.5).`,
		"family=interval&pi=1.5":       `pi[0] must lie strictly between 0 and 1 (got 1.5).`,
		"family=adversarial&rival=svm": `rival must be one of ww, cs, llw, ova, softmax, not ‘svm’.`,
		"family=adversarial&k=4":       `k must be a whole number from 2 to 3, not ‘4’.`,
		"pin=alpha:-1":                 `pin cannot be ‘alpha:-1’`,
		"with=ww":                      `with cannot be ‘ww’`,
		"pin=hinge&pin=logistic&pin=dwd&pin=probit&pin=exponential": `pin takes up to 4 losses; ‘exponential’ is one more.`,
		"z=99": `z must be a number from -8 to 8, not ‘99’.`,
	} {
		page := ask(s, "GET", "/?"+query, "", browser)
		if page.Code != 422 || !strings.Contains(page.Body.String(), `role="alert">`) || !strings.Contains(page.Body.String(), `id="loss"`) && !strings.Contains(page.Body.String(), `data-chart`) {
			t.Errorf("%s: status %d, want 422 with the page", query, page.Code)
		}
		answer := ask(s, "GET", "/explore?"+query, "")
		var p struct {
			Detail string
			Errors []struct{ Field, Message string }
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &p); err != nil || answer.Code != 422 || !strings.Contains(p.Detail, want) || len(p.Errors) == 0 {
			t.Errorf("%s: %d %q %v, want %q", query, answer.Code, p.Detail, p.Errors, want)
		}
		if ct := answer.Header().Get("Content-Type"); ct != "application/problem+json" {
			t.Errorf("%s: %s", query, ct)
		}
	}
}

// TestExploreJSON: GET / and GET /explore give the same JSON each time, and so does the address in it.
func TestExploreJSON(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, query := range []string{"", "?family=alpha&alpha=3&pin=tempered:.5:1.5", "?family=interval", "?family=adversarial", "?family=alpha&view=landscape"} {
		a := ask(s, "GET", "/"+query, "", "Accept: application/json").Body.String()
		b := ask(s, "GET", "/explore"+query, "").Body.String()
		var got struct{ URL string }
		if err := json.Unmarshal([]byte(a), &got); err != nil {
			t.Fatal(err)
		}
		fresh, _ := testServer(t, Config{})
		c := ask(fresh, "GET", got.URL, "", "Accept: application/json").Body.String()
		if a != b || a != c || len(a) < 1000 {
			t.Errorf("%q: the answers differ: %d, %d, %d bytes", query, len(a), len(b), len(c))
		}
	}
}

// TestExploreChanges: a slider move sends only the changed curves, in few bytes.
func TestExploreChanges(t *testing.T) {
	s, _ := testServer(t, Config{})
	type answer struct {
		URL    string
		Go     string
		Charts map[string]any
		Series map[string][]struct{ ID string }
		Parts  map[string]string
		Fields map[string]string
	}
	get := func(query string) (a answer, size int) {
		t.Helper()
		w := ask(s, "GET", "/explore?"+query, "")
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %v", query, w.Code, err)
		}
		return a, w.Body.Len()
	}
	a, size := get("t1=0.61&was=")
	if len(a.Charts) > 0 || len(a.Series["loss"]) == 0 || size > 24<<10 {
		t.Errorf("t1 moved: whole charts %v, series %v, %d bytes", len(a.Charts), a.Series, size)
	}
	for id, series := range a.Series {
		for _, one := range series {
			if strings.HasPrefix(one.ID, "with ") {
				t.Errorf("t1 moved %s in %s, which does not depend on it", one.ID, id)
			}
		}
	}
	a, _ = get("t2=1.61&was=")
	moved := ""
	for _, one := range a.Series["loss"] {
		moved += one.ID + ";"
	}
	if !strings.Contains(moved, "with t-logistic:same;") || strings.Contains(moved, "with logistic;") {
		t.Errorf("t2 moved %s; want the t-logistic curve that follows it, and not logistic", moved)
	}
	if a, _ = get("was="); len(a.Series)+len(a.Charts)+len(a.Parts) > 0 {
		t.Errorf("nothing moved, and yet: %v %v %v", a.Series, a.Charts, a.Parts)
	}
	if a, _ = get("family=alpha&was="); a.Go == "" {
		t.Error("another family does not ask for a new page")
	}
	if a, _ = get("with=logistic&was="); a.Charts["loss"] == nil || a.Go != "" {
		t.Errorf("with one curve less the loss chart is not sent whole: %v", a.Series)
	}
	if a, _ = get("open=loss&was="); !strings.Contains(a.Parts["loss-data"], "<table") {
		t.Error("an opened table is not sent")
	}
	if a, _ = get("fit=loss&was="); a.Fields["top"] != "3" || !strings.Contains(a.URL, "top=3") {
		t.Errorf("fit: %v %s, want the axis to end at 3 for a cap of 2.5", a.Fields, a.URL)
	}
	if a, _ = get("fit=loss&top=3&was=top%3D3"); a.Fields["top"] != "" || strings.Contains(a.URL, "top") {
		t.Errorf("fit again: %v %s, want the axis back", a.Fields, a.URL)
	}
}

// TestExploreNumbers checks numbers of the landing page against independent sources: the design, the oracle, closed
// forms.
func TestExploreNumbers(t *testing.T) {
	s, _ := testServer(t, Config{})
	for query, want := range map[string][]string{
		// Oracle: tempered (0.6, 1.6) at z = −6: value 1.603, slope −0.076; cap 2.5.
		"": {"<strong>2.50</strong>", "<strong>8\u00a0%</strong>", "1.603", "0.076", "cap 2.50 = 1/(1 − t₁)", "bounded at " +
			"2.50", "redescends below z = −0.53"},
		// α = 3: bound 3/2, inflection log(2/3) = −0.405.
		"?family=alpha&alpha=3": {"<strong>1.50</strong>", "redescends below z = −0.41", "α/(α − 1)"},
		// α = 1 is logistic: log(1 + e^6) = 6.002.
		"?family=alpha&alpha=1": {"6.002", "never shrinks", "convex"},
		// One boundary at ½: hinges at ∓2 log 2 = ∓1.39.
		"?family=interval&pi=.5": {"f = 1.39", "f = −1.39", "0.693"},
		// Zero-one game at f = (0, 0, 0): 2/3; at ψ = (½, −½): 0.75.
		"?family=adversarial": {"<strong>0.75</strong>", "0.667", "the decision rule answers with <strong>class 2"},
		// Beyond a cost of ½ the value of the game is not that of the closed form, 1.2.
		"?family=adversarial&metric=abstain&cost=0.8": {"0.750", "closed form up to a cost of ½, not beyond"},
		// 2-D landscape at α = 1: minimum (0.7889, 1.4122), both penalizers wrong.
		"?family=alpha&view=landscape&alpha=1": {"0.7889", "1.4122", "0.670328", "2 of 4"},
		// Below t2 = 1 the slope is unbounded, which gives a warning.
		"?t1=0.8&t2=0.4": {"grows without bound"},
		"?t1=1&t2=1.6":   {"no upper bound"},
	} {
		body := ask(s, "GET", "/"+query, "", browser).Body.String()
		for _, text := range want {
			if !strings.Contains(body, text) {
				t.Errorf("/%s lacks %q", query, text)
			}
		}
	}
}

// TestExploreCSV: every chart of every state is a file whose numbers match its head.
func TestExploreCSV(t *testing.T) {
	s, _ := testServer(t, Config{})
	link := regexp.MustCompile(`href="(/explore\.csv[^"]*)"`)
	for _, query := range []string{"/", "/?third=xi", "/?family=alpha", "/?family=interval", "/?family=adversarial", "/?family=adversarial&k=2", "/?view=functions", "/?family=alpha&view=landscape", "/?family=alpha&view=slope", "/?family=interval&view=points"} {
		found := link.FindAllStringSubmatch(ask(s, "GET", query, "", browser).Body.String(), -1)
		if len(found) == 0 {
			t.Errorf("%s has no file", query)
		}
		for _, m := range found {
			w := ask(s, "GET", strings.ReplaceAll(m[1], "&amp;", "&"), "")
			rows, err := csv.NewReader(w.Body).ReadAll()
			if w.Code != 200 || err != nil || len(rows) < 3 {
				t.Errorf("%s: %d, %d rows, %v", m[1], w.Code, len(rows), err)
				continue
			}
			for _, cell := range rows[1] {
				if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" {
					t.Errorf("%s: %q is no number", m[1], cell)
				}
			}
		}
	}
	if w := ask(s, "GET", "/explore.csv?chart=nothing", ""); w.Code != 404 {
		t.Errorf("a chart that is not there: %d", w.Code)
	}
}

// TestLandingWeight: the landing page with all its files takes at most 450 kB compressed.
func TestLandingWeight(t *testing.T) {
	s, _ := testServer(t, Config{})
	if !s.static.Complete() {
		t.Skip("The chart code is not built: run make assets.")
	}
	total := 0
	fetch := func(path string) string {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 200 {
			t.Errorf("%s: %d", path, w.Code)
		}
		total += w.Body.Len()
		if w.Header().Get("Content-Encoding") != "gzip" {
			return w.Body.String()
		}
		z, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := fetch("/")
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			fetch(m[1])
		}
	}
	if charts := s.static.Prefix() + "vendor/echarts.js"; !seen[charts] {
		seen[charts] = true
		fetch(charts)
	}
	t.Logf("the landing page weighs %d kB compressed, in %d files", total/1000, len(seen)+1)
	if total > 450_000 {
		t.Errorf("the landing page weighs %d bytes, more than 450 kB", total)
	}
}

// TestHelp: every topic that a page or a chart leads to exists, and links between topics work.
func TestHelp(t *testing.T) {
	s, _ := testServer(t, Config{})
	topics := map[string]bool{}
	named := regexp.MustCompile(`data-help="([^"]+)"|href="/help/([^"]+)"`)
	for _, query := range []string{"/", "/?family=t-logistic", "/?family=alpha", "/?family=alpha&view=landscape", "/?family=alpha&view=slope", "/?family=interval", "/?family=interval&view=points", "/?family=adversarial&metric=abstain", "/?family=adversarial&k=2", "/?view=functions", "/?family=adversarial&view=matrices", "/?third=xi", "/help"} {
		for _, m := range named.FindAllStringSubmatch(ask(s, "GET", query, "", browser).Body.String(), -1) {
			topics[m[1]+m[2]] = true
		}
	}
	s, runs := pictured(t)
	charts := map[string]string{}
	for _, tab := range []string{"/performance", "/model"} {
		body := ask(s, "GET", "/runs/"+runs[0].ID+tab, "", browser).Body.String()
		for _, m := range regexp.MustCompile(`<figure[^>]* id="([^"]+)" data-chart[^>]*`).FindAllStringSubmatch(body, -1) {
			if topic := named.FindStringSubmatch(m[0]); topic != nil {
				charts[m[1]], topics[topic[1]] = topic[1], true
			}
		}
	}
	for chart, topic := range map[string]string{"roc": "roc", "calibration": "calibration-curve", "lift": "gains",
		"decision": "decision-curve", "giveup": "give-up", "convergence": "convergence"} {
		if charts[chart] != topic {
			t.Errorf("the chart %s has the topic %q instead of %q", chart, charts[chart], topic)
		}
	}
	for id := range topics {
		w := ask(s, "GET", "/help/"+id, "", browser)
		if w.Code != 200 {
			t.Errorf("/help/%s: %d", id, w.Code)
		}
		for _, m := range named.FindAllStringSubmatch(w.Body.String(), -1) {
			if m[2] != "" && ask(s, "GET", "/help/"+m[2], "", browser).Code != 200 {
				t.Errorf("/help/%s links to /help/%s, which is not there", id, m[2])
			}
		}
	}
	if w := ask(s, "GET", "/help/nothing", "", browser); w.Code != 404 || !strings.Contains(w.Body.String(), "There is no help on") {
		t.Errorf("an unknown topic: %d", w.Code)
	}
	for _, f := range explore.Families {
		body := ask(s, "GET", "/help/"+f, "", browser).Body.String()
		for _, part := range []string{"<math", "What to look for", "Source", "Corrections to the paper"} {
			if l, ok := loss.FamilyByID(f); part == "Corrections to the paper" && ok && len(l.Errata) == 0 {
				continue // no errata for its paper
			}
			if !strings.Contains(body, part) {
				t.Errorf("/help/%s lacks %q", f, part)
			}
		}
	}
}

// TestExploreOnward: each link leads to a page that fits the loss shown, with a valid address.
func TestExploreOnward(t *testing.T) {
	s, kept := sampleServer(t, "wdbc.csv")
	w := post(s, "/data/"+kept+"?loss="+url.QueryEscape("method=alpha&alpha=2"), browser, "confirm=1", "anyway=1")
	if at := w.Header().Get("Location"); at != "/stratify/"+kept+"?alpha=2&method=alpha" {
		t.Fatalf("confirmed data lead to %q", at)
	}
	for _, v := range []struct{ state, playground, begins, title string }{
		{"z=-2", "b.method=tempered&b.t1=0.6&b.t2=1.6", "method=tempered&t1=0.6&t2=1.6", "Two-temperature"},
		{"t1=0.3&t2=1.2", "b.method=tempered&b.t1=0.3&b.t2=1.2", "method=tempered&t1=0.3&t2=1.2", "0.3"},
		{"family=alpha&alpha=8", "b.alpha=8&b.method=alpha", "alpha=8&method=alpha", "α = 8"},
		{"family=t-logistic&t=1.3", "b.method=t-logistic&b.t=1.3", "method=t-logistic&t=1.3", "t = 1.3"},
		{"family=interval&pi=.2,.4", "b.method=interval&b.pi=.2%2C.4", "method=interval&pi=.2%2C.4", "Interval"},
		{"family=adversarial&metric=abstain&cost=0.3", "a.method=softmax&b.alpha=0.3&b.method=al-abstain&data=blobs",
			"alpha=0.3&method=al-abstain&task=abstain", "abstain"},
		{"family=adversarial&metric=absolute", "a.method=softmax&b.method=al-ordinal&data=ordinal-stripes",
			"method=al-ordinal&task=ordinal", "rdinal"},
	} {
		to := func(page string) string {
			w := ask(s, "GET", "/explore/onward?to="+page+"&"+v.state, "")
			if w.Code != http.StatusSeeOther {
				t.Fatalf("%s to %s: status %d", v.state, page, w.Code)
			}
			return w.Header().Get("Location")
		}
		if at := to("/playground"); at != "/playground?"+v.playground {
			t.Errorf("%s: the playground at %s", v.state, at)
		} else if body := ask(s, "GET", at, "").Body.String(); !strings.Contains(body, `id="problem" role="alert" hidden`) {
			t.Errorf("%s: the playground has a problem with %s", v.state, at)
		}
		if at := to("/robustness"); ask(s, "GET", at, "").Code != http.StatusOK {
			t.Errorf("%s: no page at %s", v.state, at)
		}
		list := to("/data")
		if body := ask(s, "GET", list, "").Body.String(); !strings.Contains(body, "was chosen in the loss explorer") ||
			!strings.Contains(body, v.title) {
			t.Errorf("%s: %s does not say which loss was chosen", v.state, list)
		}
		carried := strings.TrimPrefix(list, "/data")
		page := ask(s, "GET", "/data/"+kept+carried, "").Body.String()
		begins := "/stratify/" + kept + "?" + v.begins
		if !strings.Contains(page, strings.ReplaceAll(begins, "&", "&amp;")) {
			t.Errorf("%s: the data do not lead to %s", v.state, begins)
		}
		w := post(s, "/data/paste"+carried, browser, "text=a\tb\ty\n1\t2\tno\n3\t4\tyes\n5\t6\tno")
		if at := w.Header().Get("Location"); !strings.HasSuffix(at, carried) {
			t.Errorf("%s: a pasted table is at %s", v.state, at)
		}
	}
	// The form of the untouched page sends every field.
	for _, state := range []string{"", "family=two-temperature&view=&t1=0.6&t2=1.6&z=-3&third=probability"} {
		for _, to := range []string{"/playground", "/robustness", "/data"} {
			if w := ask(s, "GET", "/explore/onward?to="+to+"&"+state, ""); w.Header().Get("Location") != to {
				t.Errorf("%q, in which nothing was chosen, leads to %s", state, w.Header().Get("Location"))
			}
		}
	}
	if w := ask(s, "GET", "/explore/onward?to=//elsewhere.example", ""); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("a door to another site: status %d", w.Code)
	}
	for _, loss := range []string{"method=none", "method=zero-one", "%zz", "alpha=2"} {
		if body := ask(s, "GET", "/data?loss="+url.QueryEscape(loss), "").Body.String(); strings.Contains(body, "was chosen") {
			t.Errorf("%s counts as a loss", loss)
		}
	}
}

// TestExploreDrag: a drag changes what is on the screen alone. What was out of sight follows on release, with whole
// charts where the page has an older curve than the last answer.
func TestExploreDrag(t *testing.T) {
	s, _ := testServer(t, Config{})
	body := ask(s, "GET", "/", "").Body.String()
	_, after, found := strings.Cut(body, `data-stamps="`)
	text, _, ended := strings.Cut(after, `"`)
	shown := map[string]string{}
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), &shown); err != nil || !found || !ended {
		t.Fatalf("stamps of the page: %v", err)
	}
	type answer struct {
		Charts, Series, Words map[string]json.RawMessage
		Parts, Stamps, Keep   map[string]string
	}
	was := ""
	move := func(state string, drag ...string) (a answer) {
		t.Helper()
		q, err := url.ParseQuery(state)
		if err != nil {
			t.Fatal(err)
		}
		var had []string
		for id, mark := range shown {
			had = append(had, id+":"+mark)
		}
		q.Set("had", strings.Join(had, ","))
		q.Set("was", was)
		if drag != nil {
			q.Set("drag", strings.Join(drag, ","))
		}
		w := ask(s, "GET", "/explore?"+q.Encode(), "")
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %v", state, w.Code, err)
		}
		maps.Copy(shown, a.Stamps)
		was = a.Keep["was"]
		return a
	}
	ids := func(m map[string]json.RawMessage) string { return strings.Join(slices.Sorted(maps.Keys(m)), " ") }
	for _, state := range []string{"t1=0.61", "t1=0.62"} {
		a := move(state, "loss", "result")
		if got := strings.Join(slices.Sorted(maps.Keys(a.Parts)), " "); got != "result" {
			t.Errorf("%s, with the loss and the sentence in sight: parts %s", state, got)
		}
		if ids(a.Series) != "loss" || len(a.Charts) > 0 || ids(a.Words) != "loss" {
			t.Errorf("%s: series of %s, charts %s, words of %s; want the loss alone", state, ids(a.Series), ids(a.Charts), ids(a.Words))
		}
	}
	a := move("t1=0.62")
	if ids(a.Charts) != "influence probability" || len(a.Series) > 0 || a.Parts["ex-readout"] == "" || a.Parts["result"] != "" {
		t.Errorf("release: charts %s, series of %s, parts %s; want whole what was out of sight, and nothing twice", ids(a.Charts),
			ids(a.Series), strings.Join(slices.Sorted(maps.Keys(a.Parts)), " "))
	}
	if a = move("t1=0.62"); len(a.Charts)+len(a.Series)+len(a.Parts)+len(a.Words) > 0 {
		t.Errorf("nothing moved, and yet: %s %s %v", ids(a.Charts), ids(a.Series), a.Parts)
	}
	fresh := struct{ Parts map[string]string }{}
	if err := json.Unmarshal(ask(s, "GET", "/explore?t1=0.62", "").Body.Bytes(), &fresh); err != nil {
		t.Fatal(err)
	}
	if a = move("t1=0.63"); a.Parts["ex-readout"] == fresh.Parts["ex-readout"] || ids(a.Series) != "influence loss probability" {
		t.Errorf("a move after the release: series of %s", ids(a.Series))
	}
}
