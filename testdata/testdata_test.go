package testdata_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/csv"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"taper/internal/engine/synth"
	"taper/testdata"
)

var update = flag.Bool("update", false, "write the simulated samples again")

func adniLike() ([]byte, error) {
	t, _, err := synth.Generate("adni-like", 0, testdata.Seed, nil)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = synth.WriteCSV(&b, t)
	return b.Bytes(), err
}

// The simulated files are what their generators give.
func TestSimulatedSamplesRepeat(t *testing.T) {
	for file, generate := range map[string]func() ([]byte, error){
		"adni-like.csv":          adniLike,
		"heart-clinic.csv":       func() ([]byte, error) { return heartClinic(testdata.Seed) },
		"heart-clinic-dirty.csv": func() ([]byte, error) { return heartClinicDirty(testdata.Seed) },
	} {
		want, err := generate()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile("csv/"+file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !bytes.Equal(testdata.Read(file), want) {
			t.Errorf("%s is not what its generator gives; run go test ./testdata -update", file)
		}
	}
}

// TestPackedSamples: samples.zip holds the files of csv/ and nothing else. With -update it is written again, after the
// simulated files.
func TestPackedSamples(t *testing.T) {
	paths, err := filepath.Glob("csv/*.csv")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	if *update {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(to, flate.BestCompression)
		})
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			part, err := w.CreateHeader(&zip.FileHeader{Name: filepath.Base(path), Method: zip.Deflate})
			if err == nil {
				_, err = part.Write(text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("samples.zip", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	packed, err := zip.OpenReader("samples.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	if len(packed.File) != len(paths) {
		t.Errorf("%d files in samples.zip and %d in csv/; run go test ./testdata -update", len(packed.File), len(paths))
	}
	for _, path := range paths {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(testdata.Read(filepath.Base(path)), want) {
			t.Errorf("samples.zip has another %s; run go test ./testdata -update", path)
		}
	}
}

// 212 malignant and 357 benign of 569 with 30 features: the description that
// comes with the data.
func TestBreastCancerIsWhole(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(testdata.Read("wdbc.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, row := range rows[1:] {
		count[row[30]]++
	}
	if len(rows) != 570 || len(rows[0]) != 31 || count["malignant"] != 212 || count["benign"] != 357 {
		t.Errorf("%d lines of %d cells, outcomes %v", len(rows), len(rows[0]), count)
	}
	if rows[1][0] != "17.99" || rows[569][0] != "7.76" || rows[1][29] != "0.1189" {
		t.Errorf("first and last radius %s and %s", rows[1][0], rows[569][0])
	}
}

func TestEverySampleNamesItsOutcomeSourceAndLicence(t *testing.T) {
	entries, err := os.ReadDir("csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "README.md" || e.Name() == "iris.csv" { // the latter for tests and studies
			continue
		}
		i := slices.IndexFunc(testdata.Samples, func(s testdata.Sample) bool { return s.File == e.Name() })
		if i < 0 {
			t.Errorf("%s is not listed", e.Name())
			continue
		}
		s := testdata.Samples[i]
		b := testdata.Read(s.File)
		if s.Source == "" || s.Licence == "" || !bytes.Contains(b, []byte(s.Outcome)) || !bytes.Contains(b, []byte(s.Positive)) {
			t.Errorf("%s lacks a source, a licence, or its outcome %s = %s", s.File, s.Outcome, s.Positive)
		}
	}
}
