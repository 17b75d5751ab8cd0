package main

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"time"
)

// costs are the most expensive requests, one at a time and many at once.
func costs() []attack {
	const want = "a refusal with a sentence, or work that can be cancelled"
	return []attack{
		{name: "runs", sent: "trees, kernels, folds, repeats, tuning, bins and splines at their limits, side by side",
			want: want, do: dearRuns},
		{name: "studies", sent: "grids of 100 models × 100 rates × 1,000,000 replicates, of 5,000,000 rows", want: want,
			do: dearStudies},
		{name: "bootstraps and audits", sent: "the most replicates, of every kind at once", want: want, do: dearChecks},
		{name: "generators", sent: "the most rows of each generator", want: want, do: dearGenerators},
		{name: "losses", sent: "a million numbers to each kind of loss, eight at a time", want: "200 or 4xx", do: dearLosses},
		{name: "pages", sent: "playground, stratify, explorer and compare at their limits, many at once, half of them left",
			want: "below 500", do: dearPages},
		{name: "comparisons and live pages",
			sent: "six large runs beside each other, fits of kernels and trees while a slider moves, " +
				"weights of a study, many at once", want: "200, 4xx or 503 with a sentence", do: dearComparisons},
		{name: "pasted tables", sent: "forms of 10 MB, and the playground’s largest points saved, many at once",
			want: "2xx, 3xx, 4xx or 503 with a sentence", do: dearForms},
		{name: "workbooks side by side", sent: "eight that each unpack to forty times their size", want: "201, 422 or 503",
			do: dearWorkbooks},
		{name: "scoring and exports", sent: "a file of many rows to score and to validate on, all exports at once",
			want: "200 or 4xx", do: dearFiles},
	}
}

// aWhile is how long an expensive computation runs before it is cancelled. No check depends on its progress.
func (s *scene) aWhile() { time.Sleep(time.Duration(s.size(5000, 200)) * time.Millisecond) }

// larger is a dataset that takes a while to fit.
func (s *scene) larger(rows int) (id string, forget func()) {
	a := s.post("/api/v1/datasets/generate", fmt.Sprintf(`{"generator":"long-servedio","rows":%d,"seed":2}`, rows))
	if a.status != http.StatusCreated {
		s.missf("no dataset: %v", a)
	}
	return made(a), func() { s.forget("datasets", a) }
}

// atOnce makes calls concurrently.
func atOnce(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// started posts specs concurrently, lets the accepted ones run for a while, and cancels them.
func (s *scene) started(list string, specs []string) {
	answers := make([]answer, len(specs))
	atOnce(len(specs), func(i int) { answers[i] = s.post("/api/v1/"+list, specs[i]) })
	s.aWhile()
	got := map[int]int{}
	for i, a := range answers {
		s.sensible(fmt.Sprintf("%.300s", specs[i]), a)
		got[a.status]++
		s.forget(list, a)
	}
	s.noteCounts(got)
}

func dearRuns(s *scene) {
	data, forget := s.larger(s.size(50_000, 2_000))
	defer forget()
	most := map[string]any{"kind": "cv", "folds": 50, "repeats": 100}
	var specs []string
	for _, model := range []map[string]any{
		{"kind": "boost", "loss": "alpha", "rounds": 10_000, "depth": 16, "theta_rule": "line-search"},
		{"kind": "kernel", "loss": "hinge", "l2": "cv", "kernel": map[string]any{"name": "rbf", "gamma": "cv"}},
		{"kind": "kernel", "loss": "logistic", "l2": "cv", "kernel": map[string]any{"name": "poly", "degree": 5}},
		{"kind": "linear", "loss": "t-logistic", "l2": "cv", "params": map[string]any{"t": 1.99}},
		{"kind": "linear", "loss": "tempered", "l2": "cv", "params": map[string]any{"t1": 0.01, "t2": 3.99}},
		{"kind": "linear", "loss": "hinge", "l2": 1e-12},
	} {
		specs = append(specs, s.spec(map[string]any{"dataset": data, "validation": most, "model": model}))
	}
	specs = append(specs, text(map[string]any{"dataset": data, "outcome": "x1", "task": "multiclass", "validation": most,
		"bins": map[string]any{"count": 50}, "seed": 1, "model": map[string]any{"kind": "kernel", "l2": "cv",
			"kernel": map[string]any{"name": "rbf", "gamma": "cv"}}}),
		s.spec(map[string]any{"dataset": data, "task": "interval", "boundaries": []any{0.2, 0.4, 0.6, 0.8},
			"validation": most, "model": map[string]any{"kind": "kernel", "loss": "interval", "l2": "cv", "solver": "smo",
				"kernel": map[string]any{"name": "rbf", "gamma": "cv"}}}))
	s.started("runs", specs)
}

func dearStudies(s *scene) {
	var models []any
	for i := range 100 {
		models = append(models, map[string]any{"kind": "boost", "loss": "alpha", "rounds": 10_000, "depth": 16,
			"params": map[string]any{"alpha": 1 + float64(i)/10}})
	}
	var rates []any
	for i := range 100 {
		rates = append(rates, float64(i)/250)
	}
	grid := func(rows, replicates int, models []any) string {
		return text(map[string]any{"dataset": map[string]any{"generator": "long-servedio", "rows": rows}, "models": models,
			"noise": map[string]any{"kind": "symmetric", "rates": rates}, "replicates": replicates, "test": 0.5, "seed": 1})
	}
	kernel := []any{map[string]any{"kind": "kernel", "loss": "hinge", "l2": "cv", "kernel": map[string]any{"name": "rbf"}}}
	s.started("studies", []string{grid(5_000_000, 1_000_000, models), grid(5_000_000, 2, models),
		grid(300, 1_000_000, models), grid(20_000, 2, kernel), grid(100_000, 10, kernel),
		`{"preset":"sypherd-fig5","size":"full","seed":1}`})
}

func dearChecks(s *scene) {
	got := map[int]int{}
	ask := func(path, body string) {
		a := s.post(path, body)
		s.sensible(path+" "+body, a)
		got[a.status]++
	}
	at := "/api/v1/runs/" + s.run
	ask(at+"/bootstrap", `{"replicates":2000}`)
	ask(at+"/audit", `{"start":true,"retune":true}`)
	ask(at+"/audit", `{"try":{"kind":"symmetric","rate":0.45,"seed":1}}`)
	s.aWhile()
	s.post(at+"/bootstrap/cancel", "")
	s.do(http.MethodPost, "/audit/"+s.run+"/cancel", "application/x-www-form-urlencoded", nil)
	s.noteCounts(got)
}

func dearGenerators(s *scene) {
	got := map[int]int{}
	for _, id := range []string{"long-servedio", "gmm", "kimes-2.3", "adni-like"} {
		for _, rows := range []int{5_000_000, s.size(500_000, 20_000)} {
			if s.short && rows > 20_000 {
				continue
			}
			a := s.post("/api/v1/datasets/generate", fmt.Sprintf(`{"generator":%q,"rows":%d,"seed":1}`, id, rows))
			s.sensible(fmt.Sprint(id, " ", rows), a)
			got[a.status]++
			s.forget("datasets", a)
		}
	}
	s.noteCounts(got)
}

func dearLosses(s *scene) {
	n := s.size(1_000_000, 100_000)
	list := func(one string, n int) string { return "[" + strings.Repeat(one+",", n-1) + one + "]" }
	bodies := []string{
		`{"loss":"tempered","params":{"t1":0.6,"t2":1.6},"margins":` + list("1", n) + `}`,
		`{"loss":"tempered","params":{"t1":0.6,"t2":1.6},"margins":` + list("1", n+1_000_000) + `}`,
		`{"loss":"al-zero-one","potentials":` + list("[1,2]", n/2) + `,"labels":` + list("1", n/2) + `}`,
		`{"loss":"al-squared","potentials":[` + list("1", 1000) + `],"labels":[1]}`,
		`{"loss":"al-cost","params":{"matrix":` + list(list("1", 100), 100) + `},"potentials":[` + list("1", 100) +
			`],"labels":[1]}`,
		`{"loss":"tempered-multiclass","potentials":` + list(list("1", 1000), n/1000) +
			`,"labels":` + list("1", n/1000) + `}`,
		`{"loss":"all-threshold","scores":` + list("1", n/2) + `,"thresholds":[1,2],"labels":` + list("1", n/2) + `}`,
	}
	answers := make([]answer, 8*s.size(len(bodies), 2))
	atOnce(len(answers), func(i int) { answers[i] = s.post("/api/v1/losses/evaluate", bodies[i%len(bodies)]) })
	got := map[int]int{}
	for i, a := range answers {
		s.sensible(fmt.Sprintf("%.100s", bodies[i%len(bodies)]), a)
		got[a.status]++
	}
	s.noteCounts(got)
}

func dearPages(s *scene) {
	data, forget := s.larger(s.size(50_000, 2_000))
	defer forget()
	pages := []string{
		"/playground?data=moons&n=1000000000&seed=%d", "/playground?data=moons&n=5000&seed=%d",
		"/playground?data=moons&n=2000&a.method=boost&a.rounds=400&a.depth=4&b.method=boost&b.rounds=400&b.depth=4&seed=%d",
		"/playground?data=moons&n=2000&a.kernel=rbf&b.kernel=poly&b.degree=5&seed=%d",
		"/playground?data=dataset:" + data + "&use=all&n=5000&a.method=al-zero-one&seed=%d",
		"/stratify/" + data + "?outcome=y&positive=1&folds=50&seed=%d",
		"/stratify/" + data + "?outcome=x1&task=multiclass&bins=50&kind=rbf&folds=50&seed=%d",
		"/stratify/" + data + "/live?outcome=y&positive=1&folds=50&l2=cv&seed=%d",
		"/?loss=al-cost&k=100&seed=%d", "/explore.csv?loss=interval&pi=" + strings.Repeat("0.5,", 98) + "0.5&seed=%d",
		"/compare?ids=" + strings.Repeat(s.run+",", 100) + "&seed=%d",
	}
	s.manyPages(pages)
}

// manyPages requests pages concurrently, each time with another number; half of the clients disconnect before the
// answer.
func (s *scene) manyPages(pages []string) {
	hurried := &http.Client{Transport: s.client.Transport, CheckRedirect: noRedirect,
		Timeout: time.Duration(s.size(2000, 100)) * time.Millisecond}
	got, mu := map[int]int{}, sync.Mutex{}
	atOnce(s.size(110, 22), func(i int) {
		client := s.client
		if i%2 == 0 { // disconnects before the answer
			client = hurried
		}
		page := fmt.Sprintf(pages[i%len(pages)], i)
		a := ask(s.ctx, client, s.base, http.MethodGet, page, "", nil)
		mu.Lock()
		defer mu.Unlock()
		if client == s.client {
			s.sensible(page, a)
		}
		got[a.status]++
	})
	s.noteCounts(got)
}

// dearComparisons requests pages that read many rows at once.
func dearComparisons(s *scene) {
	data, forget := s.larger(s.size(100_000, 5_000))
	defer forget()
	var runs []string
	for i := range 6 {
		a := s.post("/api/v1/runs", s.spec(map[string]any{"dataset": data, "seed": i}))
		if a.status != http.StatusAccepted || !until(func() bool { return s.status(made(a)) == "done" }) {
			s.missf("no run to compare: %v", a)
			return
		}
		defer s.forget("runs", a)
		runs = append(runs, made(a))
	}
	study := s.post("/api/v1/studies", text(map[string]any{"dataset": map[string]any{"generator": "long-servedio",
		"rows": s.size(50_000, 2_000)}, "replicates": 1, "seed": 1}))
	defer s.forget("studies", study)
	ids, live := "?ids="+strings.Join(runs, ","), "/stratify/"+data+"/live?outcome=y&positive=1&folds=50&l2=cv&seed=%d"
	s.manyPages([]string{"/compare" + ids + "&base=%d", "/compare.csv" + ids + "&x=%d", "/api/v1/compare" + ids + "&x=%d",
		live, live + "&kind=boost&rounds=10000&depth=16", live + "&kind=rbf",
		"/robustness?study=" + made(study) + "&model=0&x=%d",
		"/runs/" + runs[0] + "/performance?x=%d", "/report/" + runs[0] + "?counts=shown&x=%d",
		"/runs/" + runs[0] + "/group?x=%d"})
}

// dearForms sends forms of the largest size.
func dearForms(s *scene) {
	const kind = "application/x-www-form-urlencoded"
	pasted := "text=" + strings.Repeat("1%2C0%2C1%0A", s.size(900_000, 40_000))
	saved := "data=moons&which=both&a.features=rbf&b.features=rbf&n=5000&seed="
	got, mu := map[int]int{}, sync.Mutex{}
	atOnce(s.size(32, 6), func(i int) {
		path, form := "/data/paste", pasted
		if i%4 == 0 {
			path, form = "/playground/save", fmt.Sprint(saved, i)
		}
		req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.base+path, strings.NewReader(form))
		if err != nil {
			panic(err) // our addresses are valid
		}
		req.Header.Set("Content-Type", kind)
		req.Header.Set("Accept", "application/json")
		a := answered(s.client.Do(req))
		mu.Lock()
		defer mu.Unlock()
		s.sensible(path, a)
		got[a.status]++
	})
	s.noteCounts(got)
	s.clear()
}

// dearWorkbooks sends workbooks of many equal cells, which compress well.
func dearWorkbooks(s *scene) {
	sheet := book{sheet: "<sheetData>" + twoRows, repeat: `<row><c t="n"><v>1</v></c><c t="n"><v>0</v></c></row>`,
		times: s.size(1_000_000, 20_000)}.bytes()
	got, mu := map[int]int{}, sync.Mutex{}
	atOnce(8, func(i int) {
		a := s.upload(fmt.Sprintf("book%d.xlsx", i), func(w io.Writer) error {
			_, err := w.Write(sheet)
			return err
		})
		mu.Lock()
		defer mu.Unlock()
		s.sensible("a workbook", a)
		got[a.status]++
		s.forget("datasets", a)
	})
	s.noteCounts(got)
}

func dearFiles(s *scene) {
	rows := func(w io.Writer) error {
		if _, err := io.WriteString(w, s.header()+"\n"); err != nil {
			return err
		}
		return repeated(w, strings.Repeat("1,", 21)+"1\n", s.size(2_000_000, 50_000))
	}
	got, mu := map[int]int{}, sync.Mutex{}
	at := "/api/v1/runs/" + s.run
	calls := []func() answer{
		func() answer {
			r, w := io.Pipe()
			go func() { w.CloseWithError(rows(w)) }()
			defer r.Close()
			return s.do(http.MethodPost, at+"/predict", "text/csv", r)
		},
		func() answer {
			r, w := io.Pipe()
			go func() { w.CloseWithError(rows(w)) }()
			defer r.Close()
			return s.do(http.MethodPost, at+"/predict?evaluate=1", "text/csv", r)
		},
		func() answer {
			return s.form("/runs/"+s.run+"/score", func(f *multipart.Writer) error {
				part, err := f.CreateFormFile("file", "rows.csv")
				if err != nil {
					return err
				}
				return rows(part)
			})
		},
		func() answer { return s.get(at + "/rows?format=csv") },
		func() answer { return s.get(at + "/report?download=1") },
		func() answer { return s.get(at + "/model.json") },
		func() answer { return s.get(at + "/statistics?by=x1") },
		func() answer { return s.get("/runs.csv") },
		func() answer { return s.get("/api/v1/datasets/" + s.dataset + "/download") },
	}
	atOnce(len(calls)*s.size(4, 1), func(i int) {
		a := calls[i%len(calls)]()
		mu.Lock()
		defer mu.Unlock()
		s.sensible(fmt.Sprint("call ", i%len(calls)), a)
		got[a.status]++
	})
	s.noteCounts(got)
}

// header is the header of the dataset.
func (s *scene) header() string {
	var names []string
	for i := range 21 {
		names = append(names, fmt.Sprint("x", i+1))
	}
	return strings.Join(names, ",") + ",y"
}
