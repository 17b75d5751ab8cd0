package explore

import (
	"taper/internal/engine/usererr"
	"taper/internal/web/format"
	"taper/internal/web/live"
	"taper/web/templates"
)

// newView computes the view of a state.
func newView(st State) view {
	switch {
	case st.View == Functions:
		return functionsView(st)
	case st.View == Landscape:
		return landscapeView(st)
	case st.View == Slope:
		return slopeView(st)
	case st.View == Matrices:
		return matricesView(st)
	case st.View == Points:
		return pointsView(st)
	case st.Family == Interval:
		return intervalView(st)
	case st.Family == Adversarial && st.Classes == 2:
		return lineGameView(st)
	case st.Family == Adversarial:
		return planeGameView(st)
	}
	return marginView(st)
}

// page is the view model of the whole page.
func (v view) page(bad []usererr.Field) templates.Explore {
	st := v.st
	e := templates.Explore{
		Keep: live.PageFields(map[string]string{"was": st.Query()}), URL: st.URL(), Family: st.Family, View: st.View,
		Families: familyOptions(st), Views: viewOptions(st),
		Shape: shapeControls(st), Compare: compareOptions(st), Pins: pinList(st),
		Third: thirdOptions(st), Regime: v.regime, Cross: v.cross, Formula: v.formula, Where: v.where,
		Readout: v.readout, Tables: v.tables, Presets: presetGroups(st), Hidden: hiddenState(st),
		Sentence: templates.Mixed(v.rest, v.strong), Problem: format.UnusedKeys(bad),
	}
	for _, c := range v.lead {
		e.Lead = append(e.Lead, c.card(st))
	}
	for _, c := range v.more {
		e.More = append(e.More, c.card(st))
	}
	return e
}
