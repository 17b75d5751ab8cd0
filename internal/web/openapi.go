package web

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/web/openapi"
	"taper/web/templates"
)

// apiPage answers GET /api: the description of the API as a page.
func (s *Server) apiPage(c echo.Context) error {
	p := s.page(c, "The JSON API")
	p.Result = templates.Sentence("Everything the pages do", "can be asked for as JSON, on this machine only.")
	p.Actions = templates.Buttons(templates.Button{Label: "Open the description", Icon: "document",
		URL: "/api/v1/openapi.json"})
	return s.render(c, http.StatusOK, templates.API(p, apiView(s.api.Description())))
}

// methods in the order shown.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete}

func apiView(a openapi.API) templates.APIView {
	v := templates.APIView{Description: a.Description}
	calls := slices.SortedFunc(slices.Values(a.Operations), func(x, y openapi.Operation) int {
		return cmp.Or(strings.Compare(x.DocumentPath(), y.DocumentPath()),
			cmp.Compare(slices.Index(methods, x.Method), slices.Index(methods, y.Method)))
	})
	for _, tag := range a.Tags {
		g := templates.APIGroup{Name: tag.Name, Description: tag.Description}
		for _, op := range calls {
			if op.Tag == tag.Name {
				g.Calls = append(g.Calls, callView(op))
			}
		}
		v.Groups = append(v.Groups, g)
	}
	return v
}

func callView(op openapi.Operation) templates.APICall {
	call := templates.APICall{Method: op.Method, Path: op.DocumentPath(), Summary: op.Summary,
		Description: op.Description}
	for _, p := range op.Parameters() {
		call.Parameters = append(call.Parameters, templates.APIItem{Name: p.Name, Kind: p.In,
			Description: p.Description})
	}
	if op.Body != nil {
		for _, kind := range slices.Sorted(maps.Keys(op.Body.Content)) {
			call.Parameters = append(call.Parameters, templates.APIItem{Name: "body", Kind: kind,
				Description: op.Body.Description})
		}
	}
	for _, a := range op.Answers {
		call.Answers = append(call.Answers, templates.APIItem{Name: strconv.Itoa(a.Status), Description: a.Description})
	}
	for _, status := range op.Errors {
		call.Answers = append(call.Answers, templates.APIItem{Name: strconv.Itoa(status), Description: "problem+json"})
	}
	return call
}
