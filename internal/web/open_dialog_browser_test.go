package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// covered lists the answers of the questions that are covered by something: at the lower edge of the window, and
// when they have the focus.
const covered = `(() => {
	const bad = [];
	const top = (b, how) => {
		const r = b.getBoundingClientRect();
		const at = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
		if (!b.contains(at)) bad.push(b.innerText + ' ' + how + ': ' + (at?.className ?? 'outside'));
	};
	const all = [...document.querySelectorAll('#ds-notes .warn-ask button')];
	for (const b of all) {
		scrollBy(0, b.getBoundingClientRect().bottom - innerHeight);
		top(b, 'at the edge');
	}
	for (const b of [...all, ...all.toReversed()]) {
		b.focus();
		top(b, 'with the focus');
	}
	return all.length < 8 ? ['only ' + all.length + ' answers'] : bad;
})()`

// TestQuestionsInTheWay: nothing covers a question, and Stratify asks the serious ones in a dialog in which they
// can be answered or skipped, and which can be closed.
func TestQuestionsInTheWay(t *testing.T) {
	p, b := ownTab(t)
	b.open("/data")
	b.pick("../../testdata/csv/heart-clinic-dirty.csv") // questions down to the end of the page
	for _, size := range [][2]int64{{1280, 900}, {360, 800}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]), chromedp.Reload())
		if bad := eval[[]string](b, covered); len(bad) > 0 {
			b.Errorf("%d px: covered: %q", size[0], bad)
		}
	}
	b.look(1280, "light")
	path := "/data/" + p.upload("leaky.csv", []byte(leakyCSV()))
	b.open(path)
	stratify := func() {
		b.Helper()
		b.click(`#ds-bar form .btn-1`)
		b.wait(`document.querySelector('#ds-ask').matches(':modal')`)
	}
	answer := func(label, then string) {
		b.Helper()
		b.exec(fmt.Sprintf(`[...document.querySelectorAll('#ds-ask button')]
			.find((x) => x.innerText.trim() === %s).click()`, quote(label)))
		b.wait(fmt.Sprintf(`document.querySelector('#ds-ask h2').innerText === %s`, quote(then)))
		if !eval[bool](b, `document.querySelector('#ds-ask:modal')?.contains(document.activeElement) ?? false`) {
			b.Errorf("after %q the dialog is closed, or has lost the focus", label)
		}
	}
	for _, width := range []int{1280, 360} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(width, scheme)
			b.open(path)
			b.shot(fmt.Sprintf("open-page-%d-%s", width, scheme))
			stratify()
			b.shot(fmt.Sprintf("open-dialog-%d-%s", width, scheme))
			b.axe(fmt.Sprintf("dialog %d %s", width, scheme))
			b.fits("dialog")
		}
	}
	b.look(1280, "light")
	b.open(path)
	stratify()
	if got := eval[string](b, `document.activeElement.id`); got != "ds-ask-h" {
		b.Errorf("the focus is on %q", got)
	}
	answer("Keep together", "Two of the three open questions can change the result.")
	answer("Treat as missing", "One of the two open questions can change the result.")
	b.do(chromedp.KeyEvent("\x1b"))
	b.wait(`!document.querySelector('#ds-ask').open`)
	b.wait(`document.activeElement.matches('#ds-bar .btn-1')`)
	if text := b.text("#ds-facts"); !strings.Contains(text, "until you confirm") {
		b.Errorf("after Esc the file strip says %q", text)
	}
	b.open(path + "?ask=1")
	b.wait(`document.querySelector('#ds-ask').matches(':modal')`)
	b.exec(`document.querySelector('#ds-ask input[name="anyway"]').form.querySelector('button').click()`)
	b.wait(`location.pathname.startsWith('/stratify/') && document.querySelector('#r-open li')`)
	b.expectAll("404") // until that page exists
	if text := b.text("#r-open"); !strings.Contains(text, "Not answered: "+leakOpen) || strings.Contains(text, "chol") {
		b.Errorf("the live page says first: %q", text)
	}
	everyLook(b, "open-stratify", eval[string](b, `location.pathname`))
}

// TestQuestionsWithoutScripts: Stratify answers with the page with the dialog open at its top; an answer shows the
// remaining questions, and Back closes it.
func TestQuestionsWithoutScripts(t *testing.T) {
	p, b := ownTab(t)
	path := "/data/" + p.upload("leaky.csv", []byte(leakyCSV()))
	b.open(path)
	off := emulation.SetScriptExecutionDisabledParams{Value: true}
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, off); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{1280, 360} {
		b.look(width, "light")
		b.open(path)
		b.do(chromedp.Click(`#ds-bar form .btn-1`)) // without scripts the page does not change once loaded
		b.wait(`document.querySelector('#ds-ask').open && !document.querySelector('#ds-ask').matches(':modal')`)
		b.expectAll("409") // the page with the questions
		b.shot(fmt.Sprintf("open-plain-%d", width))
	}
	b.do(chromedp.Click(`#ds-ask .warn-ask .btn-1`))
	b.wait(`location.search === '?ask=1' && document.querySelector('#ds-ask h2')?.innerText.startsWith('Two of the three open questions')`)
	b.do(chromedp.Click(`#ds-ask form[method="dialog"] button`))
	b.wait(`!document.querySelector('#ds-ask').open`)
}
