package web

import (
	"fmt"
	"net/http/httptest"
	"testing"
)

// TestHallOfOwnFile: the label flips and the nomogram of one's own file fill the screen of a lecture hall, with any
// number of bands.
func TestHallOfOwnFile(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	clinic := heart(t, s)
	b := newTab(t, web.URL)
	b.hall()
	for i, bands := range []string{"", "&pi=.5", "&pi=.3,.6", "&pi=.1,.2,.4,.6,.8"} {
		at := "/stratify/" + clinic.ID + "/flips?outcome=disease&positive=yes&present=1" + bands
		b.open(at)
		b.wait(`document.querySelectorAll('.pair tbody').length === 2`)
		b.fills(at)
		b.shot(fmt.Sprint("hall-flips-", i))
	}
	for _, loss := range []string{"interval", "logistic"} {
		at := "/runs/" + trained(t, s, heartSpec(clinic, loss, loss, .25, .5, .75)).ID + "/nomogram"
		b.open(at)
		b.fills(at)
		b.shot("hall-" + loss)
	}
}

// TestHallOfFifteenPredictors: so does the nomogram with the most predictors that one may have.
func TestHallOfFifteenPredictors(t *testing.T) {
	p, b := commonTab(t)
	id := overAPI(t, p.base, "POST", "/api/v1/runs", `{"dataset":"`+p.sampleID("wdbc.csv")+`","outcome":"diagnosis",
		"positive":"malignant","boundaries":[0.25,0.5,0.75],"model":{"loss":"logistic","l2":0.01},"seed":7,"predictors":[
		"mean_radius","mean_texture","mean_smoothness","mean_symmetry","mean_area","mean_perimeter","mean_compactness",
		"mean_concavity","mean_concave_points","mean_fractal_dimension","worst_radius","worst_texture",
		"worst_smoothness","worst_symmetry","worst_area"]}`)["id"].(string)
	doneOverAPI(t, p.base, id)
	b.hall()
	b.open("/runs/" + id + "/nomogram")
	b.fills("nomogram")
	b.shot("hall-fifteen")
}
