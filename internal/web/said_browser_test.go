package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// listens records each live region that is written again with the words it had: a screen reader may announce those
// again.
const listens = `window.repeated = []; window.announced = 0; (() => {
	const live = '[aria-live], [role="status"]', words = (e) => e.textContent.replace(/\s+/g, ' ').trim();
	const had = new Map([...document.querySelectorAll(live)].map((e) => [e.id || e, words(e)]));
	new MutationObserver((all) => {
		const hit = new Set();
		for (const m of all) {
			const e = m.target.nodeType === 1 ? m.target : m.target.parentElement;
			if (e?.closest(live)) hit.add(e.closest(live));
			for (const n of m.addedNodes) if (n.nodeType === 1) for (const inner of n.querySelectorAll(live)) hit.add(inner);
		}
		for (const e of hit) {
			const now = words(e);
			if (now && had.get(e.id || e) === now) window.repeated.push((e.id || e.outerHTML.slice(0, 80)) + ': ' + now);
			else window.announced++;
			had.set(e.id || e, now);
		}
	}).observe(document.body, {subtree: true, childList: true, characterData: true});
})()`

// TestPlaygroundSaysNews: after a move only live regions whose words changed are written.
func TestPlaygroundSaysNews(t *testing.T) {
	_, b := commonTab(t)
	b.open("/playground")
	b.playDrawn("/playground")
	b.exec(listens)
	for _, key := range []string{kb.ArrowRight, kb.ArrowRight, kb.ArrowLeft} {
		before := b.text("#result")
		b.steer("pg-rate", key)
		b.wait(`document.querySelector('#result').innerText !== ` + quote(before))
		b.wait(`!document.querySelector('.is-stale')`)
		b.await(twoFrames)
	}
	for _, s := range eval[[]string](b, `window.repeated`) {
		t.Errorf("announced again: %s", s)
	}
	if eval[int](b, `window.announced`) == 0 {
		t.Error("nothing was announced")
	}
}

// TestStratifySaysNews: a settled move is announced only if it changes the sentence of the page.
func TestStratifySaysNews(t *testing.T) {
	p, b := commonTab(t)
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "?l2=0.0156")
	b.drawn()
	b.exec(listens)
	b.exec(`window.answers = 0; document.getElementById('strat').addEventListener('taper:answer', (e) => { answers += e.detail.settled; })`)
	same, other := 0, 0
	for _, key := range []string{kb.ArrowRight, kb.ArrowRight, kb.ArrowLeft, kb.ArrowLeft, kb.PageDown, kb.ArrowRight, kb.ArrowRight} {
		before, answers := b.text("#result"), eval[int](b, `answers`)
		b.steer("pi3", key)
		b.wait(fmt.Sprintf(`answers > %d && !document.querySelector('.is-stale')`, answers))
		b.await(twoFrames)
		if b.text("#result") == before {
			same++
		} else {
			other++
		}
	}
	for _, s := range eval[[]string](b, `window.repeated`) {
		t.Errorf("announced again: %s", s)
	}
	if same == 0 || other == 0 || eval[int](b, `window.announced`) == 0 {
		t.Errorf("%d moves left the sentence as it was, %d changed it, %d were announced", same, other, eval[int](b, `window.announced`))
	}
}
