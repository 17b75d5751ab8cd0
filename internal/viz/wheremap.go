package viz

// TemperatureMap is the plane of the two temperatures, with the named losses at its edges and
// the point (t1, t2), which is moved to the edge if it lies outside.
func TemperatureMap(t1, t2 float64) string {
	d := drawing{w: 240, h: 150}
	x, y := FrozenScale(-.1, 1.2, 2), FrozenScale(.95, 2, 2)
	left, right, top, base := 30.0, 236.0, 8.0, 116.0
	px := func(v float64) float64 { return x.At(v, left, right) }
	py := func(v float64) float64 { return y.At(v, base, top) }
	for _, v := range []float64{1, 1.5, 2} {
		d.line("grid", left, py(v), right, py(v))
		d.text("ax", "end", left-6, py(v)+4, Short(v, 2))
	}
	d.rect("fill-wash", px(0), top, px(1)-px(0), py(1)-top)
	for _, v := range []float64{0, .5, 1} {
		d.line("ax-l", px(v), base, px(v), base+4)
		d.text("ax", "middle", px(v), base+16, Short(v, 2))
	}
	d.line("ax-l", left, base, right, base)
	d.text("ax-t", "middle", (px(0)+px(1))/2, base+32, "t₁")
	d.text("ax-t", "end", left-10, top+4, "")
	d.text("ax-t", "start", 2, top+4, "t₂")
	d.line("ln s4", px(1), top, px(1), py(1))
	for _, p := range []struct {
		t1, t2 float64
		name   string
		anchor string
		dx, dy float64
	}{{0, 1, "sigmoid", "start", 7, -6}, {1, 1, "logistic", "end", -7, -6}, {1, 1.45, "t-logistic edge", "end", -7, 0}} {
		if p.name != "t-logistic edge" {
			d.path("fill-paper st-ink w15", outline("circle", px(p.t1), py(p.t2), 7))
		}
		d.text("note", p.anchor, px(p.t1)+p.dx, py(p.t2)+p.dy, p.name)
	}
	cx, cy := px(min(max(t1, -.08), 1.18)), py(min(max(t2, .97), 1.99))
	d.path("dot1", outline("circle", cx, cy, 12))
	label, anchor, at := "this loss", "middle", min(max(cx, left+36), right-40)
	up := cy - 11
	if cy > py(1.2) {
		up = cy - 26 // above the names along the lower edge
	}
	if up < top+10 {
		up = cy + 20
	}
	d.text("note-b halo t1", anchor, at, up, label)
	return d.svg("ex-map", "The two temperatures: t1 "+Short(t1, 3)+", t2 "+Short(t2, 3))
}
