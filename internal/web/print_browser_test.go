package web

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestPrintedInDark: charts that were drawn in dark are drawn in the colours of paper for the printer, and in dark again
// afterwards.
func TestPrintedInDark(t *testing.T) {
	_, b := commonTab(t)
	b.look(1280, "dark")
	b.open("/")
	b.drawn()
	medium := func(name string) {
		b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: name,
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
			return err
		}))
	}
	// The lightest colour of the labels of the first chart, from 0 to 255.
	const labels = `(() => {
		const canvas = document.querySelector('[data-drawn] canvas'), scale = canvas.width / canvas.clientWidth;
		const copy = new OffscreenCanvas(30 * scale, canvas.height).getContext('2d', {willReadFrequently: true});
		copy.drawImage(canvas, 0, 0);
		const { data } = copy.getImageData(0, 0, 30 * scale, canvas.height);
		let most = -1;
		for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) most = Math.max(most, data[i + 1]);
		return most;
	})()`
	if got := eval[int](b, labels); got < 140 {
		t.Errorf("in dark the labels reach %d", got)
	}
	medium("print")
	b.wait(labels + ` < 120`)
	if got := eval[int](b, labels); got < 0 {
		t.Error("nothing is drawn for the printer")
	}
	medium("")
	b.wait(labels + ` >= 140`)
}

// TestPrintedUnseen: charts that were never on the screen are drawn before the page is printed.
func TestPrintedUnseen(t *testing.T) {
	_, b := commonTab(t)
	b.look(1280, "light")
	b.do(chromedp.EmulateViewport(1280, 300))
	b.open("/")
	b.wait(`document.querySelector('[data-drawn]')`)
	const undrawn = `[...document.querySelectorAll('[data-chart]')].filter((f) => f.checkVisibility() && f.dataset.drawn === undefined).length`
	if eval[int](b, undrawn) == 0 {
		t.Fatal("all charts were on the screen")
	}
	if left := eval[int](b, `(() => { dispatchEvent(new Event('beforeprint')); return `+undrawn+`; })()`); left > 0 {
		t.Errorf("%d charts are blank on paper", left)
	}
}
