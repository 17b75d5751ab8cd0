package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"taper/testdata"
)

// pick selects a file, as in the browser's file dialog.
func (b *tab) pick(file string) {
	b.Helper()
	abs, err := filepath.Abs(file)
	if err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(`input[type="file"][name="file"]`, []string{abs}))
	b.wait(`location.pathname.startsWith('/data/d')`)
}

// TestDataPages opens the pages of the samples, and of the files in TAPER_DATA_DIR, in every look.
func TestDataPages(t *testing.T) {
	_, b := ownTab(t)
	everyLook(b, "data", "/data")
	files := []string{"../../testdata/csv/heart-clinic-dirty.csv", "../../testdata/csv/wdbc.csv", "../../testdata/csv/adni-like.csv"}
	if dir := os.Getenv("TAPER_DATA_DIR"); dir != "" {
		more, _ := filepath.Glob(filepath.Join(dir, "*.csv"))
		files = append(files, more...)
	}
	for _, file := range files {
		b.look(1280, "light")
		b.open("/data")
		b.pick(file)
		everyLook(b, "dataset-"+filepath.Base(file), eval[string](b, `location.pathname`))
	}
}

// press clicks the button with a label in the first question that contains the words, and waits for the answer.
func (b *tab) press(words, label string) {
	b.Helper()
	before := b.text("#ds-notes")
	found := eval[bool](b, fmt.Sprintf(`(() => {
		const li = [...document.querySelectorAll('#ds-notes li')].find((li) => li.innerText.includes(%s));
		const button = li && [...li.querySelectorAll('button')].find((x) => x.innerText.trim() === %s);
		button?.click();
		return Boolean(button);
	})()`, quote(words), quote(label)))
	if !found {
		b.Fatalf("no question %q with the answer %q in:\n%s", words, label, before)
	}
	b.wait(fmt.Sprintf(`document.querySelector('#ds-notes').innerText !== %s`, quote(before)))
}

// choose selects an option of a list.
func (b *tab) choose(selector, value string) {
	b.Helper()
	before := b.text("[data-dataset]")
	if !eval[bool](b, fmt.Sprintf(`(() => {
		const s = document.querySelector(%s);
		if (!s) return false;
		s.focus();
		s.value = %s;
		s.dispatchEvent(new Event('input', {bubbles: true}));
		s.dispatchEvent(new Event('change', {bubbles: true}));
		return s.value === %[2]s;
	})()`, quote(selector), quote(value))) {
		b.Fatalf("no %s that takes %q", selector, value)
	}
	b.wait(fmt.Sprintf(`document.querySelector('[data-dataset]').innerText !== %s`, quote(before)))
}

// TestRepairByClicks uploads the dirty file and answers its questions on one page that is never reloaded.
func TestRepairByClicks(t *testing.T) {
	_, b := ownTab(t)
	b.open("/data")
	b.pick("../../testdata/csv/heart-clinic-dirty.csv")
	b.exec(`window.same = true`)
	b.repair()
	if got := b.text("#result"); got != "600 rows and 19 columns were read. Nothing needs your attention." {
		t.Errorf("result: %q", got)
	}
	if got := b.text("#ds-bar strong"); got != "disease = yes" {
		t.Errorf("bar: %q", got)
	}
	if got := b.text("#ds-bar span"); !strings.Contains(got, "556 groups in patient") {
		t.Errorf("bar: %q", got)
	}
	for _, col := range []struct{ name, missing, role string }{{"chol", "33", "predictor"}, {"trestbps", "9", "predictor"}, {"troponin", "0", "predictor"}, {"discharge_code", "0", "exclude"}, {"patient", "0", "group"}, {"disease", "0", "outcome"}} {
		got := eval[[]string](b, fmt.Sprintf(`(() => {
			const tr = [...document.querySelectorAll('.data-cols tbody tr')].find((tr) => tr.querySelector('th span span').innerText === %s);
			return [tr.querySelector('td.r').firstChild.textContent.trim(), tr.querySelector('td:last-child select').value];
		})()`, quote(col.name)))
		if got[0] != col.missing || got[1] != col.role {
			t.Errorf("%s: %s missing, role %s; want %s, %s", col.name, got[0], got[1], col.missing, col.role)
		}
	}
	b.shot("repaired-1280-light")
	b.choose("#d-decimal", ".")
	b.shot("repaired-point-1280-light")
	if got := eval[string](b, `document.activeElement.id`); got != "d-decimal" {
		t.Errorf("the focus went to %q", got)
	}
	b.choose("#d-decimal", "")
	if !eval[bool](b, `window.same === true`) {
		t.Error("the page was loaded again")
	}
}

// drop drops a file on the page.
func (b *tab) drop(name, content string) {
	b.Helper()
	b.exec(fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		data.items.add(new File([%s], %s));
		for (const type of ['dragenter', 'dragover', 'drop']) {
			document.body.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
		}
	})()`, quote(content), quote(name)))
	b.wait(`location.pathname.startsWith('/data/d') || document.querySelector('[data-problem]:not([hidden])')`)
}

// TestDataStates opens pages in special states: a draft, hostile names, a very wide file, kept columns, a failed
// upload.
func TestDataStates(t *testing.T) {
	_, b := ownTab(t)
	here := func() string { return eval[string](b, `location.pathname`) }

	b.open("/data")
	b.drop("login.csv", "<!doctype html><html><body>Sign in</body></html>")
	if got := b.text("[data-problem]"); got != "This is a web page, perhaps a login page, not a table." {
		t.Errorf("the failed upload says %q", got)
	}
	b.shot("data-failed")
	b.expectAll("422")
	lines := strings.SplitAfter(trialCSV(80), "\n")
	b.drop("ragged.csv", strings.Join(lines[:41], "")+"33,m,1.5,no,extra\n"+strings.Join(lines[41:], ""))
	if got := b.text("#ds-problem"); !strings.Contains(got, "Row 41 has 5 cells, expected 4.") {
		t.Errorf("the draft says %q", got)
	}
	everyLook(b, "draft", here())
	b.look(1280, "light")
	b.open(here())
	b.click(`#ds-problem button`)
	b.wait(`document.querySelector('#ds-bar .btn-1')`)
	if got := b.text("#result"); !strings.HasPrefix(got, "80 rows and 4 columns were read.") {
		t.Errorf("after skipping: %q", got)
	}
	b.click(`#ds-notes .btn-1`) // the outcome; its event is unambiguous
	b.wait(`document.querySelector('#ds-bar form .btn-1:not([disabled])')`)
	b.click(`#ds-bar form .btn-1`)
	b.wait(`location.pathname.startsWith('/stratify/')`)
	b.expectAll("404") // until that page exists
	kept := strings.Replace(here(), "stratify", "data", 1)
	everyLook(b, "kept", kept)

	b.look(1280, "light")
	b.open("/data")
	b.drop(`</script><img src=x onerror=document.title='hit'>.csv`, hostile())
	everyLook(b, "hostile", here())
	if got := eval[string](b, `document.title`); strings.Contains(got, "hit") && !strings.Contains(got, "onerror") {
		t.Error("a name ran")
	}
	b.look(1280, "light")
	b.open("/data")
	b.drop("wide.csv", wide(1500, 30))
	everyLook(b, "wide", here())
}

// hostile is a file whose names are markup and formulas.
func hostile() string {
	const evil = `<img src=x onerror=document.title='hit'>`
	var s strings.Builder
	fmt.Fprintf(&s, "\"%s age\",\"=cmd|'/c calc'!A1\",\"</script><script>document.title='hit'</script>\"\n", evil)
	for i := range 60 {
		fmt.Fprintf(&s, "%d,%s,\"%s%d\"\n", 30+i%40, []string{"=1+1", "@sum", "plain"}[i%3], evil, i%2)
	}
	return s.String()
}

// wide is a file of many columns.
func wide(columns, rows int) string {
	var s strings.Builder
	for j := range columns {
		fmt.Fprintf(&s, "x%d,", j)
	}
	s.WriteString("y\n")
	for i := range rows {
		for j := range columns {
			fmt.Fprintf(&s, "%d.%d,", (i*31+j*17)%97, i%10)
		}
		fmt.Fprintf(&s, "%d\n", i%2)
	}
	return s.String()
}

// TestFewClicks counts the clicks from the data to the strata of a clean file, without the file dialog, then
// deletes the data in the dialog.
func TestFewClicks(t *testing.T) {
	p, b := ownTab(t)
	b.do(chromedp.Navigate(p.base + "/data"))
	b.pick("../../testdata/csv/heart-clinic.csv") // the first click opens the dialog
	path := eval[string](b, `location.pathname`)
	b.click(`#ds-notes .btn-1`) // the second chooses the outcome
	b.wait(`document.querySelector('#ds-bar form .btn-1:not([disabled])')`)
	b.click(`#ds-bar form .btn-1`) // the third
	b.wait(`location.pathname.startsWith('/stratify/')`)
	b.expectAll("404") // until that page exists
	b.open(path)
	b.click(`.head .btn-bad`)
	b.wait(`document.querySelector('dialog').open`)
	if got := b.text("dialog p"); got != "The kept columns are wiped from this machine. This cannot be undone." {
		t.Errorf("the dialog says %q", got)
	}
	b.axe("delete dialog")
	b.click(`dialog form[method="dialog"] button`)
	b.wait(`!document.querySelector('dialog').open`)
	b.click(`.head .btn-bad`)
	b.click(`dialog .btn-bad`)
	b.wait(`location.pathname === '/data'`)
	if got := b.text("table.data-list"); strings.Contains(got, "heart-clinic.csv\nupload") || !strings.Contains(got, "Heart clinic") {
		t.Errorf("the list: %q", got)
	}
	if eval[bool](b, fmt.Sprintf(`Boolean(document.querySelector('a[href=%s]'))`, quote(path))) {
		t.Error("the deleted dataset is still listed")
	}
}

// TestDataAnswers changes the data while something else is being entered: the answer empties no field, a refused choice
// goes back, and an accepted change is shown also if the next one is refused.
func TestDataAnswers(t *testing.T) {
	p, b := ownTab(t)
	b.open("/data/" + p.upload("flowers.csv", testdata.Read("iris.csv")))
	event := eval[string](b, `[...document.querySelectorAll('.levels select')].find((s) => s.value === 'event').name`)
	change := func(name, value string) {
		b.exec(fmt.Sprintf(`(() => { const s = document.getElementsByName(%s)[0]; s.value = %s;
			s.dispatchEvent(new Event('change', {bubbles: true})); })()`, quote(name), quote(value)))
	}
	shows := func(name, want string) {
		t.Helper()
		if got := eval[string](b, fmt.Sprintf(`document.getElementsByName(%s)[0].value`, quote(name))); got != want {
			t.Errorf("%s shows %q, want %q", name, got, want)
		}
	}
	b.hold("had=")

	b.exec(`document.querySelector('[data-dataset]').dataset.stamps = '{}'`) // so that the answer has every part
	b.exec(`document.querySelectorAll('[data-dataset] details').forEach((d) => { d.open = true; })`)
	change("decimal", ".")
	b.do(chromedp.SetValue(`#ds-name`, "Flow"), keys(`#d-missing`, "-1, "))
	typed := eval[string](b, `document.querySelector('#d-missing').value`)
	b.exec(`window.old = [...document.querySelectorAll('#ds-name, #d-missing')]`)
	b.deliver(0)
	if n := eval[int](b, `old.filter((el) => !el.isConnected).length`); n != 2 {
		t.Fatalf("%d of 2 fields were replaced", n)
	}
	shows("name", "Flow")
	shows("missing", typed)
	b.do(chromedp.Blur(`#d-missing`))
	b.deliver(1)
	if got := eval[string](b, `document.querySelector('#d-missing').defaultValue`); got != typed {
		t.Errorf("the field was left with the codes %q, and the file has %q", typed, got)
	}
	change("role:sepal_length", "exclude")
	change(event, "other")
	b.deliver(2)
	b.deliver(3)
	b.expect("422")
	if got := b.text("#ds-problem"); !strings.HasPrefix(got, "One level must be the event") {
		t.Errorf("the refusal says %q", got)
	}
	shows(event, "event")
	if !eval[bool](b, `document.querySelector('[name="role:sepal_length"] [value=exclude]').defaultSelected`) {
		t.Error("the accepted change is not shown")
	}
}

// TestOutcomeFocus: the focus stays on the choice of the outcome. If it has moved on before the answer, to a control
// that the other outcome does not have, it is on the one that comes next.
func TestOutcomeFocus(t *testing.T) {
	p, b := commonTab(t)
	b.open("/data/" + p.upload("out.csv", []byte("a,b,c,d\n"+strings.Repeat("1,x,yes,p\n2,y,no,q\n3,x,yes,r\n4.5,x,no,p\n5,x,no,r\n", 20))))
	for _, c := range []struct{ key, then, outcome, at string }{
		{kb.ArrowDown, "", "d", "outcome"},
		{kb.ArrowUp, kb.Tab, "c", "positive"}, // from the levels of d
		{kb.ArrowUp, "", "b", "outcome"},
		{kb.ArrowDown, kb.Tab, "c", "positive"},              // from the event y of b
		{kb.ArrowDown, kb.Tab, "d", "Levels of the outcome"}, // from the event of c
	} {
		b.do(chromedp.Focus("#outcome"), chromedp.KeyEvent(c.key))
		if c.then != "" {
			b.do(chromedp.KeyEvent(c.then))
		}
		b.wait(`document.querySelector('#outcome option[selected]').value === ` + quote(c.outcome) + ` && !document.querySelector('.is-stale')`)
		if got := eval[string](b, `((e) => e.name || e.getAttribute('aria-label') || e.id)(document.activeElement)`); got != c.at {
			t.Errorf("the focus is on %q after the outcome %s, want %q", got, c.outcome, c.at)
		}
	}
}

// TestDatasetCutsNothing: on the page of a dataset no value of the outcome is wider than its button, and no number of
// a column’s range is broken.
func TestDatasetCutsNothing(t *testing.T) {
	p, b := commonTab(t)
	for _, name := range []string{"wdbc.csv", "heart-clinic-dirty.csv"} {
		for _, width := range []int{1280, 1000, 800, 360} {
			b.look(width, "light")
			b.open("/data/" + p.sampleID(name))
			for _, bad := range eval[[]string](b, `[
				...[...document.querySelectorAll('.out-row .seg, .out-row .seg label, #columns-box')].filter((e) => e.scrollWidth > e.clientWidth),
				...[...document.querySelectorAll('.data-cols .range')].filter((e) => e.checkVisibility() && e.textContent.includes('–')).filter((e) => {
					const ends = [...e.querySelectorAll('.nowrap')];
					return ends.length !== 2 || ends.some((end) => end.getClientRects().length !== 1);
				})].map((e) => (e.id || e.className) + ' ' + e.textContent.slice(0, 60))`) {
				t.Errorf("%s at %d px: %s", name, width, bad)
			}
			if n := eval[int](b, `[...document.querySelectorAll('.data-cols .range')].filter((e) => e.checkVisibility() && e.textContent.includes('–')).length`); width == 1280 && n < 3 {
				t.Errorf("%s: %d ranges are seen", name, n)
			}
		}
	}
}
