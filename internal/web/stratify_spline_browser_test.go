package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestSplineByHand turns a column into a spline, saves the run, and computes its confidence band.
func TestSplineByHand(t *testing.T) {
	p, b := ownTab(t)
	b.open("/stratify/" + p.sampleID("heart-clinic-dirty.csv") + "?method=logistic&l2=0.0156&x=age&x=sex&x=chol&x=oldpeak&x=cp")
	b.drawn()
	b.click(`#r-predictors summary`)
	b.do(chromedp.SetValue(`select[aria-label="How age enters"]`, "age.4"), chromedp.SetValue(`select[aria-label="How chol enters"]`, "chol.3"))
	b.shot("spline-choice")
	b.click(`form[data-pick] button`)
	b.wait(`location.search.includes('spline=age.4') && document.querySelectorAll('#r-curves .fig-plot .s1').length === 2`)
	b.click(`.head .acts button[formaction$="/save"]`)
	b.wait(`location.pathname.startsWith('/runs/r') && document.querySelector('.tabs')`)
	run := eval[string](b, `location.pathname`)
	b.open(run + "/model")
	b.wait(`document.querySelector('#r-curves figure')`)
	if text := b.text(`#r-curves`); !strings.Contains(text, "The bootstrap adds a band.") || !strings.Contains(b.text(`main`), "age with 4 knots, chol with 3 knots") {
		t.Errorf("the run says of its curves %.400q", text)
	}
	b.open(run + "/performance")
	b.do(chromedp.SetValue(`#replicates`, "40"))
	b.click(`form[action$="/bootstrap"] button`)
	b.wait(`[...document.querySelectorAll('button')].some((b) => b.textContent.includes('Check again'))`) // the bootstrap has ended
	b.open(run + "/model")
	b.wait(`document.querySelectorAll('#r-curves .fig-plot .conf').length === 2`)
	everyLook(b, "spline-run", run+"/model")
	everyLook(b, "spline-report", strings.Replace(run, "/runs/", "/report/", 1))
}
