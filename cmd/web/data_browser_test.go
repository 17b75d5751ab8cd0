package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// pick chooses a file as a person does in the dialog of the browser.
func (b *tab) pick(file string) {
	b.Helper()
	abs, err := filepath.Abs(file)
	if err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(`input[type="file"][name="file"]`, []string{abs}))
	b.wait(`location.pathname.startsWith('/data/d') && document.readyState === 'complete'`)
}

// TestDataPages opens the pages of the data in every look, with the files that
// ship and those of TAPER_DATA_DIR.
func TestDataPages(t *testing.T) {
	p := start(t, "")
	b := newTab(t, p.base)
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
