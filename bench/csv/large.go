package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// mostAnon is the most anonymous memory that a large file may take, whatever its size: 1 GB.
const mostAnon = 1 << 30

// large reads a file of so many bytes as an upload is read, from the file in the data folder to the described dataset,
// within the default memory of the program, and reports whether the targets are met. encoding/csv and ParseFloat read
// the first part of the same file in the same process before it.
func large(dir string, size int64) (met bool) {
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(dir, "data"), time.Now)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	debug.SetGCPercent(400) // as the program
	memory := cost.NewMemory(4 << 30)
	data := datasets.New(db, table.Limits{Bytes: size + 128<<20, Rows: 100_000_000, Columns: 2000}, memory, time.Now)
	up, err := db.NewUpload(size + 128<<20)
	if err != nil {
		log.Fatal(err)
	}
	defer up.Abort()
	part := numbers(64<<20, ',', '.', false)
	head := bytes.IndexByte(part, '\n') + 1
	out := bufio.NewWriterSize(up, 1<<20)
	for n := int64(0); n < size; n += int64(len(part)) {
		if n > 0 { // the same rows again, without the header
			part = part[head:]
			head = 0
		}
		if _, err := out.Write(part); err != nil {
			log.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
	begun, before := time.Now(), processor()
	standard(part, true)
	std, stdBusy := time.Since(begun).Seconds()/float64(len(part)), (processor()-before).Seconds()/float64(len(part))
	part = nil
	debug.FreeOSMemory()

	peak := watch()
	ctx, end := cost.WithScope(ctx, memory.Requests)
	begun, before = time.Now(), processor()
	d, err := data.Create(ctx, up, datasets.File{Name: "large", File: "large.csv"})
	if err != nil {
		log.Fatal(err)
	}
	ours := time.Since(begun).Seconds() / float64(up.Size())
	oursBusy := (processor() - before).Seconds() / float64(up.Size())
	end()
	anon, heap := peak()
	cores := float64(min(runtime.NumCPU(), 2))
	fmt.Printf("%.1f GB, %d rows: to the described dataset in %.0f s, %.1f times encoding/csv and ParseFloat by "+
		"processor time on %.0f cores, %.1f by elapsed time; ", float64(up.Size())/1e9, d.Rows, ours*float64(up.Size()),
		cores*stdBusy/oursBusy, cores, std/ours)
	fmt.Printf("anonymous memory %d MB at most (at most %d), heap %d MB\n", anon>>20, mostAnon>>20, heap>>20)
	return anon <= mostAnon
}

// watch samples the anonymous memory and the heap of the process until the function that it returns is called, which
// returns the peaks.
func watch() (peak func() (anon, heap int64)) {
	var anon, heap int64
	var done atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !done.Load() {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			anon, heap = max(anon, rssAnon()), max(heap, int64(m.HeapInuse))
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return func() (int64, int64) {
		done.Store(true)
		<-ended
		return anon, heap
	}
}

// rssAnon returns the anonymous memory of the process in bytes.
func rssAnon() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		log.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	return kb << 10
}
