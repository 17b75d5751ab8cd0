package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/testlog"
	"taper/internal/testtime"
	"taper/testdata"
)

// canary is a text that must not be found anywhere once its column or dataset is deleted.
const canary = "zq-canary-7731"

// withNote adds a column of free text that contains the canary.
func withNote(csv string) string {
	lines := strings.Split(strings.TrimSpace(csv), "\n")
	for i := range lines {
		if i == 0 {
			lines[i] += ",note"
		} else {
			lines[i] += fmt.Sprintf(",%s text %d of it", canary, i)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// found lists the files in the data folder that contain the text.
func found(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // deleted in the meantime
			return nil
		}
		if strings.Contains(string(b), text) || strings.Contains(path, text) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// nowhere waits until no file in the data folder contains the text: a deletion may be answered before the database is
// written again.
func nowhere(t *testing.T, dir, text string) {
	t.Helper()
	testtime.Until(t, "the end of all files with "+text, func() bool { return len(found(t, dir, text)) == 0 })
}

// TestConfirm: only the columns in use are kept.
func TestConfirm(t *testing.T) {
	s, log := testServer(t, Config{})
	d := bringAnswered(t, s, withNote(trialCSV(80)))
	path := "/data/" + d.ID
	if text := plain(ask(s, "GET", path, "", browser).Body.String()); !strings.Contains(text, "stays in the data folder until you confirm") {
		t.Errorf("the page does not say where the upload is: %s", text)
	}
	if len(found(t, s.db.Dir(), canary)) == 0 {
		t.Fatal("the upload is not there before the columns are confirmed")
	}
	w := post(s, path, browser, "confirm=1")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/stratify/"+d.ID {
		t.Fatalf("%d to %q", w.Code, w.Header().Get("Location"))
	}
	nowhere(t, s.db.Dir(), canary)
	d = dataset(t, s, d.ID)
	names := func() (out []string) {
		for _, p := range d.Profiles {
			out = append(out, p.Name)
		}
		return out
	}
	if d.State != store.Kept || !slices.Equal(names(), []string{"age", "sex", "marker", "disease"}) {
		t.Errorf("%s with %v", d.State, names())
	}
	text := plain(ask(s, "GET", path, "", browser).Body.String())
	for _, want := range []string{"The uploaded file is wiped; these columns remain.", "Read as UTF-8 with commas between cells.", "4 columns of 80 rows are kept."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	for _, form := range []string{"delimiter=;", "type:age=category", "missing=m"} {
		if w := post(s, path, script, form); w.Code != 409 || !strings.Contains(w.Body.String(), "Upload it again.") {
			t.Errorf("%s: %d %s", form, w.Code, w.Body)
		}
	}
	if w := post(s, path, script, "role:age=exclude"); w.Code != 200 {
		t.Errorf("a role: %d %s", w.Code, w.Body)
	}
	if d = dataset(t, s, d.ID); d.Profiles[0].Role != table.Exclude {
		t.Errorf("age is %s", d.Profiles[0].Role)
	}
	seen := map[string]bool{}
	for _, w := range d.Warnings {
		if seen[w.Key()] {
			t.Errorf("said twice: %s", w.Message)
		}
		seen[w.Key()] = true
	}
	if w := post(s, path, browser, "confirm=1"); w.Code != 303 {
		t.Errorf("confirmed twice: %d", w.Code)
	}
	if strings.Contains(log.String(), canary) {
		t.Error("the log holds a cell")
	}
}

// TestDeleteWipes: a deletion leaves nothing, for drafts and for others.
func TestDeleteWipes(t *testing.T) {
	s, log := testServer(t, Config{})
	for name, content := range map[string]string{"raw": withNote(trialCSV(80)), "draft": withNote(trialCSV(80)) + canary + "\n", "kept": strings.ReplaceAll(trialCSV(80), ",m,", ","+canary+",")} {
		d := bring(t, s, content)
		if name == "kept" {
			post(s, "/data/"+d.ID, browser, "confirm=1")
		}
		if len(found(t, s.db.Dir(), canary)) == 0 {
			t.Fatalf("%s: nothing to wipe", name)
		}
		if text := plain(ask(s, "GET", "/data/"+d.ID+"/delete", "", browser).Body.String()); !strings.Contains(text, "wiped from this machine") {
			t.Errorf("%s: the question: %s", name, text)
		}
		if w := post(s, "/data/"+d.ID+"/delete", browser); w.Code != 303 || w.Header().Get("Location") != "/data" {
			t.Fatalf("%s: %d", name, w.Code)
		}
		nowhere(t, s.db.Dir(), canary)
		if w := ask(s, "GET", "/data/"+d.ID, "", browser); w.Code != 404 || strings.Contains(w.Body.String(), canary) {
			t.Errorf("%s: the page answers %d", name, w.Code)
		}
	}
	if strings.Contains(log.String(), canary) {
		t.Error("the log holds a cell")
	}
}

// TestDraft repairs an unreadable file in each way that the page offers.
func TestDraft(t *testing.T) {
	s, _ := testServer(t, Config{})
	ragged := trialCSV(60) + "33,m,1.5,no,extra\n" + "34,f,2.5,yes\n"
	d := bring(t, s, ragged)
	text := plain(ask(s, "GET", "/data/"+d.ID, "", browser).Body.String())
	for _, want := range []string{"Row 61 has 5 cells, expected 4.", "Skip such rows", "62 33 m 1.5 no extra 5 cells"} {
		if !strings.Contains(text, want) {
			t.Errorf("the draft does not show %q: %s", want, text)
		}
	}
	post(s, "/data/"+d.ID, script, "name=still a draft")
	if d = dataset(t, s, d.ID); d.State != store.Draft || d.Name != "still a draft" {
		t.Errorf("renamed: %s %q", d.State, d.Name)
	}
	post(s, "/data/"+d.ID, script, "bad_rows=skip")
	if d = dataset(t, s, d.ID); d.State != store.Raw || d.Rows != 61 || len(d.Dropped) != 1 {
		t.Errorf("skipped: %s, %d rows, %v", d.State, d.Rows, d.Dropped)
	}
	post(s, "/data/"+d.ID, script, "bad_rows=")
	if d = dataset(t, s, d.ID); d.State != store.Draft {
		t.Errorf("refused again: %s", d.State)
	}
	q := bring(t, s, strings.Replace(trialCSV(60), "\n31,", "\n3\"1,", 1)+"\"1,m,2,no\n")
	if q.State != store.Draft {
		t.Fatalf("an unclosed quote: %s", q.State)
	}
	post(s, "/data/"+q.ID, script, "quote=none")
	if q = dataset(t, s, q.ID); q.State != store.Raw || q.Rows != 61 {
		t.Errorf("quotes as text: %s, %d rows: %v", q.State, q.Rows, q.Problem)
	}
}

// TestReplace uploads a newer file and keeps the answers.
func TestReplace(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bringAnswered(t, s, trialCSV(60))
	post(s, "/data/"+d.ID, script, "role:sex=group")
	post(s, "/data/"+d.ID, script, "positive=no")
	w := send(t, s, "/data", "newer.csv", trialCSV(90), browser, "like="+d.ID)
	n := dataset(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/data/"))
	if n.ID == d.ID || n.Rows != 90 || n.Choice.Group != "sex" || n.Choice.Positive.String() != "no" {
		t.Errorf("%d rows, %+v", n.Rows, n.Choice)
	}
	if w := send(t, s, "/data", "newer.csv", trialCSV(90), browser, "like=d0"); w.Code != 404 {
		t.Errorf("after nothing: %d", w.Code)
	}
}

// TestHostile puts markup and formulas into every name that a file can contain.
func TestHostile(t *testing.T) {
	s, log := testServer(t, Config{})
	const evil = `</script><img src=x onerror=alert(1)>`
	var b strings.Builder
	fmt.Fprintf(&b, "\"%s age\",\"=cmd|'/c calc'!A1\",\"%s outcome\",-9 & <b>\n", evil, evil)
	for i := range 60 {
		fmt.Fprintf(&b, "%d,%s,\"%s%d\",%d\n", 30+i%40, []string{"=1+1", "@sum", "plain"}[i%3], evil, i%2, []int{-9, 4, 5, 6, 7}[i%5])
	}
	for _, content := range []string{b.String(), b.String() + "1\n"} {
		w := send(t, s, "/data", evil+".csv", content, browser, "name="+evil)
		path := w.Header().Get("Location")
		if w.Code != 303 {
			t.Fatalf("%d %s", w.Code, plain(w.Body.String()))
		}
		post(s, path, browser, "outcome="+evil+" outcome")
		for _, page := range []string{path, "/data", path + "/delete"} {
			html := ask(s, "GET", page, "", browser).Body.String()
			if strings.Contains(html, "<img") || strings.Contains(html, "<b>\"") || !strings.Contains(html, "&lt;img src=x onerror=alert(1)&gt;") {
				t.Errorf("%s shows a name as markup, or not at all", page)
			}
		}
		answer := post(s, path, script, "role:"+evil+" age=exclude").Body.String()
		if strings.Contains(answer, "<img") || strings.Contains(answer, "<") {
			t.Errorf("the parts hold markup that JSON leaves bare")
		}
		w = post(s, path, browser, "outcome="+evil)
		if html := w.Body.String(); strings.Contains(html, "<img") {
			t.Error("an error shows a name as markup")
		}
	}
	d := bring(t, s, b.String())
	post(s, "/data/"+d.ID, browser, "outcome="+evil+" outcome")
	post(s, "/data/"+d.ID, browser, "positive="+evil+"1")
	if w := post(s, "/data/"+d.ID, browser, "confirm=1", "anyway=1"); w.Code != 303 {
		t.Fatalf("%d %s", w.Code, plain(w.Body.String()))
	}
	csv := ask(s, "GET", "/api/v1/datasets/"+d.ID+"/download", "").Body.String()
	for _, bad := range []string{",=1+1", ",@sum", ",=cmd", "\n=", "\"=cmd"} {
		if strings.Contains(csv, bad) {
			t.Errorf("the download holds the formula %q", bad)
		}
	}
	if !strings.Contains(csv, "'=1+1") || !strings.Contains(csv, "-9") || strings.Contains(csv, "'-9,") {
		t.Errorf("formulas are not guarded, or numbers are: %.200s", csv)
	}
	if strings.Contains(log.String(), "onerror") || strings.Contains(log.String(), "=1+1") {
		t.Error("the log holds a name or a cell")
	}
}

// TestSamples: the samples are loaded once in the life of a data folder.
func TestSamples(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	p := start(t, dir)
	var first map[string]string
	// The first start loads them while it already serves pages.
	testtime.Until(t, "the samples", func() bool {
		first = p.list("/api/v1/datasets")
		return len(first) == len(testdata.Samples)
	})
	for _, f := range testdata.Samples {
		if first[f.File] == "" {
			t.Errorf("%s is missing", f.File)
		}
	}
	req, _ := http.NewRequest("DELETE", p.base+"/api/v1/datasets/"+first["wdbc.csv"], nil)
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != 204 {
		t.Fatalf("%v, %v", res, err)
	}
	if p.stop() != 0 {
		t.Fatal("did not stop")
	}
	// What a later start does with the samples is awaited here, since no page shows when it is done.
	db, err := store.Open(context.Background(), dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var log testlog.Log
	s, err := newServer(testConfig(dir), db, slog.New(slog.NewTextHandler(&log, nil)), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s.datasets.FirstSamples(context.Background(), s.log)
	s.close()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	p = start(t, dir)
	again := p.list("/api/v1/datasets")
	if len(again) != len(testdata.Samples)-1 || again["wdbc.csv"] != "" || again["adni-like.csv"] != first["adni-like.csv"] {
		t.Errorf("after a deletion and a start: %v\n%s", again, &log)
	}
	res, err := http.PostForm(p.base+"/data/sample", map[string][]string{"file": {"wdbc.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if back := p.list("/api/v1/datasets"); back["wdbc.csv"] == "" {
		t.Errorf("not brought back: %v", back)
	}
}

// TestSamplesAfterCrash continues after a crash between loading the first sample and recording it.
func TestSamplesAfterCrash(t *testing.T) {
	s, _ := testServer(t, Config{})
	if _, err := s.datasets.Sample(context.Background(), testdata.Samples[0]); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s.datasets.FirstSamples(context.Background(), s.log)
	}
	if _, total, err := s.db.Datasets(context.Background(), 1, 0); err != nil || total != len(testdata.Samples) {
		t.Errorf("%d samples, %v; want %d", total, err, len(testdata.Samples))
	}
}

// TestSamplesAmongData: no samples are loaded into a folder with data.
func TestSamplesAmongData(t *testing.T) {
	s, _ := testServer(t, Config{})
	bring(t, s, trialCSV(60))
	for range 2 {
		s.datasets.FirstSamples(context.Background(), s.log)
		if have, err := s.db.Samples(context.Background()); err != nil || len(have) > 0 {
			t.Fatalf("%v, %v", have, err)
		}
	}
}

// list returns the ids of a list of datasets by their file.
func (p *program) list(path string) map[string]string {
	p.t.Helper()
	res, err := http.Get(p.base + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	var body struct{ Items []struct{ ID, File string } }
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
		p.t.Fatal(err)
	}
	ids := map[string]string{}
	for _, i := range body.Items {
		ids[i.File] = i.ID
	}
	return ids
}

// TestWorkbook switches to another sheet of an Excel file.
func TestWorkbook(t *testing.T) {
	s, _ := testServer(t, Config{})
	f := excelize.NewFile()
	defer f.Close()
	if _, err := f.NewSheet("visits"); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(trialCSV(40)), "\n") {
		for j, cell := range strings.Split(line, ",") {
			name, _ := excelize.CoordinatesToCellName(j+1, i+1)
			f.SetCellStr("visits", name, cell)
			if i < 30 {
				f.SetCellStr("Sheet1", name, cell)
			}
		}
	}
	file, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	d := bring(t, s, file.String())
	if d.Rows != 29 || d.Dialect.Sheet != "Sheet1" {
		t.Fatalf("%d rows of %q", d.Rows, d.Dialect.Sheet)
	}
	for sheet, rows := range map[string]int{"visits": 40, "Sheet1": 29} {
		post(s, "/data/"+d.ID, script, "sheet="+sheet)
		if d = dataset(t, s, d.ID); d.Rows != rows || d.Dialect.Sheet != sheet {
			t.Errorf("%d rows of %q, want %d of %q", d.Rows, d.Dialect.Sheet, rows, sheet)
		}
		html := ask(s, "GET", "/data/"+d.ID, "", browser).Body.String()
		if !strings.Contains(html, `>visits</option>`) || !strings.Contains(html, `>Sheet1</option>`) {
			t.Errorf("with %s the other sheet is not offered", sheet)
		}
	}
	if w := post(s, "/data/"+d.ID, script, "sheet=none such"); w.Code != 422 {
		t.Errorf("a sheet that is not there: %d %s", w.Code, w.Body)
	}
}

// TestChangesInParallel changes many columns at the same time; no change may be lost.
func TestChangesInParallel(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, wide(30, 40))
	var wg sync.WaitGroup
	for j := range 30 {
		wg.Go(func() { post(s, "/data/"+d.ID, script, fmt.Sprintf("role:x%d=exclude", j)) })
	}
	wg.Wait()
	for _, p := range dataset(t, s, d.ID).Profiles {
		if want := table.Role("exclude"); p.Name != "y" && p.Role != want {
			t.Errorf("%s is %s", p.Name, p.Role)
		}
	}
}

// interrupted is an answer that does something once, when an answer has begun.
type interrupted struct {
	*httptest.ResponseRecorder
	once func()
}

func (w *interrupted) Write(p []byte) (int, error) {
	n, err := w.ResponseRecorder.Write(p)
	if do := w.once; do != nil {
		w.once = nil
		do()
	}
	return n, err
}

// TestDownloadOfDeleted: a download during which the file is wiped breaks off, so that nobody takes zeros for the file.
func TestDownloadOfDeleted(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, "a,b\n"+strings.Repeat("1,x\n2,y\n", 50_000))
	download := func(once func()) (w *interrupted, cut any) {
		defer func() { cut = recover() }()
		w = &interrupted{httptest.NewRecorder(), once}
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/api/v1/datasets/"+d.ID+"/download", nil))
		return w, nil
	}
	if w, cut := download(func() {}); cut != nil || int64(w.Body.Len()) != d.Bytes {
		t.Fatalf("%d of %d bytes, then %v", w.Body.Len(), d.Bytes, cut)
	}
	w, cut := download(func() {
		if del := ask(s, "DELETE", "/api/v1/datasets/"+d.ID, ""); del.Code != http.StatusNoContent {
			t.Errorf("not deleted: %d %s", del.Code, del.Body)
		}
	})
	if length := w.Header().Get("Content-Length"); cut != http.ErrAbortHandler || length != "" {
		t.Errorf("%d bytes of %s with %d zeros, ended by %v", w.Body.Len(), length, bytes.Count(w.Body.Bytes(), []byte{0}), cut)
	}
}

// TestDownloadKind: an upload is returned unchanged, with its media type and as a download.
func TestDownloadKind(t *testing.T) {
	s, _ := testServer(t, Config{})
	const text = "a,b\n1,<script>\n2,y\n"
	d := bring(t, s, text)
	w := ask(s, "GET", "/api/v1/datasets/"+d.ID+"/download", "")
	if kind, how := w.Header().Get("Content-Type"), w.Header().Get("Content-Disposition"); kind != "text/csv" ||
		!strings.HasPrefix(how, "attachment; filename=") || w.Body.String() != text {
		t.Errorf("%q, %q, %q", kind, how, w.Body)
	}
}
