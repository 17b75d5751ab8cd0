// Command csv measures how fast a large numeric CSV becomes typed columns, beside encoding/csv with ReuseRecord,
// whose cells strconv.ParseFloat reads and append collects, and beside encoding/csv alone:
//
//	go run ./bench/csv [-mb 100] [-runs 5]
//	go run ./bench/csv -gb 5 [-dir FOLDER]
//
// Each run is a process of its own, so that peaks are independent, and the three take turns. It fails where a file
// is read less than four times as fast on two cores as by encoding/csv and ParseFloat, on one: where it takes more
// than half of the processor time per byte, since other work on the machine changes what elapsed time compares. The
// peak of memory must stay below twice the file plus 8 bytes per cell.
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"taper/internal/engine/table"
)

const columns = 42

func main() {
	log.SetFlags(0)
	mb := flag.Int("mb", 100, "size of the file in MB")
	runs := flag.Int("runs", 5, "processes to measure")
	gb := flag.Float64("gb", 0, "read one file of so many GB as an upload is read, instead")
	folder := flag.String("dir", "", "where the files are made; else the folder for temporary files")
	read := flag.String("read", "", "measure reading this file, once (used by the program itself)")
	std := flag.String("std", "", "with -read: use encoding/csv instead, to parse or only to split")
	flag.Parse()
	if *read != "" {
		once(*read, *std)
		return
	}
	dir, err := os.MkdirTemp(*folder, "csv")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if *gb > 0 {
		if !large(dir, int64(*gb*1e9)) {
			defer os.Exit(1) // after the folder is removed
		}
		return
	}
	for _, f := range []struct {
		name string
		make func(int) []byte
	}{
		{"plain", func(n int) []byte { return numbers(n, ',', '.', false) }},
		{"decimal commas", func(n int) []byte { return numbers(n, ';', ',', false) }},
		{"quoted", func(n int) []byte { return numbers(n, ',', '.', true) }},
	} {
		path := filepath.Join(dir, "numbers.csv")
		if err := os.WriteFile(path, f.make(*mb<<20), 0o600); err != nil {
			log.Fatal(err)
		}
		if !compare(f.name, path, *runs) {
			defer os.Exit(1) // after the folder is removed
		}
	}
}

// least is how many times as fast as encoding/csv and ParseFloat a file must be read, on two cores.
const least = 4

// compare reads a file by every reader in turn, prints what the medians are, and reports whether the targets are met.
func compare(name, path string, runs int) (met bool) {
	const ours, parsing, splitting = 0, 1, 2
	var elapsed, busy [3][]float64
	peak := 0.0
	for range runs {
		for k, more := range [][]string{{}, {"-std", "parse"}, {"-std", "split"}} {
			out, err := exec.Command(os.Args[0], append([]string{"-read", path}, more...)...).Output()
			if err != nil {
				log.Fatalf("read %s: %v", path, err)
			}
			var e, b, p float64
			if _, err := fmt.Sscan(string(out), &e, &b, &p); err != nil {
				log.Fatalf("read %q: %v", out, err)
			}
			elapsed[k], busy[k] = append(elapsed[k], e), append(busy[k], b)
			if k == ours {
				peak = max(peak, p)
			}
		}
	}
	ratio := func(v [3][]float64, peer int) float64 { return median(v[peer]) / median(v[ours]) }
	cores := float64(min(runtime.NumCPU(), 2))
	fmt.Printf("%-15s %.1f times encoding/csv and ParseFloat by processor time on %.0f cores (at least %d), ", name,
		cores*ratio(busy, parsing), cores, least)
	fmt.Printf("%.1f by elapsed time; %.1f and %.1f times encoding/csv alone; peak memory %.2f of the bound\n",
		ratio(elapsed, parsing), cores*ratio(busy, splitting), ratio(elapsed, splitting), peak)
	return cores*ratio(busy, parsing) >= least && peak < 1
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// once reads one file and prints seconds, seconds of processor time, and the peak relative to the bound.
func once(path, std string) {
	data, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	start, before := time.Now(), processor()
	rows := 0
	if std != "" {
		rows = standard(data, std == "parse")
	} else {
		t, err := table.Read(context.Background(), data, table.Options{}, table.Limits{Bytes: 1 << 40, Rows: 1 << 30})
		if err != nil {
			log.Fatal(err)
		}
		rows = t.Rows
	}
	bound := 2*len(data) + 8*columns*rows
	fmt.Println(time.Since(start).Seconds(), (processor() - before).Seconds(), float64(peakRSS())/float64(bound))
}

// standard reads by encoding/csv and, where asked to, strconv.
func standard(data []byte, parse bool) (rows int) {
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord = true
	if bytes.IndexByte(data, ';') >= 0 {
		r.Comma = ';'
	}
	var cols [columns][]float64
	for ; ; rows++ {
		rec, err := r.Read()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			log.Fatal(err)
		}
		if !parse {
			continue
		}
		for j, cell := range rec {
			if r.Comma == ';' {
				cell = strings.Replace(cell, ",", ".", 1)
			}
			v, _ := strconv.ParseFloat(cell, 64)
			cols[j] = append(cols[j], v)
		}
	}
}

// processor returns the time that the process has spent on all processors.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakRSS returns the process's largest resident size in bytes.
func peakRSS() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		log.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		log.Fatal(err)
	}
	return kb << 10
}

// numbers makes a file of about size bytes: measurements of one to five
// decimals, counts and 0/1, 3 % of the cells empty.
func numbers(size int, delim, mark byte, quoted bool) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, size+4096)
	for j := range columns {
		if j > 0 {
			b = append(b, delim)
		}
		b = fmt.Appendf(b, "x%d", j+1)
	}
	b = append(b, '\n')
	for len(b) < size {
		for j := range columns {
			if j > 0 {
				b = append(b, delim)
			}
			if quoted {
				b = append(b, '"')
			}
			b = cell(b, rng, j, mark)
			if quoted {
				b = append(b, '"')
			}
		}
		b = append(b, '\n')
	}
	return b
}

func cell(b []byte, rng *rand.Rand, j int, mark byte) []byte {
	start := len(b)
	switch {
	case rng.IntN(100) < 3:
	case j%14 == 0:
		b = strconv.AppendInt(b, int64(rng.IntN(2)), 10)
	case j%7 == 0:
		b = strconv.AppendInt(b, int64(rng.IntN(100000)), 10)
	default:
		b = strconv.AppendFloat(b, rng.NormFloat64()*100, 'f', 1+j%5, 64)
	}
	if i := bytes.IndexByte(b[start:], '.'); i >= 0 {
		b[start+i] = mark
	}
	return b
}
