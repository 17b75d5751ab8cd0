package main

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// keptUnits counts the units of a job in the database of a program, which may be at work.
func keptUnits(t *testing.T, dir, job string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.Join(dir, "taper.db"),
		RawQuery: "mode=ro&_pragma=busy_timeout(5000)"}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(`SELECT count(*) FROM units WHERE job = ?`, job).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// takenUp adds up the units that the log says were taken up of a job.
func (c *coordinator) takenUp(job string) (n int) {
	lines := regexp.MustCompile(`"kept units are taken up" job=` + regexp.QuoteMeta(job) + ` stage=\d+ units=(\d+) of=`)
	for _, m := range lines.FindAllStringSubmatch(c.log.String(), -1) {
		units, err := strconv.Atoi(m[1])
		if err != nil {
			c.t.Fatal(err)
		}
		n += units
	}
	return n
}

// longRun takes some seconds on one processor, several times as long as the program waits between two commits.
const longRun = `{"dataset":"%s","outcome":"disease","positive":["present"],"model":{"loss":"alpha","params":{"alpha":2},
	"l2":"cv"},"validation":{"kind":"cv","folds":5,"repeats":6},"seed":3}`

const rows = 5000

// TestJobsAreTakenUp: the program is killed during a run, a bootstrap, an audit and a trial, without workers and with
// one that has the rows of an upload. It goes on by itself with the units that were stored, computes none of them again,
// and the results have the bits of a program that was left alone. Then nothing is left of the units.
func TestJobsAreTakenUp(t *testing.T) {
	one := coordinate(t, filepath.Join(t.TempDir(), "one"))
	w := workload{data: one.upload(clinicOf(rows)), spec: longRun, replicates: 60}
	want, _ := one.do(w)
	one.end()
	address, _ := cluster(t)
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprintf("shared %v", shared), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			var args []string
			w := workload{spec: longRun, replicates: 60}
			if shared {
				args, w.share = []string{"-queue", address}, "?share_rows="+url.QueryEscape(address)
				work(t, address)
			}
			c := coordinate(t, dir, args...)
			w.data = c.upload(clinicOf(rows))
			var run string
			killed := 0
			for i, step := range steps {
				path, id, state := c.begin(w, step, &run)
				ended := false
				for poll := 1; !ended && keptUnits(t, dir, id) < 3; poll++ {
					time.Sleep(3 * time.Millisecond)
					if poll%10 == 0 {
						var answer map[string]any
						ended = c.call("GET", path, "", &answer) && state(answer) == "done"
					}
				}
				if ended { // a short job, before the first commit or between two looks at it
					t.Logf("the %s ended before it could be killed", step)
					continue
				}
				killed++
				c.kill()
				kept := keptUnits(t, dir, id)
				c = coordinate(t, dir, args...)
				if got := c.settled(path, state); got != want[i] {
					t.Errorf("the %s has other numbers: %.300s, want %.300s", step, got, want[i])
				}
				if taken := c.takenUp(id); taken != kept {
					t.Errorf("the %s: %d of %d kept units are taken up: %s", step, taken, kept, c.log)
				}
				if log := c.log.String(); strings.Contains(log, "units of a job are not kept") {
					t.Errorf("the %s computed a kept unit again: %s", step, log)
				}
				if left := keptUnits(t, dir, id); left > 0 {
					t.Errorf("the %s left %d units", step, left)
				}
			}
			if killed == 0 {
				t.Error("no job was killed, so that this test has shown nothing: make them longer")
			}
			c.end()
		})
	}
}

// TestConsentEndsWithItsQueue: a job on an upload goes on after a restart, but its rows leave the machine only by the
// queue that their owner agreed to.
func TestConsentEndsWithItsQueue(t *testing.T) {
	agreed, _ := cluster(t)
	other, _ := cluster(t)
	dir := filepath.Join(t.TempDir(), "data")
	c := coordinate(t, dir, "-queue", agreed)
	first := work(t, agreed)
	for !strings.Contains(c.log.String(), "worker joined") {
		time.Sleep(10 * time.Millisecond)
	}
	w := workload{data: c.upload(clinicOf(rows)), spec: longRun, share: "?share_rows=" + url.QueryEscape(agreed)}
	var run string
	path, id, state := c.begin(w, "run", &run)
	for keptUnits(t, dir, id) < 3 {
		var answer map[string]any
		if c.call("GET", path, "", &answer) && state(answer) == "done" {
			t.Fatal("the run ended before it could be killed: make it longer")
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.kill()
	first.kill()
	second := work(t, other)
	c = coordinate(t, dir, "-queue", other)
	for !strings.Contains(c.log.String(), "worker joined") {
		time.Sleep(10 * time.Millisecond)
	}
	c.settled(path, state)
	if c.takenUp(id) == 0 {
		t.Errorf("no unit was taken up: %s", c.log)
	}
	if log := second.log.String(); strings.Contains(log, "rows held") {
		t.Errorf("a worker of another queue had the rows: %s", log)
	}
	second.end()
	c.end()
}
