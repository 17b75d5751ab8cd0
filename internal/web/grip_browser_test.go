package web

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestGrip drags sliders with the mouse, away from values that the page names, such as those of a template: no answer
// replaces the slider in the hand, so it follows the pointer to the end.
func TestGrip(t *testing.T) {
	p := start(t, "")
	b := newTab(t, p.base)
	for _, c := range []struct{ path, ready, id string }{
		{"/playground?a.method=interval", `document.querySelectorAll('[data-painted]').length >= 2`, "a-pi1"},
		{"/playground?b.method=tempered", `document.querySelectorAll('[data-painted]').length >= 2`, "b-t1"},
		{"/stratify/" + p.sampleID("wdbc.csv"), "", "pi1"},
		{"/?family=interval", "", "pi2"},
	} {
		b.open(c.path)
		if c.ready == "" {
			b.drawn()
		} else {
			b.wait(c.ready)
		}
		b.exec(fmt.Sprintf(`(() => {
			window.grip = document.getElementById('%s-range');
			grip.scrollIntoView({block: 'center'});
			window.answers = 0;
			document.addEventListener('taper:answer', () => answers++, true);
		})()`, c.id))
		b.await(twoFrames)
		var at struct{ X, Y, Width, Share float64 }
		raw := eval[string](b, `(() => {
			const r = grip.getBoundingClientRect();
			return JSON.stringify({x: r.x + 8, y: r.y + r.height / 2, width: r.width - 16, share: (grip.value - grip.min) / (grip.max - grip.min)});
		})()`)
		if err := json.Unmarshal([]byte(raw), &at); err != nil {
			t.Fatal(err)
		}
		mouse := func(kind input.DispatchMouseEventType, share float64) {
			b.do(chromedp.MouseEvent(kind, at.X+share*at.Width, at.Y, chromedp.ButtonLeft))
		}
		step := -.04 // away from the nearer end
		if at.Share < .3 && c.id != "a-pi1" && c.id != "pi1" {
			step = .04
		}
		mouse("mousePressed", at.Share)
		for i := 1; i <= 4; i++ {
			before := eval[int](b, `answers`)
			mouse("mouseMoved", at.Share+step*float64(i))
			b.wait(fmt.Sprintf(`answers > %d`, before))
		}
		if !eval[bool](b, `grip.isConnected`) {
			t.Errorf("%s: %s is replaced while it is dragged", c.path, c.id)
		}
		share := eval[float64](b, fmt.Sprintf(`((r) => (r.value - r.min) / (r.max - r.min))(document.getElementById('%s-range'))`, c.id))
		if want := at.Share + 4*step; share < want-.03 || share > want+.03 {
			t.Errorf("%s: %s is at %.2f of its range, the pointer at %.2f", c.path, c.id, share, want)
		}
		mouse("mouseReleased", at.Share+4*step)
		b.await(twoFrames)
	}
}
