package web

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"taper/testdata"
)

// BenchmarkPages requests pages as a browser without cached ones. cpu-ms is the processor time of the process with
// garbage collection, which depends less on other load than the elapsed time.
func BenchmarkPages(b *testing.B) {
	s := benchServer(b)
	data, err := s.datasets.Sample(b.Context(), testdata.Samples[0])
	if err != nil {
		b.Fatal(err)
	}
	at := "/stratify/" + data
	for _, page := range []struct {
		name    string
		address func(i int) string
	}{
		{"explorer", func(i int) string { return "/" }},
		{"help", func(i int) string { return "/help" }},
		{"playground", func(i int) string { return "/playground" }},
		{"playground, new points", func(i int) string { return fmt.Sprint("/playground?seed=", i+1) }},
		{"stratify", func(i int) string { return at }},
		{"stratify, new penalty", func(i int) string { return fmt.Sprintf("%s?l2=%g", at, .01*(1+float64(i)/1e4)) }},
		{"stratify, new folds tuned", func(i int) string { return fmt.Sprint(at, "?seed=", i+100) }},
		{"stratify, a move", func(i int) string {
			return fmt.Sprintf("%s/live?pi=%g,.5,.75&held=0.00195&drag=r-strata,density,pca,fig-density,fig-scatter", at, .1+float64(i%1000)/1e4)
		}},
		{"data", func(i int) string { return "/data" }},
		{"runs", func(i int) string { return "/runs" }},
	} {
		b.Run(page.name, func(b *testing.B) {
			i := 0
			ask(s, "GET", page.address(i), "", browser)
			before := processorTime()
			for b.Loop() {
				i++
				if w := ask(s, "GET", page.address(i), "", browser, "Accept-Encoding: gzip"); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
			b.ReportMetric(float64(processorTime()-before)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
		})
	}
}

func processorTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
