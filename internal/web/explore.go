package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/study/stored"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
	"taper/internal/web/format"
	"taper/internal/web/page/data"
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// doors link the explorer to pages that use the loss.
var doors = []templates.Door{
	{Title: "Add label noise", Text: "Fit two models to the same data, flip labels, and see which one holds up.",
		To: "/playground"},
	{Title: "Show it to someone", Text: "Accuracy versus label noise with 95" + format.Pc + " bands, as four slides.",
		To: "/robustness"},
	{Title: "Stratify a CSV", Text: "Upload a table and get risk bands with confidence intervals. Nothing leaves this " +
		"machine.", To: "/data"},
}

// explore answers GET /: the page, or the state as JSON for programs.
func (s *Server) explore(c echo.Context) error {
	if strings.Contains(c.Request().Header.Get("Accept"), "application/json") {
		return s.exploreLive(c)
	}
	x := explore.NewPage(c.QueryParams())
	p := s.page(c, x.Title)
	p.Help, p.Body = "/help/"+x.Body.Family, "live"
	p.Actions, p.Result, p.Lead = templates.ExploreActions(), x.Body.Sentence, templates.ExploreLead(s.doors())
	stamps, err := s.explorer.Stamps(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	x.Body.Stamps = stamps
	status := http.StatusOK
	if len(x.Bad) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return s.render(c, status, templates.ExplorePage(p, x.Body))
}

// exploreLive answers GET /explore: the state of the query as JSON, or its differences to the state on the screen.
func (s *Server) exploreLive(c echo.Context) error {
	a, err := s.explorer.Live(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

// exploreCSV answers GET /explore.csv: the numbers of one chart.
func (s *Server) exploreCSV(c echo.Context) error {
	id, data, err := explore.CSV(c.QueryParams())
	if err != nil {
		return err
	}
	c.Response().Header().Set("Content-Disposition", `attachment; filename="`+id+`.csv"`)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", data)
}

// exploreOnward answers GET /explore/onward?to=…: it redirects to a page that fits the loss of the state. Pages
// opened from the untouched explorer begin as they do from the navigation, because the visitor chose no loss.
func (s *Server) exploreOnward(c echo.Context) error {
	st, _ := explore.Parse(c.QueryParams())
	method := st.Method()
	to := c.QueryParam("to")
	switch to {
	case "/playground", "/robustness", "/data":
	default:
		return usererr.BadField("to", "must be /playground, /robustness or /data (got %.40q)", to)
	}
	switch {
	case !st.Changed():
	case to == "/playground": // compared with logistic regression as the first of the two models
		q := url.Values{}
		for key, values := range method {
			if key != "task" {
				q["b."+key] = values
			}
		}
		if t, several := task.ByID(method.Get("task")); several {
			q.Set("a.method", "softmax")
			q.Set("data", "blobs")
			if t.Ordered() {
				q.Set("data", "ordinal-stripes")
			}
		}
		to += "?" + q.Encode()
	case to == "/robustness":
		to += robustWith(method.Get("method"))
	case to == "/data":
		to = data.ReadLoss(method.Encode()).On(to)
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// robustWith is the address of the first model with this loss in the stored result, if there is one.
func robustWith(loss string) string {
	r, _ := stored.Get(stored.Robustness)
	for i, m := range r.Spec.Models {
		if m.Loss == loss {
			return "?model=" + strconv.Itoa(i)
		}
	}
	return ""
}

// doors are the links to existing pages.
func (s *Server) doors() []templates.Door {
	return slices.DeleteFunc(slices.Clone(doors), func(d templates.Door) bool {
		return !slices.ContainsFunc(s.nav(), func(l templates.Link) bool { return l.URL == d.To })
	})
}
