package main

import (
	"taper/cmd/web/wording"
	"taper/internal/engine/errs"
	"taper/web/templates"
)

// exploreView is what the explorer shows for one state.
type exploreView struct {
	st         exploreState
	title      string
	lead, more []exploreChart
	strong     []string // parts of the result sentence set in bold
	rest       []string // the words around them; one more than strong, or as many

	regime  templates.ExploreRegime
	cross   *templates.ExploreCross
	formula templates.ExploreFormula
	where   *templates.ExploreWhere
	readout templates.Table
	tables  []templates.Table // instead of charts
}

// newExploreView computes everything a state shows.
func newExploreView(st exploreState) exploreView {
	switch {
	case st.View == viewFunctions:
		return functionsView(st)
	case st.View == viewLandscape:
		return landscapeView(st)
	case st.View == viewSlope:
		return slopeView(st)
	case st.View == viewMatrices:
		return matricesView(st)
	case st.View == viewPoints:
		return pointsView(st)
	case st.Family == famInterval:
		return intervalView(st)
	case st.Family == famAdversarial && st.Classes == 2:
		return lineGameView(st)
	case st.Family == famAdversarial:
		return planeGameView(st)
	}
	return marginView(st)
}

func (v exploreView) charts() []exploreChart {
	return append(append([]exploreChart(nil), v.lead...), v.more...)
}

// chart finds a chart by its id.
func (v exploreView) chart(id string) (exploreChart, bool) {
	for _, c := range v.charts() {
		if c.plot.ID == id {
			return c, true
		}
	}
	return exploreChart{}, false
}

// page is the view model of the whole page.
func (s *Server) explorePage(v exploreView, bad []errs.Field) templates.Explore {
	st := v.st
	e := templates.Explore{
		Query: st.query(), URL: st.url(), Family: st.Family, View: st.View,
		Families: familyOptions(st), Views: viewOptions(st),
		Shape: shapeControls(st), Compare: compareOptions(st), Pins: pinList(st),
		Third: thirdOptions(st), Regime: v.regime, Cross: v.cross, Formula: v.formula, Where: v.where,
		Readout: v.readout, Tables: v.tables, Presets: presetGroups(st), Doors: s.doors(), Hidden: hiddenState(st),
		Sentence: templates.Mixed(v.rest, v.strong), Problem: wording.Unused(bad),
	}
	for _, c := range v.lead {
		e.Lead = append(e.Lead, c.card(st))
	}
	for _, c := range v.more {
		e.More = append(e.More, c.card(st))
	}
	return e
}

// doors lead on to the pages that exist.
func (s *Server) doors() []templates.Door {
	exists := map[string]bool{}
	for _, l := range s.nav() {
		exists[l.URL] = true
	}
	var out []templates.Door
	for _, d := range []templates.Door{
		{Title: "Add label noise", Text: "Two models on the same points; flip labels and watch one of them let go.", URL: "/playground"},
		{Title: "Show it to someone", Text: "Accuracy against noise with 95" + wording.Pc + " bands, one sentence, four slides.", URL: "/robustness"},
		{Title: "Stratify a CSV", Text: "Your table in, risk bands with intervals out. Nothing leaves this machine.", URL: "/data"},
	} {
		if exists[d.URL] {
			out = append(out, d)
		}
	}
	return out
}
