package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// world is what users see: datasets, saved runs, and the pages with sliders.
type world struct {
	base     string
	datasets []string
	runs     []string
	forms    map[string]*form // by the path of the page
}

// savedRuns is the number of runs of each dataset that are saved before the users start.
const savedRuns = 3

func prepare(base string) (*world, error) {
	w := &world{base: base, forms: map[string]*form{}}
	err := w.wait("sample data", func() (bool, error) {
		var found struct {
			Items []struct{ ID, File string }
		}
		if err := w.read("/api/v1/datasets", &found); err != nil {
			return false, err
		}
		w.datasets = nil
		for _, d := range found.Items {
			if d.File == "wdbc.csv" || d.File == "heart-clinic.csv" {
				w.datasets = append(w.datasets, d.ID)
			}
		}
		return len(w.datasets) == 2, nil
	})
	if err != nil {
		return nil, err
	}
	for _, d := range w.datasets {
		if err := w.open("/stratify/" + d); err != nil {
			return nil, err
		}
		for i := range savedRuns {
			id, err := w.save(d, i)
			if err != nil {
				return nil, err
			}
			w.runs = append(w.runs, id)
		}
	}
	return w, errors.Join(w.open("/"), w.open("/playground"), w.idle())
}

// save starts a run by the page's button, with λ chosen inside each fold.
func (w *world) save(dataset string, seed int) (string, error) {
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.PostForm(w.base+"/stratify/"+dataset+"/save", url.Values{"seed": {fmt.Sprint(seed)}})
	if err != nil {
		return "", err
	}
	res.Body.Close()
	id, found := strings.CutPrefix(res.Header.Get("Location"), "/runs/")
	if !found {
		return "", fmt.Errorf("saving a run: %s", res.Status)
	}
	return id, nil
}

// idle waits until no run is running.
func (w *world) idle() error {
	return w.wait("the end of the saved runs", func() (bool, error) {
		for _, status := range []string{"queued", "running"} {
			if n, err := w.count(status); n > 0 || err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

// unfinished counts queued and running runs.
func (w *world) unfinished() int {
	queued, _ := w.count("queued")
	running, _ := w.count("running")
	return queued + running
}

func (w *world) count(status string) (int, error) {
	var found struct{ Total int }
	err := w.read("/api/v1/runs?limit=1&status="+status, &found)
	return found.Total, err
}

func (w *world) wait(what string, done func() (bool, error)) error {
	for range 6000 {
		if ok, err := done(); ok || err != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("waited for %s in vain", what)
}

func (w *world) get(address string) ([]byte, error) {
	res, err := http.Get(w.base + address)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", address, res.Status)
	}
	return io.ReadAll(res.Body)
}

func (w *world) read(address string, into any) error {
	body, err := w.get(address)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// open reads the form of a page with sliders.
func (w *world) open(path string) error {
	body, err := w.get(path)
	if err != nil {
		return err
	}
	tree, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	f := &form{address: path, values: url.Values{}, keep: map[string]string{}, stamps: map[string]string{}}
	var id string
	for n := range tree.Descendants() {
		a := attributes(n)
		if n.Data != "form" || a["data-live"] == "" {
			continue
		}
		id, f.live, f.action = a["id"], a["data-live"], a["action"]
		_ = json.Unmarshal([]byte(a["data-keep"]), &f.keep) // not all pages have it
		_ = json.Unmarshal([]byte(a["data-stamps"]), &f.stamps)
	}
	if id == "" {
		return fmt.Errorf("%s has no form that moves", path)
	}
	for n := range tree.Descendants() {
		if a := attributes(n); formOf(n) == id && a["name"] != "" {
			if _, disabled := a["disabled"]; !disabled {
				f.read(n, a)
			}
		}
	}
	w.forms[path] = f
	return nil
}

// read adds one field as a browser would send it.
func (f *form) read(n *html.Node, a map[string]string) {
	_, checked := a["checked"]
	switch {
	case n.Data == "input" && slices.Contains([]string{"checkbox", "radio"}, a["type"]) && !checked:
	case n.Data == "input":
		f.values.Add(a["name"], a["value"])
	case n.Data == "select":
		value, found := "", false
		for o := range n.Descendants() {
			if o.Data != "option" {
				continue
			}
			if _, chosen := attributes(o)["selected"]; chosen || !found {
				value, found = attributes(o)["value"], true
			}
		}
		f.values.Add(a["name"], value)
	}
}

// formOf is the id of an element's form.
func formOf(n *html.Node) string {
	if id := attributes(n)["form"]; id != "" {
		return id
	}
	for p := range n.Ancestors() {
		if p.Data == "form" {
			return attributes(p)["id"]
		}
	}
	return ""
}

func attributes(n *html.Node) map[string]string {
	a := map[string]string{}
	for _, one := range n.Attr {
		a[one.Key] = one.Val
	}
	return a
}
