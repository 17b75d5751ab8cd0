package web

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/testdata"
)

// bundled is the bundle file of a run.
func bundled(t *testing.T, s *Server, run, query string) []byte {
	t.Helper()
	w := ask(s, "GET", "/api/v1/runs/"+run+"/bundle.zip"+query, "")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/zip" {
		t.Fatalf("%d %.300s", w.Code, w.Body)
	}
	if page := ask(s, "GET", "/runs/"+run+"/bundle.zip"+query, "", browser); !bytes.Equal(page.Body.Bytes(), w.Body.Bytes()) {
		t.Error("the page and the API give two bundles")
	}
	return w.Body.Bytes()
}

// sent sends a bundle for verification; the data are left out if nil. The text is the answer, or where it leads to.
func sent(s *Server, path string, bundle, data []byte) (code int, text []byte) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, part := range []struct {
		name string
		text []byte
	}{{"bundle", bundle}, {"data", data}} {
		if w, err := form.CreateFormFile(part.name, part.name+".bin"); err == nil {
			w.Write(part.text)
		}
	}
	form.Close()
	w := ask(s, "POST", path, body.String(), browser, "Content-Type: "+form.FormDataContentType())
	if to := w.Header().Get("Location"); to != "" {
		return w.Code, []byte(to)
	}
	return w.Code, w.Body.Bytes()
}

func verified(t *testing.T, s *Server, bundle, data []byte) (v app.Verification) {
	t.Helper()
	code, text := sent(s, "/api/v1/verifications", bundle, data)
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// rewritten is a bundle in which one part has other content.
func rewritten(t *testing.T, bundle []byte, name string, change func(string) string) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(bundle), int64(len(bundle)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, f := range z.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(from)
		if f.Name == name {
			now := change(string(text))
			if now == string(text) {
				t.Fatalf("nothing of %s was changed", name)
			}
			text = []byte(now)
		}
		w, _ := to.Create(f.Name)
		w.Write(text)
	}
	to.Close()
	return out.Bytes()
}

func replace(old, now string) func(string) string {
	return func(text string) string { return strings.Replace(text, old, now, 1) }
}

// TestVerifyKinds: every kind of run is repeated to the bit, also if the file was deleted and only its columns are
// kept, and with answers about how to read it.
func TestVerifyKinds(t *testing.T) {
	s, _ := testServer(t, Config{})
	file := testdata.Read("heart-clinic.csv")
	d := heart(t, s)
	for name, spec := range map[string]func() runspec.Spec{
		"bands": func() runspec.Spec { return heartSpec(d, "", "interval", .2, .6) },
		"tuned": func() runspec.Spec {
			q := heartSpec(d, "mine", "alpha", .2, .6)
			q.Model.Params, q.Model.L2 = map[string]any{"alpha": 4.0}, fit.L2{Mode: "cv"}
			return q
		},
		"trees": func() runspec.Spec {
			q := heartSpec(d, "", "alpha", .5)
			q.Task, q.Model = "binary", fit.Spec{Kind: "boost", Loss: "alpha", Rounds: 6}
			return q
		},
		"split with noise": func() runspec.Spec {
			q := heartSpec(d, "", "logistic", .5)
			q.Validation, q.Noise = runspec.Validation{Kind: "split", Test: .3}, runspec.Noise{Kind: "symmetric", Rate: .1}
			return q
		},
		"splines": func() runspec.Spec {
			q := heartSpec(d, "", "logistic", .5)
			q.Splines = map[string]int{"age": 4}
			return q
		},
		"classes": func() runspec.Spec {
			q := heartSpec(d, "", "softmax")
			q.Task, q.Positive = "multiclass", nil
			return q
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := trained(t, s, spec())
			v := verified(t, s, bundled(t, s, run.ID, ""), file)
			if v.Verdict != app.SameBits || v.Values < 1000 || v.Differing != 0 || v.Maker != v.Here || v.Here.Engine == "" {
				t.Errorf("%+v %+v", v, v.First)
			}
		})
	}
	t.Run("confirmed", func(t *testing.T) {
		before := trained(t, s, heartSpec(d, "", "interval", .2, .6))
		was := bundled(t, s, before.ID, "")
		if w := ask(s, "PATCH", "/api/v1/datasets/"+d.ID, `{"confirm":true}`, "Content-Type: application/json"); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if now := bundled(t, s, before.ID, ""); !bytes.Equal(was, now) {
			t.Error("the bundle of a run changes when its file is wiped")
		}
		after := trained(t, s, heartSpec(d, "", "interval", .2, .6))
		if v := verified(t, s, bundled(t, s, after.ID, ""), file); v.Verdict != app.SameBits {
			t.Errorf("%+v %+v", v, v.First)
		}
		if w := ask(s, "GET", "/runs/"+after.ID+"/bundle.zip?data=1", ""); w.Code != http.StatusConflict ||
			!strings.Contains(w.Body.String(), "wiped when its columns were confirmed") {
			t.Errorf("data of a wiped file: %d %s", w.Code, w.Body)
		}
	})
}

// TestVerifyNamesWhatDiffers: a changed number, text or row is named, in every part of the bundle.
func TestVerifyNamesWhatDiffers(t *testing.T) {
	s, _ := testServer(t, Config{})
	file := testdata.Read("heart-clinic.csv")
	run := trained(t, s, heartSpec(heart(t, s), "", "interval", .2, .6))
	bundle := bundled(t, s, run.ID, "?data=1")
	if v := verified(t, s, bundle, nil); v.Verdict != app.SameBits {
		t.Errorf("with its own data: %+v", v)
	}
	weight := regexp.MustCompile(`("weights": \[\s+)(-?[0-9.]+)`)
	for _, test := range []struct {
		name, part string
		change     func(string) string
		file, path string
		want       string // part of the message
	}{
		{"a measure", "result.json", func(text string) string {
			return regexp.MustCompile(`("auc": 0\.)\d`).ReplaceAllString(text, "${1}9")
		}, "result.json", "metrics.test.auc", "Not reproduced: metrics.test.auc of result.json is 0.9"},
		{"the last digit of a weight", "model.json", func(text string) string {
			return weight.ReplaceAllString(text, "${1}${2}1")
		}, "model.json", "weights[0]", "Not reproduced: weights[0] of model.json"},
		{"a printed number", "report.html", replace("400", "4000"), "report.html", "", "of report.html is"},
		{"a drawing", "report.html", replace("<svg ", "<svg data-x "), "report.html", "What is not text", "What is not text"},
		{"the boundaries asked for", "spec.json", replace("0.6", "0.55"), "result.json", "boundaries[1]", "boundaries[1]"},
	} {
		v := verified(t, s, rewritten(t, bundle, test.part, test.change), file)
		if v.Verdict != app.Differs || v.First == nil || v.First.File != test.file ||
			test.path != "" && v.First.Path != test.path || !strings.Contains(v.Sentence, test.want) {
			t.Errorf("%s: %+v %+v", test.name, v, v.First)
		}
	}

	// For another build, a difference in the last digit is accepted, and the message names the build.
	other := rewritten(t, bundle, "about.json", func(text string) string {
		return regexp.MustCompile(`"engine": "[^"]+"`).ReplaceAllString(text, `"engine": "0.0.9 go1.20"`)
	})
	nudged := rewritten(t, other, "model.json", func(text string) string { return weight.ReplaceAllString(text, "${1}${2}1") })
	for verdict, file := range map[string][]byte{app.SameBits: other, app.SameClose: nudged} {
		if v := verified(t, s, file, nil); v.Verdict != verdict || !strings.Contains(v.Sentence, "Another build") ||
			!strings.Contains(v.Sentence, "0.0.9 go1.20") {
			t.Errorf("another build: %+v, want %s", v, verdict)
		}
	}
	class := rewritten(t, bundle, "about.json", replace(`"class": "`, `"class": "z80 `))
	if v := verified(t, s, class, nil); !strings.Contains(v.Sentence, "Another class of processor computed the run (z80 ") {
		t.Errorf("another class: %+v", v)
	}

	row := bytes.Replace(file, []byte("\n"), []byte("\n "), 1)
	for _, test := range []struct {
		name         string
		bundle, data []byte
		code         int
		want         string
	}{
		{"a changed row", bundle, row, 409, "The data are not those of the bundle: their SHA-256 is "},
		{"a changed hash", rewritten(t, bundle, "about.json", replace(run.DatasetSHA[:8], "00000000")), file, 409, "are not those"},
		{"no data", bundled(t, s, run.ID, ""), nil, 422, "The bundle contains no data. Choose the file of the run too: ‘"},
		{"no bundle", nil, file, 422, "bundle is missing"},
		{"another file", file, file, 422, "not a complete bundle"},
		{"another column", rewritten(t, bundle, "spec.json", replace(`"outcome": "disease"`, `"outcome": "diseases"`)), file, 422,
			"diseases"},
		{"too much work", rewritten(t, bundle, "spec.json", replace(`"folds": 3`, `"folds": 3000`)), file, 422, "folds"},
	} {
		if code, text := sent(s, "/api/v1/verifications", test.bundle, test.data); code != test.code ||
			!strings.Contains(string(text), test.want) {
			t.Errorf("%s: %d %s", test.name, code, text)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.cfg.Data, "uploads", "*")); len(left) > 0 {
		t.Errorf("%v stayed", left)
	}
	for _, test := range []struct{ bundle, data []byte }{{file, nil}, {bundle, row}} {
		if code, text := sent(s, "/verify", test.bundle, test.data); code < 400 || code >= 500 ||
			!strings.Contains(string(text), `action="/verify"`) || !strings.Contains(string(text), "Nothing was compared.") {
			t.Errorf("the page of an error has no form: %d %.2000s", code, text)
		}
	}
	if code, text := sent(s, "/verify", bundle, nil); code != 200 || !strings.Contains(string(text), "Reproduced to the bit:") ||
		!strings.Contains(string(text), `class="banner banner-good"`) {
		t.Errorf("the page: %d %.2000s", code, text)
	}
}

// TestBundleRefused: runs that nobody could verify are refused with the reason.
func TestBundleRefused(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	kernel := heartSpec(d, "", "logistic", .5)
	kernel.Model.Kind, kernel.Model.Kernel = "kernel", &fit.Kernel{Name: "rbf", Gamma: .1}
	parent := trained(t, s, heartSpec(d, "", "logistic", .5))
	moved := ask(s, "POST", "/api/v1/runs/"+parent.ID+"/recalibrate", `{"intercept":0.5}`, "Content-Type: application/json")
	var child struct{ ID string }
	if err := json.Unmarshal(moved.Body.Bytes(), &child); err != nil || child.ID == "" {
		t.Fatalf("%d %s", moved.Code, moved.Body)
	}
	reviewed := heartSpec(d, "", "logistic", .5)
	reviewed.Review = &runspec.Review{Parent: parent.ID, Changes: []runspec.Relabel{{Row: 3, To: ""}}}
	relabelled := trained(t, s, reviewed)
	for _, test := range []struct{ name, run, want string }{
		{"a kernel", trained(t, s, kernel).ID, "kernel model"},
		{"a recalibrated run", child.ID, "bundle that one"},
		{"a review", relabelled.ID, "names the rows"},
		{"none", "r000", "r000"},
	} {
		if w := ask(s, "GET", "/runs/"+test.run+"/bundle.zip", ""); w.Code != 409 && w.Code != 404 ||
			!strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d %s", test.name, w.Code, w.Body)
		}
	}
	if v := verified(t, s, bundled(t, s, relabelled.ID, "?data=1"), nil); v.Verdict != app.SameBits {
		t.Errorf("a review with its data: %+v %+v", v, v.First)
	}
	raw := s.db.RawPath(d.ID)
	if err := os.Rename(raw, raw+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(raw, bytes.Replace(testdata.Read("heart-clinic.csv"), []byte("yes"), []byte("no"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if w := ask(s, "GET", "/runs/"+parent.ID+"/bundle.zip?data=1", ""); w.Code != http.StatusConflict ||
		!strings.Contains(w.Body.String(), "is not what was uploaded") {
		t.Errorf("a changed file: %d %.300q", w.Code, w.Body)
	}
	if err := os.Remove(raw); err != nil {
		t.Fatal(err)
	}
	if w := ask(s, "GET", "/runs/"+parent.ID+"/bundle.zip?data=1", ""); w.Code < 400 || w.Code >= 500 ||
		!strings.Contains(w.Body.String(), "is not in the data folder") {
		t.Errorf("a lost file: %d %.300q", w.Code, w.Body)
	}
	if err := os.Rename(raw+".away", raw); err != nil {
		t.Fatal(err)
	}
	if w := ask(s, "DELETE", "/api/v1/datasets/"+d.ID+"?models=keep", ""); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := ask(s, "GET", "/runs/"+parent.ID+"/bundle.zip", ""); w.Code != 409 || !strings.Contains(w.Body.String(), "were deleted") {
		t.Errorf("deleted data: %d %s", w.Code, w.Body)
	}
}

// TestVerifyProgress: a verification that takes longer than a page waits has a page with its progress, which can be
// cancelled and loaded again, and shows the result in the end.
func TestVerifyProgress(t *testing.T) {
	s, _ := testServer(t, Config{})
	s.app.Computations.Patience = 0
	run := trained(t, s, heartSpec(heart(t, s), "", "interval", .2, .6))
	file, data := bundled(t, s, run.ID, ""), testdata.Read("heart-clinic.csv")
	release := make(chan struct{})
	ended := make(chan error, 1)
	if err := s.app.Jobs.StartIn(app.VerifyLane, "another", 0, func(ctx context.Context, _ func(job.Progress)) error {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return nil
	}, func(err error) { ended <- err }); err != nil {
		t.Fatal(err)
	}
	begin := func() string {
		t.Helper()
		code, text := sent(s, "/verify", file, data)
		if code != http.StatusSeeOther {
			t.Fatalf("%d %s", code, text)
		}
		return strings.TrimPrefix(string(text), "/verify/")
	}
	page := func(id string, wants ...string) {
		t.Helper()
		w := ask(s, "GET", "/verify/"+id, "", browser)
		for _, want := range wants {
			if !strings.Contains(w.Body.String(), want) || w.Code != http.StatusOK {
				t.Errorf("%d, without %q: %s", w.Code, want, plain(w.Body.String()))
			}
		}
	}
	first, second := begin(), begin()
	for _, id := range []string{first, second} {
		page(id, `data-live-poll="/jobs/`+id+`/live"`, "Waiting for the verification before it", `action="/verify/`+id+`/cancel"`)
	}
	if w := ask(s, "POST", "/verify/"+first+"/cancel", "", formPost); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	page(first, "Cancelled.", `name="bundle"`)
	if w := ask(s, "POST", "/verify/"+first+"/cancel", "", formPost); w.Code != http.StatusConflict {
		t.Errorf("cancelled twice: %d %s", w.Code, w.Body)
	}
	states, err := s.app.Jobs.Watch(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	close(release)
	<-ended
	var last job.Event
	for last = range states {
	}
	if last.State != job.Done || last.Progress.Fraction == 0 || last.Progress.Message == "" {
		t.Errorf("the fit did not report: %+v", last)
	}
	page(second, "Reproduced to the bit", run.ID, `name="bundle"`)
	if live := ask(s, "GET", "/jobs/"+second+"/live", ""); !strings.Contains(live.Body.String(), `"ended":true`) {
		t.Errorf("a page that follows it is not told to load its result: %s", live.Body)
	}

	// What fails after the page waited is said on its page, with its status.
	_, text := sent(s, "/verify", []byte("no bundle"), nil)
	broken := strings.TrimPrefix(string(text), "/verify/")
	if states, err = s.app.Jobs.Watch(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	for range states {
	}
	if w := ask(s, "GET", "/verify/"+broken, "", browser); w.Code != 422 {
		t.Errorf("no bundle: %d %s", w.Code, plain(w.Body.String()))
	}
	if w := ask(s, "GET", "/verify/verify-other", "", browser); w.Code != 404 || !strings.Contains(w.Body.String(), "Verify the bundle again") {
		t.Errorf("an unknown one: %d %s", w.Code, plain(w.Body.String()))
	}
}

// TestBundleTellsNoRow: no part of a bundle contains a rare level, its counts, or the file itself.
func TestBundleTellsNoRow(t *testing.T) {
	s, _ := testServer(t, Config{})
	var rare strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(string(testdata.Read("heart-clinic.csv"))), "\n") {
		where := "town"
		switch {
		case i == 0:
			where = "place"
		case i%100 == 1:
			where = "Kleinkleckersdorf"
		}
		rare.WriteString(where + "," + line + "\n")
	}
	run := trained(t, s, heartSpec(bringAnswered(t, s, rare.String()), "", "interval", .2, .6))
	bundle := bundled(t, s, run.ID, "")
	if v := verified(t, s, bundle, []byte(rare.String())); v.Verdict != app.SameBits {
		t.Errorf("%+v %+v", v, v.First)
	}
	z, err := zip.NewReader(bytes.NewReader(bundle), int64(len(bundle)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := io.ReadAll(from); bytes.Contains(text, []byte("Kleinkleckersdorf")) || f.Name == "data" {
			t.Errorf("%s tells of single rows", f.Name)
		}
	}
}

// classEnv makes the test process a server with other processor features, for which Go's mathematics takes another
// path.
const classEnv = "TAPER_TEST_CLASS_BUNDLE"

// TestVerifyOtherClass: a bundle is verified by a process with other processor features.
func TestVerifyOtherClass(t *testing.T) {
	if dir := os.Getenv(classEnv); dir != "" {
		s, _ := testServer(t, Config{})
		bundle, err := os.ReadFile(filepath.Join(dir, "b.zip"))
		if err != nil {
			t.Fatal(err)
		}
		v := verified(t, s, bundle, testdata.Read("heart-clinic.csv"))
		if v.Verdict != app.SameClose && v.Verdict != app.SameBits || v.Maker.Class == v.Here.Class ||
			!strings.Contains(v.Sentence, "Another class of processor") {
			t.Errorf("%+v %+v", v, v.First)
		}
		return
	}
	s, _ := testServer(t, Config{})
	q := heartSpec(heart(t, s), "", "tempered", .2, .6)
	q.Model.Params = map[string]any{"t1": .8, "t2": 1.4}
	run := trained(t, s, q)
	if !strings.HasSuffix(run.Result.Maker.Class, "+fma") {
		t.Skip("This processor has no fused multiply-add, so another class of processor cannot be simulated on it.")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b.zip"), bundled(t, s, run.ID, ""), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], "-test.run", "^TestVerifyOtherClass$", "-test.v")
	c.Env = append(os.Environ(), classEnv+"="+dir, "GODEBUG=cpu.fma=off")
	if out, err := c.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS: TestVerifyOtherClass")) {
		t.Errorf("%v\n%s", err, out)
	}
}
