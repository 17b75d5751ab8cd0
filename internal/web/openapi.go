package web

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/web/templates"
)

// openapiJSON is written by hand; a test compares its paths with the routes.
//
//go:embed openapi.json
var openapiJSON []byte

// openAPI answers GET /api/v1/openapi.json.
func (s *Server) openAPI(c echo.Context) error {
	return c.JSONBlob(http.StatusOK, openapiJSON)
}

// apiPage answers GET /api: the description for people.
func (s *Server) apiPage(c echo.Context) error {
	doc, err := readAPI()
	if err != nil {
		return err
	}
	p := s.page(c, "The JSON API")
	p.Result = templates.Sentence("Everything the pages do", "can be asked for as JSON, on this machine only.")
	p.Actions = templates.Buttons(templates.Button{Label: "Open the description", Icon: "document",
		URL: "/api/v1/openapi.json"})
	return s.render(c, http.StatusOK, templates.API(p, doc.view()))
}

// apiDoc is the part of an OpenAPI document that the page shows.
type apiDoc struct {
	Info       struct{ Description string }
	Tags       []struct{ Name, Description string }
	Paths      map[string]map[string]apiOperation
	Components struct {
		Parameters map[string]apiParameter
		Responses  map[string]struct{ Description string }
	}
}

type apiOperation struct {
	Tags        []string
	Summary     string
	Description string
	Parameters  []apiParameter
	RequestBody struct {
		Description string
		Content     map[string]json.RawMessage
	}
	Responses map[string]struct {
		Ref         string `json:"$ref"`
		Description string
	}
}

type apiParameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
}

func readAPI() (doc apiDoc, err error) {
	if err := json.Unmarshal(openapiJSON, &doc); err != nil {
		return doc, fmt.Errorf("read openapi.json: %w", err)
	}
	return doc, nil
}

// methods in the order a reader expects.
var methods = []string{"get", "post", "patch", "delete"}

func (d apiDoc) view() templates.APIView {
	v := templates.APIView{About: d.Info.Description}
	for _, tag := range d.Tags {
		g := templates.APIGroup{Name: tag.Name, About: tag.Description}
		for _, path := range sortedKeys(d.Paths) {
			for _, m := range methods {
				if op, ok := d.Paths[path][m]; ok && slices.Contains(op.Tags, tag.Name) {
					g.Calls = append(g.Calls, d.call(m, path, op))
				}
			}
		}
		v.Groups = append(v.Groups, g)
	}
	return v
}

func (d apiDoc) call(method, path string, op apiOperation) templates.APICall {
	call := templates.APICall{Method: strings.ToUpper(method), Path: path, Summary: op.Summary, About: op.Description}
	for _, p := range op.Parameters {
		if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
			p = d.Components.Parameters[name]
		}
		call.Parameters = append(call.Parameters, templates.APIItem{Name: p.Name, Kind: p.In, About: p.Description})
	}
	for _, kind := range sortedKeys(op.RequestBody.Content) {
		call.Parameters = append(call.Parameters, templates.APIItem{Name: "body", Kind: kind,
			About: op.RequestBody.Description})
	}
	for _, status := range sortedKeys(op.Responses) {
		r := op.Responses[status]
		about := r.Description
		if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
			about = d.Components.Responses[name].Description
		}
		if strings.HasSuffix(r.Ref, "/Problem") {
			about = "problem+json"
		}
		call.Answers = append(call.Answers, templates.APIItem{Name: status, About: about})
	}
	return call
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
