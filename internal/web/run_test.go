package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"taper/internal/store"
)

// TestRunAddresses: the parts of the former single page of a run have their own addresses, and old addresses
// redirect to them. Pages that a run does not have redirect to its first.
func TestRunAddresses(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "interval", .3, .6))
	failed := store.Run{ID: "rfailed", Dataset: r.Dataset, Spec: r.Spec, Name: "Failed", Created: r.Created}
	if err := s.db.CreateRun(context.Background(), failed); err != nil {
		t.Fatal(err)
	}
	to := "/runs/" + r.ID
	for from, want := range map[string]string{
		to + "?then=report":            "303 /report/" + r.ID,
		to + "?by=sex":                 "301 " + to + "/performance?by=sex",
		to + "?by=sex&order=no,yes":    "301 " + to + "/performance?by=sex&order=no%2Cyes",
		to + "?starts=50":              "301 " + to + "/model?starts=50",
		to + "?band=1&page=2":          "301 " + to + "/patients?band=1&page=2",
		to + "/score":                  "301 " + to + "/patients#score",
		to + "/patient":                "301 " + to + "/patients#patient",
		"/runs/rfailed/performance":    "303 /runs/rfailed",
		"/runs/rfailed/patients":       "303 /runs/rfailed",
		to:                             "200 ",
		to + "/performance?by=sex":     "200 ",
		to + "/model":                  "200 ",
		to + "/patients?band=1":        "200 ",
		"/runs/rfailed":                "200 ",
		"/runs/none/performance":       "404 ",
		to + "/patients?band=7":        "422 ",
		to + "/performance?by=nothing": "422 ",
	} {
		w := ask(s, http.MethodGet, from, "", browser)
		if got := strconv.Itoa(w.Code) + " " + w.Header().Get("Location"); got != want {
			t.Errorf("%s: %q, want %q", from, got, want)
		}
	}
}

// TestRunPagesAreOfOneSubject: each page contains its own subject and none of the others, and marks itself in the
// tabs.
func TestRunPagesAreOfOneSubject(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "logistic", .3, .6))
	only := map[string][]string{
		"":             {`id="r-strata"`, `id="r-icons"`, `id="findings-h"`, `id="about-h"`},
		"/performance": {`id="performance-h"`, `id="classification-h"`, `id="optimism-h"`, `id="subgroups-h"`, `id="external-h"`},
		"/model":       {`id="coef-h"`, `id="points-h"`, `id="size-h"`, `id="population-h"`, `id="flow-h"`, `id="spec-h"`, `id="way-h"`},
		"/patients":    {`id="score-h"`, `id="patient-h"`, `id="rows-h"`},
	}
	for at := range only {
		html := ask(s, http.MethodGet, "/runs/"+r.ID+at, "", browser).Body.String()
		for of, parts := range only {
			for _, part := range parts {
				if strings.Contains(html, part) != (at == of) {
					t.Errorf("the page %q has %s: %v", at, part, at != of)
				}
			}
		}
		if n := strings.Count(html, `aria-current="page"`); n != 2 { // in the navigation and among the tabs
			t.Errorf("the page %q has %d current links", at, n)
		}
		if strings.Count(html, `<h1>Bands</h1>`) != 1 || !strings.Contains(html, " – Bands – Taper</title>") {
			t.Errorf("the page %q has another head", at)
		}
	}
	for _, at := range []string{"/audit/", "/report/"} {
		if html := ask(s, http.MethodGet, at+r.ID, "", browser).Body.String(); !strings.Contains(html, `href="`+at+r.ID+`" aria-current="page"`) {
			t.Errorf("%s is no tab", at)
		}
	}
}
