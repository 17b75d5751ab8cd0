package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/cmd/web/widget"
	"taper/cmd/web/wording"
	"taper/internal/engine/errs"
	"taper/internal/viz"
	"taper/web/templates"
)

// playPage answers GET /playground: a state as a page whose first HTML holds
// its numbers, pictures and tables. Points that cannot be fitted leave the
// pictures empty, so that what is wrong can be steered away.
func (s *Server) playPage(c echo.Context) error {
	ctx := c.Request().Context()
	st, bad := parsePlay(c.QueryParams())
	a, err := s.play.show(ctx, st, bad)
	problem, status := "", http.StatusOK
	if e, ok := errs.As(err); ok && e.Code == errs.Invalid {
		a, problem = unfitted(st), playProblem(e)
	} else if err != nil {
		return err
	} else {
		problem = wording.Unused(a.Problems)
	}
	if problem != "" {
		status = http.StatusUnprocessableEntity
	}
	v, err := s.playView(ctx, a, url.Values{})
	if err != nil {
		return err
	}
	v.page.Problem = problem
	p := s.page(c, "Playground")
	p.Help, p.Result, p.Body = "/help/playground", boldNumbers(a.Sentence), "live"
	if st.Present {
		p.Body = "live presents"
	}
	p.Actions = templates.PlayActions(v.page)
	return s.render(c, status, templates.PlayPage(p, v.page))
}

// unfitted is the answer where nothing can be fitted: points set by hand are
// there to be added to.
func unfitted(st playState) *playAnswer {
	a := &playAnswer{URL: st.url(), st: st, Sentence: "These points cannot be fitted."}
	a.Axes = playAxes{X: playAxis{-2, 2, "x1"}, Y: playAxis{-2, 2, "x2"}}
	p := &playPoints{Classes: []string{"0", "1", "2", "3", "4"}}
	if st.Data == playOwn {
		for _, o := range st.Own {
			p.X, p.Y, p.Class = append(p.X, o.X), append(p.Y, o.Y), append(p.Class, o.Class)
		}
	}
	p.Given, p.Flipped, p.Test = p.Class, make([]bool, len(p.Class)), make([]bool, len(p.Class))
	a.Points = p
	return a
}

// playProblem is the sentence of an error.
func playProblem(e *errs.Error) string {
	if len(e.Fields) > 0 {
		return wording.Problem(e.Fields[0])
	}
	return e.Detail
}

// playView is what the page shows of an answer.
type playView struct {
	ask  playAsk
	page templates.Play
}

// playView builds the page. Of the query it reads what the page has: the data
// tables that are open and the axes that are held.
func (s *Server) playView(ctx context.Context, a *playAnswer, q url.Values) (playView, error) {
	v := playView{ask: playAsk{st: a.st, kind: kindOf(a.st.Data)}}
	st := a.st
	if a.bench != nil {
		v.ask.kind, v.ask.note = a.bench.kind(), a.Axes.Note
		if a.bench.spoilt.Count > 0 {
			v.ask.spoilt = viz.Count(a.bench.spoilt.Count) + " of " + viz.Count(a.bench.spoilt.Trained) + " spoilt. Those of a lower rate are among them."
		}
		v.ask.plane = a.bench.sample.X.Cols == 2
	}
	if err := s.playSources(ctx, &v.ask); err != nil {
		return v, err
	}
	data, err := json.Marshal(a.lean())
	if err != nil {
		return v, err
	}
	v.page = templates.Play{URL: a.URL, Form: formText(v.ask.formKeys()), Present: st.Present, Groups: v.ask.groups(),
		Legend: markLegend(a), Bars: colourBars(a), Note: playNote(a), Table: playTableView(a), Warn: playNotices(a), Demos: playDemos(a.URL),
		Saves: []templates.Option{{Value: "a", Label: "Save A"}, {Value: "b", Label: "Save B"}, {Value: "both", Label: "Save both"}}, Data: data,
		SaveNote: "Runs take the same points, noise and seed, and are judged by folds. With points held out, a run draws a split of its own, and its flips with it."}
	brush := ""
	if st.Brush.Model >= 0 {
		brush = playSlots[st.Brush.Model][:1] + ":" + strconv.Itoa(st.Brush.Bin)
	}
	v.page.Hidden = []templates.Field{{Name: "brush", Value: brush}}
	if st.Present {
		v.page.Hidden = append(v.page.Hidden, stateFields(st)...)
	}
	v.page.Show, v.page.Leave = presenting(st, true), presenting(st, false)
	for _, p := range st.pairs() {
		v.page.State = append(v.page.State, templates.Field{Name: p.Key, Value: p.Value})
	}
	v.page.Points = playPointsView(a)
	for k, m := range a.Models.both() {
		v.page.Models = append(v.page.Models, v.model(k, m, a, q))
	}
	return v, nil
}

func presenting(st playState, on bool) string {
	st.Present = on
	return st.url()
}

// stateFields carry the state through a form without its controls; the brush
// and the steps have theirs.
func stateFields(st playState) []templates.Field {
	var all []templates.Field
	for _, p := range st.pairs() {
		if p.Key != "brush" && !strings.HasSuffix(p.Key, ".step") {
			all = append(all, templates.Field{Name: p.Key, Value: p.Value})
		}
	}
	return all
}

// lean leaves out what the page shows as drawings and tables.
func (a *playAnswer) lean() *playAnswer {
	out := *a
	out.Table, out.Times, out.Problems = playTable{}, playTable{}, nil
	slim := func(m *playShown) *playShown {
		if m == nil {
			return nil
		}
		return &playShown{Title: m.Title, Error: m.Error, Surface: m.Surface, MS: m.MS,
			Histogram: playHistogram{Bin: m.Histogram.Bin}, Steps: playSteps{Of: m.Steps.Of, At: m.Steps.At}}
	}
	out.Models = playPair{slim(a.Models.A), slim(a.Models.B)}
	return &out
}

// playParts adds to an answer what of the page differs, by the stamps of what it
// has: pictures, tables and words; controls where there are others, the list of
// points where the points are new.
func (s *Server) playParts(ctx context.Context, a *playAnswer, q url.Values) (*playAnswer, error) {
	v, err := s.playView(ctx, a, q)
	if err != nil {
		return nil, err
	}
	p := v.page
	parts := map[string]templ.Component{
		"result": boldNumbers(a.Sentence), "pg-key": templates.PlayKey(p), "pg-warn": templates.PlayWarnings(p.Warn), "pg-table": templates.TableView(p.Table),
	}
	controls := map[string]bool{} // whose values the page may have changed itself
	before, now := formOfText(q.Get("form")), v.ask.formKeys()
	for _, m := range p.Models {
		id := "pg-" + m.ID
		parts[id+"-title"], parts[id+"-chips"] = templates.Text(m.Badge+": "+m.Title), templates.PlayChips(m.Chips)
		parts[m.Picture.ID+"-say"], parts[m.Picture.ID+"-over"] = templates.Text(m.Picture.Finding), templates.Draw(m.Picture.Over)
		parts[id+"-lossbox"], parts[id+"-weightbox"] = templates.PlayFigureView(m.Loss), templates.PlayFigureView(m.Weights)
		if m.Steps != nil {
			parts[id+"-step-word"] = templates.Text(m.Steps.Word)
		}
		if m.Picture.Open {
			parts[m.Picture.ID+"-grid"] = templates.TableView(m.Picture.Grid)
		}
		if !p.Present && before[m.ID] != now[m.ID] {
			parts[id+"-par"], parts[id+"-methods"] = templates.PlayPars(m), templates.PlayMethods(m)
			controls[id+"-par"], controls[id+"-methods"] = true, true
		}
	}
	if !p.Present && before["side"] != now["side"] {
		parts["pg-side"], controls["pg-side"] = templates.PlaySide(p.Groups), true
	}
	if own := a.st.Data == playOwn; !p.Present && (before["points"] != now["points"] || !own && q.Get("have") != a.Hash) {
		parts["pg-points"], controls["pg-points"] = templates.PlayPointsView(p.Points), true
	}
	out := a.lean()
	out.Form, out.Sliders, out.Parts, out.Stamps = p.Form, v.ask.sliders(), map[string]string{}, map[string]string{}
	had := parseStamps(q.Get("had"))
	for id, part := range parts {
		var b bytes.Buffer
		if err := part.Render(ctx, &b); err != nil {
			return nil, err
		}
		html := b.String()
		if mark := stampOf(html); controls[id] || had[id] != mark {
			out.Parts[id], out.Stamps[id] = html, mark
		}
	}
	for k, m := range []*playShown{out.Models.A, out.Models.B} {
		id := "raster-" + playSlots[k][:1]
		if m == nil {
			continue
		}
		if mark := stampOf(string(m.Surface.Levels)); had[id] == mark && m.Surface.Levels != nil {
			m.Surface.Levels, m.Surface.Same = nil, true
		} else {
			out.Stamps[id] = mark
		}
	}
	return out, nil
}

// playSources lists uploaded files, and what can be chosen of the one in use.
func (s *Server) playSources(ctx context.Context, ask *playAsk) error {
	if s.play.in == nil {
		return nil
	}
	all, _, err := s.db.Datasets(ctx, 50, 0)
	if err != nil {
		return err
	}
	for _, d := range all {
		if id := playDataset + d.ID; d.Choice.Outcome != "" || id == ask.st.Data {
			ask.datasets = append(ask.datasets, templates.Option{Value: id, Label: d.Name, On: id == ask.st.Data})
		}
	}
	if ask.st.dataset() == "" {
		return nil
	}
	ask.columns, err = s.play.columnsOf(ctx, ask.st)
	return err
}

var numbersIn = regexp.MustCompile(`[0-9][0-9,]* of [0-9][0-9,]*|[0-9][0-9.,]*\x{a0}%`)

// boldNumbers sets the figures of a sentence in bold.
func boldNumbers(text string) templ.Component {
	var words, strong []string
	for {
		at := numbersIn.FindStringIndex(text)
		if at == nil {
			return templates.Mixed(append(words, text), strong)
		}
		words, strong = append(words, text[:at[0]]), append(strong, text[at[0]:at[1]])
		text = text[at[1]:]
	}
}

// playWords names the fields of the models to a reader.
var playWords = strings.NewReplacer("a.method", "A", "b.method", "B", "a.features", "The features of A", "b.features", "The features of B")

// playNotices are the doubts about the two fits.
func playNotices(a *playAnswer) []templates.Notice {
	var out []templates.Notice
	said := map[string]bool{}
	for _, f := range a.Problems {
		out = append(out, templates.Notice{Kind: "ask", Fact: playWords.Replace(f.Field) + " " + f.Message + "."})
	}
	for k, m := range a.Models.both() {
		letter := string(rune('A' + k))
		if m == nil {
			continue
		}
		if m.Error != "" {
			out = append(out, templates.Notice{Kind: "stop", Fact: letter + " is not fitted.", Text: m.Error})
		}
		for _, w := range m.Warnings {
			if !said[letter+w] {
				out = append(out, templates.Notice{Fact: letter + ".", Text: wording.UpperFirst(w)})
			}
			said[letter+w] = true
		}
	}
	for _, note := range a.Notes {
		out = append(out, templates.Notice{Fact: "Note.", Text: note})
	}
	return out
}

// playNote says what a reader of the pictures must know.
func playNote(a *playAnswer) string {
	note := a.Axes.Note
	if a.Points != nil && a.Points.Spread {
		note = strings.TrimSpace(note + " Points of one place are drawn a little apart.")
	}
	return note
}

// playTableView is the table of A against B; the clean accuracy says which is
// better.
func playTableView(a *playAnswer) templates.Table {
	t := templates.Table{Label: "A against B", Note: a.Table.Note}
	for i, head := range a.Table.Columns {
		col := templates.Column{Label: head, Num: i > 0}
		if m := a.Models.both(); (i == 1 || i == 2) && m[i-1] != nil {
			col.Unit = m[i-1].Title
		}
		t.Columns = append(t.Columns, col)
	}
	for i, r := range slices.Concat(a.Table.Rows, a.Times.Rows) {
		line := widget.Row(r)
		if last := len(r) - 1; i == 0 && last > 0 {
			line.Cells[last] = verdictCell(r[last], a.Table.Verdict)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// verdictCell adds the word to a difference, if there is one.
func verdictCell(diff, word string) templates.Cell {
	if word == "" {
		return templates.Cell{Text: diff}
	}
	return templates.Cell{Content: templates.Judged(diff, word)}
}
