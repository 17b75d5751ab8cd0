package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"taper/internal/machine"
	"taper/internal/testlog"
	"taper/internal/testtime"
)

// settled waits for a job of a run whose state is in an answer of the API, and returns that answer.
func (c *coordinator) settled(path string, state func(answer map[string]any) any) string {
	c.t.Helper()
	for {
		if text, ok := c.answer(path, state); ok {
			return text
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// answer is that of the API about a job of a run, once the job is done, without what differs between two starts of a
// program: ids, times and durations.
func (c *coordinator) answer(path string, state func(answer map[string]any) any) (text string, done bool) {
	c.t.Helper()
	var answer map[string]any
	if !c.call("GET", path, "", &answer) {
		c.t.Fatalf("nobody answers: %s", c.log)
	}
	switch state(answer) {
	case "failed", "cancelled", "interrupted":
		c.t.Fatalf("%s: %v %s", path, answer["error"], c.log)
	case "done":
		forget(answer)
		text, err := json.MarshalIndent(answer, "", " ")
		if err != nil {
			c.t.Fatal(err)
		}
		return string(text), true
	}
	return "", false
}

// givenUp reports whether a job failed because the program was killed each time before it got further. That is as it
// should be where somebody kills at random; whoever does begins the job again.
func (c *coordinator) givenUp(path string) bool {
	c.t.Helper()
	var answer map[string]any
	return c.call("GET", path, "", &answer) &&
		strings.Contains(fmt.Sprint(answer), "times in a row while it worked on this")
}

// forget removes the fields about when and where something was computed.
func forget(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"id", "run", "dataset", "created", "finished", "elapsed_s", "seconds", "audited",
			"made", "progress", "name"} {
			delete(v, key)
		}
		for _, inner := range v {
			forget(inner)
		}
	case []any:
		for _, inner := range v {
			forget(inner)
		}
	}
}

func status(answer map[string]any) any { return answer["status"] }

// found is the state of a part of an audit: done if it exists and its job has ended.
func found(part string) func(map[string]any) any {
	return func(answer map[string]any) any {
		list, is := answer[part].([]any)
		at := answer["status"]
		if answer[part] == nil || is && len(list) == 0 || at == "running" || at == "queued" {
			return "running"
		}
		return "done"
	}
}

// workload is a run with a bootstrap, an audit and a trial; share is the parameter about sharing rows.
type workload struct {
	data, spec, share string
	replicates        int // of the bootstrap
}

// steps are the jobs of a workload.
var steps = [4]string{"run", "bootstrap", "audit", "trial"}

// do computes the workload and returns the API's answers.
func (c *coordinator) do(w workload) (all [4]string, run string) {
	c.t.Helper()
	for i, step := range steps {
		path, _, state := c.begin(w, step, &run)
		all[i] = c.settled(path, state)
	}
	return all, run
}

// begin starts a job of the workload: the run, whose id it stores, or another one on it. It returns where its state is
// read and how, and its id.
func (c *coordinator) begin(w workload, step string, run *string) (path, id string, state func(map[string]any) any) {
	c.t.Helper()
	var made struct{ ID string }
	post := func(path, body string) {
		c.t.Helper()
		if !c.call("POST", path+w.share, body, &made) {
			c.t.Fatalf("nobody answers: %s", c.log)
		}
	}
	if step == "run" {
		post("/api/v1/runs", fmt.Sprintf(w.spec, w.data))
		*run = made.ID
	}
	path = "/api/v1/runs/" + *run
	switch step {
	case "bootstrap":
		post(path+"/bootstrap", fmt.Sprintf(`{"replicates":%d,"seed":4}`, max(w.replicates, 20)))
		return path + "/bootstrap", *run + ".bootstrap", status
	case "audit":
		post(path+"/audit", `{"start":true,"retune":true}`)
		return path + "/audit", "audit-" + *run, found("audit")
	case "trial":
		post(path+"/audit", `{"try":{"kind":"symmetric","rate":0.1,"seed":2}}`)
		return path + "/audit", "trial-" + *run, found("trials")
	}
	return path, *run, status
}

// generated is a dataset that a generator made.
func (c *coordinator) generated() string {
	c.t.Helper()
	var d struct{ ID string }
	if !c.call("POST", "/api/v1/datasets/generate", `{"generator":"moons","rows":240,"seed":5}`, &d) {
		c.t.Fatal("nobody answers")
	}
	return d.ID
}

// sharedRun has repeats, nested tuning, and a loss that down-weights rows.
const sharedRun = `{"dataset":"%s","outcome":"y","positive":["1"],"model":{"loss":"alpha","params":{"alpha":2},
	"l2":"cv"},"validation":{"kind":"cv","folds":5,"repeats":2},"seed":3}`

// TestReachJobs: a run with repeats and nested tuning, its bootstrap, its audit and a trial have the same bits on
// two machines as in one process, and the machines computed them.
func TestReachJobs(t *testing.T) {
	one := coordinate(t, filepath.Join(t.TempDir(), "one"))
	want, _ := one.do(workload{data: one.generated(), spec: sharedRun})
	one.end()
	c := coordinate(t, filepath.Join(t.TempDir(), "data"), "-workers", "127.0.0.1:0")
	queue := c.queue()
	workers := []*process{work(t, queue), work(t, queue)}
	for n := 0; n < 2; n = strings.Count(c.log.String(), "worker joined") {
		time.Sleep(20 * time.Millisecond)
	}
	got, run := c.do(workload{data: c.generated(), spec: sharedRun})
	for i, what := range []string{"the run", "the bootstrap", "the audit", "the trial"} {
		if got[i] != want[i] {
			at := 0
			for at < len(got[i]) && at < len(want[i]) && got[i][at] == want[i][at] {
				at++
			}
			at = max(0, at-80)
			t.Errorf("%s has other numbers: …%.200s, want …%.200s", what, got[i][at:], want[i][at:])
		}
	}
	for _, job := range []string{run, run + "_bootstrap", "audit-" + run, "trial-" + run} {
		held := 0
		for _, w := range workers {
			held += strings.Count(w.log.String(), "\"rows held in memory\" job="+job+" ")
		}
		if held == 0 {
			t.Errorf("no worker was asked for %s: %s", job, workers[0].log)
		}
	}
	for _, w := range workers {
		w.end()
		if log := w.log.String(); strings.Count(log, "rows wiped") != strings.Count(log, "rows held in memory") {
			t.Errorf("a worker left with rows that it held: %s", log)
		}
	}
	c.end()
}

// upload uploads a file, whose rows need the owner's consent to be shared.
func (c *coordinator) upload(csv string) string {
	c.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", "clinic.csv")
	if err != nil {
		c.t.Fatal(err)
	}
	_, err = file.Write([]byte(csv))
	if err := errors.Join(err, form.Close()); err != nil {
		c.t.Fatal(err)
	}
	a, err := http.Post(c.url+"/api/v1/datasets", form.FormDataContentType(), &body)
	if err != nil {
		c.t.Fatal(err)
	}
	defer a.Body.Close()
	var d struct{ ID string }
	if err := json.NewDecoder(a.Body).Decode(&d); err != nil || d.ID == "" {
		c.t.Fatalf("%s: %v", a.Status, err)
	}
	return d.ID
}

// clinic is a small file to upload.
func clinic() string { return clinicOf(120) }

func clinicOf(rows int) string {
	rng := rand.New(rand.NewPCG(9, 9))
	var b strings.Builder
	b.WriteString("marker,weight,disease\n")
	for range rows {
		x, disease := rng.NormFloat64(), "absent"
		if x+rng.NormFloat64() > 0 {
			disease = "present"
		}
		fmt.Fprintf(&b, "%.4f,%.1f,%s\n", x, 70+9*rng.NormFloat64(), disease)
	}
	return b.String()
}

const clinicRun = `{"dataset":"%s","outcome":"disease","positive":["present"],"model":{"loss":"logistic","l2":"cv"},
	"validation":{"kind":"cv","folds":4,"repeats":1},"seed":1}`

// eavesdrop records everything that passes through a queue.
func eavesdrop(t *testing.T, queue string) (heard func() string) {
	t.Helper()
	nc, err := nats.Connect(queue)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	var text testlog.Log
	if _, err := nc.Subscribe(">", func(m *nats.Msg) {
		fmt.Fprintf(&text, "%s %s\n", m.Subject, m.Data)
	}); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return text.String
}

// TestRowsStayWithoutConsent: rows of an upload are sent to no worker unless the call names the queue. Then the
// rows, the names of their columns and the results pass the queue encrypted, the worker deletes the rows, and the
// numbers are the same.
func TestRowsStayWithoutConsent(t *testing.T) {
	c := coordinate(t, filepath.Join(t.TempDir(), "data"), "-workers", "127.0.0.1:0")
	queue := c.queue()
	w := work(t, queue)
	for !strings.Contains(c.log.String(), "worker joined") {
		time.Sleep(20 * time.Millisecond)
	}
	heard := eavesdrop(t, queue)
	data := c.upload(clinic())
	here, run := c.do(workload{data: data, spec: clinicRun})
	if log := w.log.String(); strings.Contains(log, "rows held") || strings.Contains("\n"+heard(), "\ntaper.unit.") {
		t.Fatalf("a worker had work on rows whose owner did not agree: %s", log)
	}
	a, err := http.Post(c.url+"/api/v1/runs/"+run+"/bootstrap?share_rows=nats://elsewhere:4222", "application/json",
		strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(a.Body)
	a.Body.Close()
	if err != nil || a.StatusCode != http.StatusConflict || !strings.Contains(string(text), queue) {
		t.Errorf("consent to another queue: %d %s", a.StatusCode, text)
	}
	away, _ := c.do(workload{data: data, spec: clinicRun, share: "?share_rows=" + url.QueryEscape(queue)})
	if away != here {
		t.Error("the numbers are others")
	}
	if n := strings.Count(w.log.String(), "rows held in memory"); n != 4 {
		t.Errorf("the worker had the rows of %d jobs, want 4: %s", n, w.log)
	}
	all := heard()
	for _, open := range []string{"marker", "weight", "disease", "present"} { // too long to be met by chance
		if strings.Contains(all, open) {
			t.Errorf("%q passes the queue in the clear", open)
		}
	}
	if !strings.Contains(all, "taper.rows.") {
		t.Error("no rows passed the queue that was listened to")
	}
	for n := 0; n < 4; n = strings.Count(w.log.String(), "rows wiped") { // soon after the job has ended
		time.Sleep(20 * time.Millisecond)
	}
	w.end()
	c.end()
}

const clinicStudy = `{"dataset":"%s","outcome":"disease","positive":["present"],"models":[{"loss":"logistic"}],
	"noise":{"kind":"symmetric","rates":[0,0.2]},"replicates":%d,"seed":3}`

// TestStudyOfUpload: a study on the rows of an upload is done by a worker where the call names the queue, and
// nowhere else otherwise; a class of processors that no machine has is waited for.
func TestStudyOfUpload(t *testing.T) {
	c := coordinate(t, filepath.Join(t.TempDir(), "data"), "-workers", "127.0.0.1:0")
	queue := c.queue()
	w := work(t, queue)
	for !strings.Contains(c.log.String(), "worker joined") {
		time.Sleep(20 * time.Millisecond)
	}
	body := fmt.Sprintf(clinicStudy, c.upload(clinic()), 4)
	here := c.until(c.study(body), ended)
	if log := w.log.String(); strings.Contains(log, "rows held") {
		t.Fatalf("a worker had rows whose owner did not agree: %s", log)
	}
	away := c.studyWith("?share_rows="+url.QueryEscape(queue), body)
	if differs := c.until(away, ended).same(string(here.Cells)); differs != "" {
		t.Error(differs)
	}
	if log := w.log.String(); !strings.Contains(log, "\"rows held in memory\" job="+away) {
		t.Errorf("the worker did not have the rows: %s", log)
	}
	for !strings.Contains(w.log.String(), "rows wiped") { // soon after the job has ended
		time.Sleep(20 * time.Millisecond)
	}
	waits := c.studyWith("?class=riscv64", sharedStudy(2))
	waiting := func() string {
		var s struct {
			Progress struct{ Message string }
			Done     int `json:"units_done"`
		}
		if !c.call("GET", "/api/v1/studies/"+waits, "", &s) || s.Done > 0 {
			t.Fatalf("%+v", s)
		}
		return s.Progress.Message
	}
	for !strings.Contains(waiting(), "waiting for a machine of class riscv64") {
		time.Sleep(20 * time.Millisecond)
	}
	code, out, stderr := tryRun(t, "", nil, "worker", "-list", "-queue", queue)
	if code != 0 || !strings.Contains(out, "1 processor, class ") || !strings.Contains(out, "holds nothing") {
		t.Errorf("%d %s %s", code, out, stderr)
	}
	w.end()
	c.end()
}

// TestUploadAfterCrash: a program that was killed during a study on an upload goes on with it. So does its worker, which
// gets the rows again with the key of the new start: with the old key its answers could not be read.
func TestUploadAfterCrash(t *testing.T) {
	address, _ := cluster(t)
	dir := filepath.Join(t.TempDir(), "data")
	c := coordinate(t, dir, "-queue", address)
	body := fmt.Sprintf(clinicStudy, c.upload(clinic()), 250)
	want := c.until(c.study(body), ended)
	w := work(t, address)
	for !strings.Contains(c.log.String(), "worker joined") {
		time.Sleep(20 * time.Millisecond)
	}
	id := c.studyWith("?share_rows="+url.QueryEscape(address), body)
	c.until(id, func(s studied) bool { return s.Done > 0 })
	c.kill()
	c = coordinate(t, dir, "-queue", address)
	if differs := c.until(id, ended).same(string(want.Cells)); differs != "" {
		t.Error(differs)
	}
	n := strings.Count(w.log.String(), "\"rows held in memory\" job="+id)
	if t.Logf("the worker had the rows %d times", n); n == 0 {
		t.Errorf("the worker never had the rows: %s", w.log)
	}
	w.end()
	c.end()
}

// TestStudyCommandOnQueue: taper study with -queue offers its units to the workers of the queue, on the terms of its
// flags, and writes the same cells as without. It lets no workers in itself.
func TestStudyCommandOnQueue(t *testing.T) {
	address, _ := cluster(t)
	w := work(t, address)
	heard := eavesdrop(t, address)
	spec := filepath.Join(t.TempDir(), "grid.json")
	if err := os.WriteFile(spec, []byte(sharedStudy(20)), 0o600); err != nil {
		t.Fatal(err)
	}
	study := func(flags ...string) (code int, cells, said string) {
		file := filepath.Join(t.TempDir(), "cells.csv")
		args := append([]string{"study", "-data", inMemory, "-spec", spec, "-o", file}, flags...)
		code, _, said = tryRun(t, "", nil, args...)
		text, err := os.ReadFile(file)
		if (err == nil) != (code == 0) {
			t.Errorf("%d, %v", code, err)
		}
		return code, string(text), said
	}
	code, want, said := study()
	if code != 0 || want == "" || strings.Contains(heard(), jobsSubject) {
		t.Fatalf("%d %s %s", code, want, said)
	}
	if code, got, said := study("-seed", "99"); code != 0 || got == want {
		t.Errorf("the seed beside a file is not heeded: %d %s", code, said)
	}
	if code, _, said := study("-size", "smoke"); code != misused || !strings.Contains(said, "A grid has no size") {
		t.Errorf("a size beside a grid: %d %s", code, said)
	}
	code, got, said := study("-queue", address, "-class", machine.Class())
	if code != 0 || got != want {
		t.Errorf("%d %s, %s, want %s", code, said, got, want)
	}
	testtime.Until(t, "a job to be announced", func() bool { return strings.Contains(heard(), jobsSubject) })
	for _, test := range []struct {
		flags []string
		want  string
		code  int
	}{
		{[]string{"-class", "riscv64"}, "own class of processors is", failed},
		{[]string{"-queue", address, "-class", "a b"}, "class of processors like", failed},
		{[]string{"-queue", address, "-share-rows", "nats://elsewhere:4222"}, address, failed},
		{[]string{"-workers", "127.0.0.1:0"}, "name a queue that is there already with -queue", misused},
	} {
		if code, _, said := study(test.flags...); code != test.code || !strings.Contains(said, test.want) {
			t.Errorf("%q: %d %s, want %q", test.flags, code, said, test.want)
		}
	}
	w.end()
}

// jobsSubject is the subject of what a program says of its jobs, as eavesdrop writes it.
const jobsSubject = "taper.jobs {"
