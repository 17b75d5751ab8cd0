package viz

// OverlaySVG draws an Overlay for print, with the strokes, dots and diagonal of the screen. It
// panics on a logarithmic axis and on a histogram, which no report uses.
func OverlaySVG(o Overlay) string {
	if o.X.Log || o.Y.Log || o.Steps {
		panic("viz: an overlay with logarithmic axes or steps has no drawing for print")
	}
	const top = 8.0
	left := 34.0
	x, y := o.axes()
	d := &drawing{w: figW, h: figH}
	if o.Y.Name != "" {
		left = 48
		d.upright("ax-t", 9, (top+figBase)/2, o.Y.Name)
	}
	d.yTicks(y, left, figW-figR, top, figBase)
	at := func(v float64) float64 { return x.At(v, left, figW-figR-8) }
	height := func(v float64) float64 { return y.At(v, figBase, top) }
	if o.Diagonal != "" {
		d.line("ln "+diagonalMark, at(x.Min), height(y.Min), at(x.Max), height(y.Max))
	}
	for _, v := range o.Cuts {
		d.line("cutl", at(v), top, at(v), figBase)
	}
	for i := range o.Lines {
		l := o.Lines[len(o.Lines)-1-i] // the first is drawn on top
		var xs, ys []float64
		for k := range l.X {
			xs, ys = append(xs, at(l.X[k])), append(ys, height(l.Y[k]))
		}
		if l.Dot || o.Dots {
			for k := range xs {
				d.path("fill-"+l.Mark, outline("circle", xs[k], ys[k], float64(l.size())))
			}
		}
		if len(xs) > 1 {
			d.path("ln "+l.Mark, polyline(xs, ys))
		}
	}
	d.xTicks(x, left, figW-figR-8, figBase, o.X.Name)
	return d.svg("", o.Title+". "+o.Sentence)
}
