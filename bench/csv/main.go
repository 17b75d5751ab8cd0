// Command csv measures how fast, and in how much memory, a large numeric CSV
// becomes typed columns:
//
//	go run ./bench/csv [-mb 100] [-runs 5]
//
// Each run is its own process, so that peaks are independent. The targets are those of the README: 150 MB/s, and a
// peak of twice the file plus 8 bytes per cell.
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
	read := flag.String("read", "", "measure reading this file, once (used by the program itself)")
	std := flag.Bool("std", false, "with -read: use encoding/csv and strconv instead")
	flag.Parse()
	if *read != "" {
		once(*read, *std)
		return
	}
	dir, err := os.MkdirTemp("", "csv")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, f := range []struct {
		name string
		make func(int) []byte
	}{
		{"plain.csv", func(n int) []byte { return numbers(n, ',', '.', false) }},
		{"decimal-comma.csv", func(n int) []byte { return numbers(n, ';', ',', false) }},
		{"quoted.csv", func(n int) []byte { return numbers(n, ',', '.', true) }},
	} {
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(path, f.make(*mb<<20), 0o600); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-18s %s\n", f.name, measure(path, *runs))
		os.Remove(path)
	}
	path := filepath.Join(dir, "std.csv")
	if err := os.WriteFile(path, numbers(*mb<<20, ',', '.', false), 0o600); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%-18s %s\n", "encoding/csv", measure(path, *runs, "-std"))
}

// measure reads path in separate processes and returns the median speed and
// the largest peak.
func measure(path string, runs int, more ...string) string {
	var speed, busy, peak []float64
	for range runs {
		out, err := exec.Command(os.Args[0], append([]string{"-read", path}, more...)...).Output()
		if err != nil {
			log.Fatalf("read %s: %v", path, err)
		}
		var s, c, p float64
		if _, err := fmt.Sscan(string(out), &s, &c, &p); err != nil {
			log.Fatalf("read %q: %v", out, err)
		}
		speed, busy, peak = append(speed, s), append(busy, c), append(peak, p)
	}
	slices.Sort(speed)
	slices.Sort(busy)
	return fmt.Sprintf("%5.0f MB/s, %.2f s of processor time, peak memory %.2f of the bound", speed[len(speed)/2],
		busy[len(busy)/2], slices.Max(peak))
}

// once reads one file and prints MB/s and the peak relative to the target.
func once(path string, std bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	start, before := time.Now(), processor()
	rows := 0
	if std {
		rows = standard(data)
	} else {
		t, err := table.Read(context.Background(), data, table.Options{}, table.Limits{Bytes: 1 << 40})
		if err != nil {
			log.Fatal(err)
		}
		rows = t.Rows
	}
	seconds := time.Since(start).Seconds()
	bound := 2*len(data) + 8*columns*rows
	busy := (processor() - before).Seconds()
	fmt.Println(float64(len(data))/1e6/seconds, busy, float64(peakRSS())/float64(bound))
}

// standard reads by encoding/csv and strconv.
func standard(data []byte) int {
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord = true
	var cols [columns][]float64
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return len(cols[0])
		}
		if err != nil {
			log.Fatal(err)
		}
		for j, cell := range rec {
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
