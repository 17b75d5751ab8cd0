package web

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"mime/multipart"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// fiveMB is a clinical file of 5 MB: numbers, categories, codes for missing, a
// patient number, a date.
func fiveMB() []byte {
	var b bytes.Buffer
	b.WriteString("patient,visit,sex,site,chol,bp,age,bmi,a1,a2,a3,a4,a5,a6,disease\n")
	for i := 0; b.Len() < 5_000_000; i++ {
		fmt.Fprintf(&b, "P%06d,2024-%02d-%02d,%s,s%d,%d,%d,%d,%.1f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%s\n", i*7919%1_000_003, 1+i%12, 1+i%28,
			[]string{"m", "f"}[i%2], i%7, []int{-9, 180 + i*13%90, 200 + i*7%120, 150 + i*11%77}[min(i%20, 3)], 90+i*17%80, 20+i*31%70, 18+float64(i*7%200)/10,
			float64(i*7919%10007)/1e4, float64(i*104729%9973)/1e3, float64(i*31%997)/7, float64(i%89)/3, float64(i*17%10001)/9, float64(i*3%65537)/11, []string{"no", "no", "yes"}[i*31%3])
	}
	return b.Bytes()
}

func benchServer(b *testing.B) *Server {
	db, err := store.Open(context.Background(), filepath.Join(b.TempDir(), "data"), time.Now)
	if err != nil {
		b.Fatal(err)
	}
	s, err := newServer(Config{Listen: "127.0.0.1:8080", Limits: table.DefaultLimits}, db, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		s.close()
		db.Close()
	})
	return s
}

// BenchmarkPreview measures a request with a file of 5 MB until its page: upload, reading, checks, storing, and
// rendering. The target is 0.5 s.
func BenchmarkPreview(b *testing.B) {
	s := benchServer(b)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, _ := w.CreateFormFile("file", "five.csv")
	part.Write(fiveMB())
	w.Close()
	for b.Loop() {
		r := httptest.NewRequest("POST", "http://127.0.0.1:8080/data", bytes.NewReader(form.Bytes()))
		r.Header.Set("Content-Type", w.FormDataContentType())
		r.Header.Set("Accept", "text/html")
		got := httptest.NewRecorder()
		s.ServeHTTP(got, r)
		at := got.Header().Get("Location")
		if got.Code != 303 {
			b.Fatalf("%d %s", got.Code, got.Body)
		}
		if page := ask(s, "GET", at, "", browser); page.Code != 200 {
			b.Fatalf("%d %s", page.Code, page.Body)
		}
	}
}

// BenchmarkChange measures one answer on the page of that file.
func BenchmarkChange(b *testing.B) {
	s := benchServer(b)
	up, err := s.datasets.Upload(bytes.NewReader(fiveMB()))
	if err != nil {
		b.Fatal(err)
	}
	d, err := s.datasets.Create(context.Background(), up, datasets.File{Name: "five", File: "five.csv", Choice: store.Choice{Outcome: "disease"}})
	if err != nil {
		b.Fatal(err)
	}
	for _, test := range [][2]string{{"role:age=exclude", "role:age=predictor"}, {"decimal=,", "decimal="}, {"codes-column=chol&codes=-9", "codes-column=chol&codes="}} {
		b.Run(test[0], func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				r := ask(s, "POST", "/data/"+d.ID, test[i%2], "Content-Type: application/x-www-form-urlencoded", script)
				if r.Code != 200 {
					b.Fatalf("%d %s", r.Code, r.Body)
				}
			}
		})
	}
}
