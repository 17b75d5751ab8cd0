package api

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
	"taper/internal/web/httpio"
)

// losses answers GET /api/v1/losses: every loss with its parameters.
func (h *Handlers) losses(c echo.Context) error {
	list := make([]lossEntry, len(loss.Families))
	for i, f := range loss.Families {
		list[i] = newLossEntry(f)
	}
	return c.JSON(http.StatusOK, lossList{list})
}

// lossList is the list of all losses.
type lossList struct {
	Losses []lossEntry `json:"losses"`
}

// lossEntry is a family as the API lists it.
type lossEntry struct {
	ID      string       `json:"id"`
	Title   string       `json:"title"`
	Kind    loss.Kind    `json:"kind"`
	Params  []paramEntry `json:"params"`
	Formula string       `json:"formula"` // TeX
	Source  string       `json:"source"`
	Errata  []string     `json:"errata"`
	Use     string       `json:"use"`
}

type paramEntry struct {
	Name         string      `json:"name"`
	Symbol       string      `json:"symbol"`
	Type         loss.Type   `json:"type"`
	About        string      `json:"about"`
	Min          any         `json:"min"` // null: none
	Max          any         `json:"max"`
	ExclusiveMin bool        `json:"exclusive_min"`
	ExclusiveMax bool        `json:"exclusive_max"`
	SliderMin    any         `json:"slider_min"` // null: no slider
	SliderMax    any         `json:"slider_max"`
	SliderLog    bool        `json:"slider_log"`
	Step         any         `json:"step"`
	Default      any         `json:"default"`
	AllowsInf    bool        `json:"allows_inf"`
	Options      []string    `json:"options,omitempty"`
	Ticks        []tickEntry `json:"ticks,omitempty"`
}

type tickEntry struct {
	At    any    `json:"at"`
	Label string `json:"label"`
}

func newLossEntry(f loss.Family) lossEntry {
	e := lossEntry{ID: f.ID, Title: f.Title, Kind: f.Kind, Params: []paramEntry{}, Formula: f.Formula, Source: f.Source,
		Errata: f.Errata, Use: f.Use}
	if e.Errata == nil {
		e.Errata = []string{}
	}
	for _, p := range f.Params {
		e.Params = append(e.Params, newParamEntry(p))
	}
	return e
}

func newParamEntry(p loss.Param) paramEntry {
	e := paramEntry{
		Name: p.Name, Symbol: p.Symbol, Type: p.Type, About: p.Description, ExclusiveMin: p.ExclusiveMin,
		ExclusiveMax: p.ExclusiveMax,
		SliderLog:    p.Log, AllowsInf: p.AllowsInf, Options: p.Options,
	}
	if p.Type != loss.ID {
		e.Min, e.Max = jsonNumber(p.Min, p.AllowsInf), jsonNumber(p.Max, p.AllowsInf)
	}
	if p.SliderMax > p.SliderMin {
		e.SliderMin, e.SliderMax, e.Step = p.SliderMin, p.SliderMax, p.Step
	}
	switch p.Type {
	case loss.Number:
		e.Default = jsonNumber(p.Default.Number, true)
	case loss.List:
		e.Default = p.Default.List
	case loss.Matrix:
		e.Default = p.Default.Matrix
	case loss.ID:
		e.Default = p.Default.ID
	}
	for _, t := range p.Ticks {
		e.Ticks = append(e.Ticks, tickEntry{jsonNumber(t.At, true), t.Label})
	}
	return e
}

// jsonNumber converts a number for JSON: infinity is "inf" as a value, and null as a bound.
func jsonNumber(x float64, value bool) any {
	switch {
	case !math.IsInf(x, 0):
		return x
	case !value:
		return nil
	case x > 0:
		return "inf"
	}
	return "-inf"
}

// lossQuestion is the body of POST /api/v1/losses/evaluate. Its lists are decoded after the kind of the loss is
// known, which determines those allowed.
type lossQuestion struct {
	Loss       string                     `json:"loss"`
	Params     map[string]json.RawMessage `json:"params,omitempty"`
	Margins    json.RawMessage            `json:"margins,omitempty"`
	Potentials json.RawMessage            `json:"potentials,omitempty"`
	Scores     json.RawMessage            `json:"scores,omitempty"`
	Thresholds json.RawMessage            `json:"thresholds,omitempty"`
	Labels     json.RawMessage            `json:"labels,omitempty"`
}

// evaluateLoss answers POST /api/v1/losses/evaluate.
func (h *Handlers) evaluateLoss(c echo.Context) error {
	var q lossQuestion
	if err := httpio.ReadJSON(c, &q); err != nil {
		return err
	}
	f, ok := loss.FamilyByID(q.Loss)
	if !ok {
		return usererr.BadField("loss", "must be one of %s (got %q)", strings.Join(lossIDs(), ", "), q.Loss)
	}
	if err := q.belongs(f); err != nil {
		return err
	}
	v, err := f.ParseJSON("params", q.Params)
	if err != nil {
		return err
	}
	var w numberWriter
	if err := q.evaluate(c.Request().Context(), &w, f, v); err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, w.end())
}

// evaluate writes the answer, and stops when the client disconnects.
func (q *lossQuestion) evaluate(ctx context.Context, w *numberWriter, f loss.Family, v loss.Values) error {
	switch f.Kind {
	case loss.KindMargin:
		return q.margin(ctx, w, f.Margin(v))
	case loss.KindInterval:
		return q.interval(ctx, w, v)
	case loss.KindPotential:
		return q.potential(ctx, w, f, v)
	}
	return q.threshold(ctx, w, f.Threshold(v))
}

func lossIDs() []string {
	ids := make([]string, len(loss.Families))
	for i, f := range loss.Families {
		ids[i] = f.ID
	}
	return ids
}

// belongs refuses lists that belong to another kind of loss.
func (q *lossQuestion) belongs(f loss.Family) error {
	takes := map[loss.Kind]string{
		loss.KindMargin: "margins", loss.KindInterval: "margins",
		loss.KindPotential: "potentials and labels", loss.KindThreshold: "scores, thresholds and labels",
	}[f.Kind]
	for _, l := range []struct {
		name string
		raw  json.RawMessage
	}{{"margins", q.Margins}, {"potentials", q.Potentials}, {"scores", q.Scores}, {"thresholds", q.Thresholds},
		{"labels", q.Labels}} {
		mine := strings.Contains(takes, l.name)
		if mine && l.raw == nil {
			return usererr.BadField(l.name, "is missing: %s takes %s", f.ID, takes)
		}
		if !mine && l.raw != nil {
			return usererr.BadField(l.name, "does not belong to %s, which takes %s", f.ID, takes)
		}
	}
	return nil
}

// entryName names an entry of a list.
func entryName(field string, at ...int) string {
	for _, i := range at {
		field += fmt.Sprintf("[%d]", i)
	}
	return field
}
