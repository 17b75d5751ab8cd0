package report

import (
	"fmt"

	"taper/internal/doc"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// stabilityParts are what the refits found, without any row.
func (p Printed) stabilityParts() []doc.Node {
	b := p.c.checked()
	if b == nil {
		if !p.c.Known {
			return nil
		}
		if o := p.c.Origin; o != nil {
			return []doc.Node{doc.Note("Refits cannot check a recalibrated run, since nothing was fitted " +
				"for it: optimism and stability are those of run " + o.Parent + ".")}
		}
		if p.Kept {
			return []doc.Node{doc.Note("Optimism and stability were not checked by refits while the data " +
				"were there.")}
		}
		return []doc.Node{doc.Note("Optimism and stability were not checked by refits. The page of the " +
			"run does so: Check optimism and stability.")}
	}
	s := b.Stability
	note := fmt.Sprintf("Stability: over the refits %s%s of the rows fall into another band, on average; %s rows do so "+
		"in more than 30%s of them. ",
		meanShare(s.Mean), format.Pc, hideSmall(s.Unstable).CountText(), format.Pc)
	corrected := p.c.corrected()
	corrected.Note = "" // said with the stability
	return []doc.Node{corrected, doc.Note(note + p.c.refitNote())}
}

// giveUpFigure is the histogram of the give-up factors, its counts rounded up.
func (p Printed) giveUpFigure() *doc.Figure {
	if p.r.Pictures == nil || p.r.Pictures.GiveUp == nil || len(p.r.Pictures.GiveUp.Bins) == 0 {
		return nil
	}
	g := p.r.Pictures.GiveUp
	say := "How much of its weight each row keeps, by its own label: 1 is that of logistic regression, near 0 the " +
		"model has given the label up. " +
		hideSmall(g.Half).CountText() + " rows keep less than half. Bars in steps of " + viz.Count(2*leastRows) + " rows."
	return &doc.Figure{Title: "Give-up factors", Say: say, SVG: viz.GiveUpSVG(g, 2*leastRows),
		Legend: []doc.Mark{{SVG: viz.DotSVG("c1"), Text: p.event()}, {SVG: viz.DotSVG("c0"), Text: "others"}}}
}
