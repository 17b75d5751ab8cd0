package playground

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"
)

// BenchmarkPlayground refits both models at every step, as dragging the noise rate does, and reports the median and
// the 95th percentile.
func BenchmarkPlayground(b *testing.B) {
	for _, size := range []struct{ name, query string }{{"n=300", "n=300&data=gmm"}, {"n=2000,d=21", "n=2000&data=long-servedio"}} {
		for _, h := range methods {
			b.Run(size.name+"/"+h.ID, func(b *testing.B) {
				dragged(b, size.query+"&a.method="+h.ID+"&b.method="+h.ID+"&noise=random")
			})
		}
	}
	for _, id := range []string{"logistic", "hinge", "tempered", "interval", "softmax", "al-zero-one"} {
		b.Run("kernel,n=600/"+id, func(b *testing.B) {
			dragged(b, "n=600&data=moons&noise=random&a.kernel=rbf&b.kernel=rbf&a.method="+id+"&b.method="+id)
		})
	}
	for _, id := range []string{"al-zero-one", "cs", "al-ordinal", "al-squared"} {
		b.Run("n=300,64 basis functions/"+id, func(b *testing.B) {
			dragged(b, "n=300&noise=random&data=ordinal-stripes&features=rbf&a.method="+id+"&b.method="+id)
		})
	}
	for _, id := range []string{"softmax", "al-zero-one", "al-ordinal", "cs"} {
		for _, data := range []string{"blobs", "ordinal-stripes"} {
			b.Run(data+",n=300/"+id, func(b *testing.B) {
				dragged(b, "n=300&noise=random&data="+data+"&a.method="+id+"&b.method="+id)
			})
		}
	}
}

// dragged times states that differ in the noise rate. A and B have different λ, so that no fit can be reused.
func dragged(b *testing.B, query string) {
	p := New(Config{})
	var took []float64
	for i := range b.N {
		q, err := url.ParseQuery(fmt.Sprintf("%s&rate=%.4f&b.l2=2e-4", query, .1+float64(i%200)/1000))
		if err != nil {
			b.Fatal(err)
		}
		st, bad := parse(q)
		start := time.Now()
		a, err := p.show(b.Context(), st, bad)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, float64(time.Since(start).Microseconds())/1000)
		for _, m := range a.Models.models() {
			if !m.ok() {
				b.Fatal(m.Error)
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*95/100], "p95-ms")
	b.ReportMetric(0, "ns/op")
}
