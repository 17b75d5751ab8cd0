package card

import (
	"bytes"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"
)

func sample() Card {
	f := func(v float64) *float64 { return &v }
	return Card{Head: "Bands by risk", Title: `Risk bands for "<script>` + strings.Repeat("x", 200), Sentences: []string{"Two of four bands are inside their limits.",
		strings.Repeat("A long sentence follows. ", 12)}, Foot: []string{"Not a medical device"},
		Bands: []Band{{Name: "≤ 25 %", Rows: "326", Rate: "2.8 %", Verdict: "inside", Upper: .25, Value: f(.028), Low: f(.015), High: f(.05)},
			{Name: "> 25 %", Rows: "1 – 9", Rate: "–", Verdict: "masked", Lower: .25, Upper: 1},
			{Name: "> 75 %", Rows: "49", Rate: "96.0 – 100.0 %", Verdict: "masked", Lower: .75, Upper: 1, Low: f(.96), High: f(1), Masked: true}}}
}

// TestSVG: the SVG is well-formed for any names, contains its text, and nothing leaves the
// image.
func TestSVG(t *testing.T) {
	svg := sample().SVG()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"&lt;script&gt;", "≤ 25 %", "masked", "Not a medical device", "…"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	all, height := sample().marks()
	for _, m := range all {
		if m.x < 0 || m.x+m.w > width || m.y+m.h > height || m.text == "" && (m.w <= 0 || m.h <= 0) {
			t.Errorf("%+v lies off %g × %g", m, width, height)
		}
	}
}

// TestPNG: twice the size of the SVG, with its background and the tint of a band at the right
// place.
func TestPNG(t *testing.T) {
	raw, err := sample().PNG()
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	all, height := sample().marks()
	if b := img.Bounds(); b.Dx() != scale*width || b.Dy() != scale*int(height) {
		t.Errorf("%v, want %g × %g twice", b, width, height)
	}
	if got := color.RGBAModel.Convert(img.At(3, 3)); got != paper {
		t.Errorf("the paper is %v", got)
	}
	for _, m := range all {
		if m.text == "" && m.h > 20 && m.w > 20 {
			if got := color.RGBAModel.Convert(img.At(int(scale*(m.x+m.w-2)), int(scale*(m.y+2)))); got != m.ink {
				t.Errorf("at %g, %g it is %v, want %v", m.x, m.y, got, m.ink)
			}
		}
	}
	again, err := sample().PNG()
	if err != nil || !bytes.Equal(raw, again) {
		t.Error("the same card has other bytes the second time")
	}
}
