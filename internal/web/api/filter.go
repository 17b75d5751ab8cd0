package api

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"taper/internal/web/form"
	"taper/internal/web/openapi"
)

// paging is a page of a list.
type paging struct {
	Limit  int `form:"limit" default:"50" range:"1 1000" about:"Maximum number of items"`
	Offset int `form:"offset" range:"0 2147483647" about:"Items to skip"`
}

// studyFilter is store.StudyFilter with its keys.
type studyFilter struct {
	Dataset string `form:"dataset" about:"Id of a dataset"`
	Preset  string `form:"preset" about:"Id of a preset"`
	Status  string `form:"status" about:"Studies with this status"`
	Limit   int    `form:"limit" default:"50" range:"1 1000" about:"Maximum number of items"`
	Offset  int    `form:"offset" range:"0 2147483647" about:"Items to skip"`
}

// auditPage is a page of the ranking.
type auditPage struct {
	Limit  int `form:"limit" default:"50" range:"1 10000"`
	Offset int `form:"offset" range:"0 1073741824"`
}

type previewRows struct {
	Rows int `form:"rows" default:"20" range:"1 1000" about:"Rows to show"`
}

// queries describes the given keys of a state (all if none are given) by the tags that the parser reads, so that
// description and parser cannot differ.
func queries(state any, keys ...string) (all []openapi.Query) {
	kinds := map[reflect.Kind]string{reflect.Int: "integer", reflect.Bool: "boolean", reflect.String: "string"}
	for _, key := range form.Fields(state) {
		if len(keys) > 0 && !slices.Contains(keys, key.Key) {
			continue
		}
		kind := key.Kind()
		s := &jsonschema.Schema{Type: kinds[kind]}
		switch {
		case kind == reflect.String && key.Options != nil:
			s = openapi.Texts(key.Options...)
		case kind == reflect.Int && key.Min != key.Max:
			s.Minimum, s.Maximum = &key.Min, &key.Max
		}
		switch {
		case kind == reflect.Bool:
			s.Default = json.RawMessage("false")
		case kind == reflect.Int:
			s.Default = json.RawMessage(key.Default[0])
		case slices.Contains(key.Options, ""):
			s.Default = json.RawMessage(`""`)
		case len(key.Default) > 0:
			s.Default, _ = json.Marshal(key.Default[0]) // a string cannot fail
		}
		all = append(all, openapi.Query{Name: key.Key, Description: key.Tag.Get("about"),
			Required: key.Tag.Get("required") == "true", Schema: s})
	}
	return all
}
