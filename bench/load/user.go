package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is one kind of request. Users draw requests of a group by these weights.
type kind struct {
	name   string // its group, and the request
	weight int
	steady bool // requests the same address again
	ask    func(*user) (*http.Request, error)
}

// shares are the shares of the groups, in tenths.
var shares = []struct {
	group  string
	tenths int
}{{"page", 5}, {"drag", 3}, {"save", 1}, {"export", 1}}

var kinds = []kind{
	{"page explorer", 6, true, page(func(u *user) string { return u.explorer.address })},
	{"page playground", 4, true, page(func(u *user) string { return u.playground.address })},
	{"page stratify", 6, true, page(func(u *user) string { return u.stratify.address })},
	{"page runs", 5, true, page(func(*user) string { return "/runs" })},
	{"page run", 6, true, page(func(u *user) string { return "/runs/" + u.run() })},
	{"page report", 2, true, page(func(u *user) string { return "/report/" + u.run() })},
	{"page data", 3, true, page(func(*user) string { return "/data" })},
	{"page dataset", 2, true, page(func(u *user) string { return "/data/" + u.dataset })},
	{"page help", 2, true, page(func(u *user) string {
		return pick(u, "/help", "/help/two-temperature", "/help/playground")
	})},
	{"page studies", 2, true, page(func(*user) string { return "/studies" })},
	{"page robustness", 1, true, page(func(*user) string { return "/robustness" })},
	{"page compare", 1, true, page(func(u *user) string { return "/compare?ids=" + strings.Join(u.runs[:2], ",") })},

	{"drag explorer", 1, false, func(u *user) (*http.Request, error) {
		return u.explorer.move("t2", u.step(1.05, 1.95, .01))
	}},
	{"drag playground", 1, false, func(u *user) (*http.Request, error) {
		return u.playground.move("rate.pct", u.step(5, 40, 1))
	}},
	{"drag stratify", 1, false, func(u *user) (*http.Request, error) {
		return u.stratify.move("pi.pct", u.step(5, 24, 1))
	}},

	{"save stratify", 1, false, func(u *user) (*http.Request, error) {
		sent := maps.Clone(u.stratify.values)
		sent.Set("how", "hand") // λ as on the slider
		return post("/stratify/"+u.dataset+"/save", sent)
	}},
	{"save playground", 1, false, func(u *user) (*http.Request, error) {
		sent := maps.Clone(u.playground.values)
		sent.Set("which", "a")
		return post("/playground/save", sent)
	}},

	{"export rows", 1, true, page(func(u *user) string { return "/api/v1/runs/" + u.run() + "/rows?format=csv" })},
	{"export model", 1, true, page(func(u *user) string { return "/api/v1/runs/" + u.run() + "/model.json" })},
	{"export report", 1, true, page(func(u *user) string { return "/report/" + u.run() + "?download=1" })},
	{"export chart", 1, true, page(func(u *user) string {
		_, query, _ := strings.Cut(u.explorer.address, "?")
		return "/explore.csv?chart=loss&" + query
	})},
	{"export list", 1, true, page(func(*user) string { return "/runs.csv" })},
}

func page(address func(*user) string) func(*user) (*http.Request, error) {
	return func(u *user) (*http.Request, error) { return http.NewRequest(http.MethodGet, address(u), nil) }
}

func post(path string, sent url.Values) (*http.Request, error) {
	r, err := http.NewRequest(http.MethodPost, path, strings.NewReader(sent.Encode()))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r, err
}

func pick(u *user, of ...string) string { return of[u.rng.IntN(len(of))] }

// user is a user with a browser.
type user struct {
	*world
	rng     *rand.Rand
	client  *http.Client
	dataset string
	again   bool              // sends the ETag of its copy
	seen    map[string]string // ETags
	size    int               // bytes of the last body

	explorer, playground, stratify *form
}

func (w *world) user(seed, number uint64) *user {
	u := &user{world: w, rng: rand.New(rand.NewPCG(seed, number)), again: true, seen: map[string]string{}}
	u.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true},
		Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	u.dataset = w.datasets[number%uint64(len(w.datasets))]
	u.explorer, u.playground = w.forms["/"].copy(), w.forms["/playground"].copy()
	u.stratify = w.forms["/stratify/"+u.dataset].copy()
	return u
}

func (u *user) run() string { return u.runs[u.rng.IntN(len(u.runs))] }

// step is a value of a slider.
func (u *user) step(low, high, by float64) string {
	n := int((high - low) / by)
	return strconv.FormatFloat(low+by*float64(u.rng.IntN(n+1)), 'f', 2, 64)
}

// act draws a kind of request and makes it.
func (u *user) act() answer {
	tenth := u.rng.IntN(10)
	for _, s := range shares {
		if tenth -= s.tenths; tenth >= 0 {
			continue
		}
		sum := 0
		for _, k := range kinds {
			if strings.HasPrefix(k.name, s.group+" ") {
				sum += k.weight
			}
		}
		at := u.rng.IntN(sum)
		for _, k := range kinds {
			if strings.HasPrefix(k.name, s.group+" ") {
				if at -= k.weight; at < 0 {
					return u.do(k)
				}
			}
		}
	}
	panic("the shares are ten tenths")
}

// do makes a request and processes the answer.
func (u *user) do(k kind) answer {
	a := answer{kind: k.name}
	started := time.Now()
	err := u.ask(k, &a)
	if a.took = time.Since(started); err != nil {
		a.problem = err.Error()
	}
	return a
}

func (u *user) ask(k kind, a *answer) error {
	r, err := k.ask(u)
	if err != nil {
		return err
	}
	address := r.URL.String()
	if r.URL, err = url.Parse(u.base + address); err != nil {
		return err
	}
	r.Header.Set("Accept-Encoding", "gzip")
	if tag := u.seen[address]; tag != "" && u.again {
		r.Header.Set("If-None-Match", tag)
	}
	if k.live() {
		r.Header.Set("Accept", "application/json")
	}
	res, err := u.client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	u.size = len(body)
	switch tag := res.Header.Get("ETag"); {
	case res.StatusCode == http.StatusNotModified:
		a.known = true
	case res.StatusCode >= http.StatusBadRequest:
		return fmt.Errorf("%d", res.StatusCode)
	case tag != "" && res.Header.Get("Cache-Control") != "no-store": // browsers have no tag of what they may not store
		u.seen[address] = tag
	}
	if k.live() {
		return u.formOf(r.URL.Path).apply(body)
	}
	return nil
}

func (k kind) live() bool { return strings.HasPrefix(k.name, "drag ") }

func (u *user) formOf(path string) *form {
	for _, f := range []*form{u.explorer, u.playground, u.stratify} {
		if f.live == path {
			return f
		}
	}
	panic("no form asks " + path)
}

// form is a page that follows its controls, with the data that live.js keeps.
type form struct {
	live, action string
	address      string // of the state
	values       url.Values
	keep, stamps map[string]string
}

func (f *form) copy() *form {
	g := *f
	g.values, g.keep, g.stamps = maps.Clone(f.values), maps.Clone(f.keep), maps.Clone(f.stamps)
	return &g
}

// move sets a slider and requests the new state, as in a drag.
func (f *form) move(field, value string) (*http.Request, error) {
	all := slices.Clone(f.values[field])
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no field %s", f.action, field)
	}
	all[0] = value
	f.values[field] = all
	sent := maps.Clone(f.values)
	for name, value := range f.keep {
		if !sent.Has(name) {
			sent.Set(name, value)
		}
	}
	if len(f.stamps) > 0 {
		ids := slices.Sorted(maps.Keys(f.stamps))
		sent.Set("drag", strings.Join(ids[:min(len(ids), 10)], ",")) // about as many as fit on a screen
		var had []string
		for _, id := range ids {
			had = append(had, id+":"+f.stamps[id])
		}
		sent.Set("had", strings.Join(had, ","))
	}
	return http.NewRequest(http.MethodGet, f.live+"?"+sent.Encode(), nil)
}

// apply stores what the next request must send.
func (f *form) apply(packed []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	var found struct {
		Stamps, Keep map[string]string
		URL, Go      string
	}
	if err := json.NewDecoder(z).Decode(&found); err != nil {
		return err
	}
	maps.Copy(f.stamps, found.Stamps)
	maps.Copy(f.keep, found.Keep)
	if found.URL != "" {
		f.address = found.URL
	}
	return nil
}
