package run

import (
	"encoding/json"
	"strings"

	"taper/internal/engine/runspec"
	"taper/internal/store"
	"taper/web/templates"
)

// About is the form of name and notes.
func About(r store.Run) templates.RunAbout {
	return templates.RunAbout{URL: Result.URL(r.ID), Name: r.Name, Notes: r.Notes}
}

// Actions are the buttons of a run's page; stratify is the page of its spec, "" where
// there is none, and host that of the request.
func Actions(r store.Run, host, stratify string) templates.RunActions {
	to, api := Result.URL(r.ID), "/api/v1/runs/"+r.ID
	var a templates.RunActions
	if !r.Wiped.IsZero() {
		a.More = []templates.Button{{Label: "Model as JSON", URL: api + "/model.json?download=1", Dropped: true},
			{Label: "Delete", Kind: "bad", URL: to + "/delete"}}
		return a
	}
	if stratify != "" {
		a.Main = append(a.Main, templates.Button{Label: "Open in stratify", Icon: "go", URL: stratify})
	}
	if r.Status == store.Done {
		if v := r.Spec.Review; v != nil && v.Parent != "" {
			a.More = append(a.More, templates.Button{Label: "Beside its parent", URL: "/audit/" + v.Parent + "/beside/" + r.ID},
				templates.Button{Label: "Open the parent run", URL: Result.URL(v.Parent)})
		}
		a.More = append(a.More,
			templates.Button{Label: "Compare with others", URL: "/runs?ids=" + r.ID},
			templates.Button{Label: "Rows as CSV", URL: api + "/rows?format=csv", Dropped: true},
			templates.Button{Label: "Model as JSON", URL: api + "/model.json?download=1", Dropped: true})
	}
	a.More = append(a.More,
		templates.Button{Label: "Copy the API call", Copy: apiCall(host, r.Spec)},
		templates.Button{Label: "Run again", Method: "POST", URL: to + "/again"},
		templates.Button{Label: "Delete", Kind: "bad", URL: to + "/delete"})
	return a
}

// apiCall is the call that makes the same run, for a shell.
func apiCall(host string, spec runspec.Spec) string {
	j, err := json.Marshal(spec)
	if err != nil {
		return "" // what was stored as JSON encodes
	}
	quoted := "'" + strings.ReplaceAll(string(j), "'", `'\''`) + "'"
	return "curl -X POST http://" + host + "/api/v1/runs -H 'Content-Type: application/json' -d " + quoted
}
