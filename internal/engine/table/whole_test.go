package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/engine/usererr"
	"taper/testdata"
)

// clinic makes a file with everything in it: quoted line breaks, blank lines,
// few and many levels, odd texts, several codes for missing, ragged rows.
func clinic(rows int, ragged bool) []byte {
	rng := rand.New(rand.NewPCG(7, 8))
	var b bytes.Buffer
	b.WriteString("patient;crp;sex;grade;note;visit;site;odd\r\n")
	for i := range rows {
		fmt.Fprintf(&b, "P%05d;%d,%02d;%s;", i/2, rng.IntN(300), rng.IntN(100), []string{"m", "f", " m", "NA", ""}[rng.IntN(5)])
		if rng.IntN(40) == 0 {
			b.WriteString("<1")
		} else {
			fmt.Fprint(&b, rng.IntN(4))
		}
		fmt.Fprintf(&b, ";\"seen; in \"\"%d\"\"\r\nand %d\";%02d.%02d.2024;site %d;", rng.IntN(9), rng.IntN(rows), 1+rng.IntN(28), 1+rng.IntN(12), rng.IntN(60))
		if i > rows/2 {
			fmt.Fprintf(&b, "x%d", i)
		} else {
			fmt.Fprint(&b, i)
		}
		b.WriteString("\r\n")
		switch {
		case rng.IntN(50) == 0:
			b.WriteString("\r\n")
		case ragged && rng.IntN(100) == 0:
			b.WriteString("1;2\r\n")
		}
	}
	return b.Bytes()
}

// TestChunksDoNotShow holds that the result is the same however the file is
// cut and however many processors there are.
func TestChunksDoNotShow(t *testing.T) {
	for _, ragged := range []bool{false, true} {
		data := clinic(1200, ragged)
		opt := Options{}
		if ragged {
			opt.Dialect.BadRows = "skip"
		}
		whole, err := read(context.Background(), data, opt, Limits{}, len(data))
		if err != nil {
			t.Fatal(err)
		}
		checkTable(t, whole)
		if whole.Rows != 1200 {
			t.Fatalf("%d rows", whole.Rows)
		}
		for _, size := range []int{100, 999, 10000, len(data) / 2} {
			for _, procs := range []int{1, 3} {
				old := runtime.GOMAXPROCS(procs)
				parts, err := read(context.Background(), data, opt, Limits{}, size)
				runtime.GOMAXPROCS(old)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(whole, parts, cmpopts.EquateNaNs()); d != "" {
					t.Fatalf("pieces of %d on %d processors: %s", size, procs, d)
				}
			}
		}
	}
}

// TestFirstFaultIsFound holds that the error names the first bad record
// wherever the file is cut, with quotes around it that mislead the cutting.
func TestFirstFaultIsFound(t *testing.T) {
	for _, fault := range []string{"P1;1\r\n", "P1;1;5' 10\";2;n;d;s;o\r\n", "P1;1;m;2;\"open;01.01.2024;s;o\r\n"} {
		lines := bytes.SplitAfter(clinic(500, false), []byte("2024;"))
		at := 300
		for !bytes.Contains(lines[at], []byte("\r\nP")) {
			at++
		}
		// insert the fault between two records
		i := bytes.Index(lines[at], []byte("\r\nP")) + 2
		head := append(bytes.Join(lines[:at], nil), lines[at][:i]...)
		data := append(append(bytes.Clone(head), fault...), append(bytes.Clone(lines[at][i:]), bytes.Join(lines[at+1:], nil)...)...)
		_, want := read(context.Background(), data, Options{}, Limits{}, len(data))
		e, ok := usererr.As(want)
		if !ok || e.Row == 0 {
			t.Fatalf("%q: %v", fault, want)
		}
		for _, size := range []int{64, 1000, 5000} {
			if _, err := read(context.Background(), data, Options{}, Limits{}, size); err == nil || err.Error() != want.Error() {
				t.Errorf("%q in pieces of %d: %v, want %v", fault, size, err, want)
			}
		}
	}
}

func TestReadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, clinic(3000, false), Options{}, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestReadIsBounded feeds files that are made to take much memory, and looks
// at what was allocated in all.
func TestReadIsBounded(t *testing.T) {
	wide := strings.Repeat("a,", 1999) + "a\n"
	const mb = 1 << 20
	for _, c := range []struct {
		name string
		file string
		code usererr.Code
		most uint64
	}{
		{"one long line", strings.Repeat("x", 30*mb), usererr.TooLarge, 40 * mb},
		{"one long quoted cell", "a,b\n1,\"" + strings.Repeat("x", 30*mb) + "\"\n", usererr.TooLarge, 40 * mb},
		{"ten million columns", strings.Repeat("a,", 10*mb) + "\n", usererr.TooLarge, 20 * mb},
		{"ten million cells in a row", "a,b\n1,2\n" + strings.Repeat("1,", 10*mb) + "\n", usererr.Invalid, 40 * mb},
		{"blank lines under a wide header", wide + strings.Repeat("\n", 4*mb) + strings.Repeat("1,", 1999) + "1\n", "", 60 * mb},
		{"short lines under a wide header", wide + strings.Repeat("1,1\n", 2*mb), usererr.Invalid, 60 * mb},
		{"quotes alone", "a,b\n" + strings.Repeat("\"", 20*mb), usererr.TooLarge, 80 * mb},
	} {
		data := []byte(c.file)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(context.Background(), data, Options{}, Limits{})
		runtime.ReadMemStats(&after)
		if c.code == "" && err != nil || c.code != "" && !usererr.Is(err, c.code) {
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > c.most {
			t.Errorf("%s: allocated %d MB, at most %d", c.name, used/mb, c.most/mb)
		}
	}
}

// real returns a file of clinical data, or skips.
func real(t *testing.T, name string) []byte {
	t.Helper()
	dir := os.Getenv("TAPER_DATA_DIR")
	if dir == "" {
		dir = "../../../../shared/data"
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Skipf("no real data: %v", err)
	}
	return data
}

// types are the types of a table's columns, one letter each.
func types(tab *Table) (got string) {
	for _, col := range tab.Columns {
		got += map[Type]string{Identifier: "#", Integer: "i", Number: "n", Boolean: "b", Category: "c", Date: "d", Text: "t", Constant: "-"}[col.Type]
	}
	return got
}

// The files that ship, which every machine has.
func TestShippedFiles(t *testing.T) {
	for _, c := range []struct {
		file  string
		rows  int
		types string
	}{
		{"iris.csv", 150, "nnnnc"},
		{"wdbc.csv", 569, strings.Repeat("n", 30) + "b"},
		{"adni-like.csv", 804, strings.Repeat("n", 93) + "c"},
		{"heart-clinic.csv", 556, "ibiiiibibnnbb"},
		{"heart-clinic-dirty.csv", 600, "#d-ibiiiibibninctbb"},
	} {
		t.Run(c.file, func(t *testing.T) {
			tab := mustRead(t, string(testdata.Read(c.file)), Options{})
			checkTable(t, tab)
			if got := types(tab); tab.Rows != c.rows || got != c.types {
				t.Errorf("%d rows, types %s, want %d, %s", tab.Rows, got, c.rows, c.types)
			}
		})
	}
}

func TestRealFiles(t *testing.T) {
	for _, c := range []struct {
		file  string
		rows  int
		types string // one letter a column, see below
	}{
		{"biopsy.csv", 699, "##iiiiiiiiib"},
		{"pima.csv", 768, "iiiiinnib"},
		{"pbc.csv", 418, "##iiinbbbbnnininniini"},
		{"heart-hungarian.csv", 294, "ibiiibiibni-ib"},
		{"iris.csv", 150, "nnnnc"},
		{"glass.csv", 214, "nnnnnnnnni"},
		{"housing.csv", 506, "nnnbnnnniinnnn"},
	} {
		t.Run(c.file, func(t *testing.T) {
			tab := mustRead(t, string(real(t, c.file)), Options{})
			checkTable(t, tab)
			if got := types(tab); tab.Rows != c.rows || got != c.types || len(tab.Warnings) > 0 {
				t.Errorf("%d rows, types %s, want %d, %s; %+v", tab.Rows, got, c.rows, c.types, tab.Warnings)
			}
		})
	}
	tab := mustRead(t, string(real(t, "pbc.csv")), Options{})
	if chol := tab.Column("chol"); chol.Missing != 134 || chol.Num[0] != 261 || !math.IsNaN(chol.Num[39]) && chol.Num[39] <= 0 {
		t.Errorf("chol: %d missing, %v", chol.Missing, chol.Num[:3])
	}
}
