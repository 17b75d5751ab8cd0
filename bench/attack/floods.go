package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// floods are large numbers of requests that are harmless alone.
func floods() []attack {
	return []attack{
		{name: "connections", sent: "1,000 connections that say nothing", want: "others are answered", do: connections},
		{name: "uploads", sent: "500 uploads at once, every third left half way", want: "201 or 4xx", do: uploadFlood},
		{name: "the queue", sent: "runs until no more may wait", want: "429, ‘wait already’", do: queueFlood},
		{name: "event streams", sent: "500 streams of a run and of its page, opened and left", want: "their files are closed",
			do: streams},
		{name: "sign-ins", sent: "wrong passwords from 300 addresses behind a trusted proxy",
			want: "422 or 429; then the right one is taken, and others of the first address are not", do: signIns},
		{name: "a dear password", sent: "a start with a hash that asks for 64 GB", want: "a sentence and exit status 1",
			do: dearPassword},
	}
}

func made(a answer) string {
	var m struct{ ID string }
	_ = json.Unmarshal(a.body, &m)
	return m.ID
}

func (s *scene) dial() (net.Conn, error) {
	return new(net.Dialer).DialContext(s.ctx, "tcp", strings.TrimPrefix(s.base, "http://"))
}

func connections(s *scene) {
	var open []net.Conn
	for range s.size(1000, 200) {
		c, err := s.dial()
		if err != nil {
			s.missf("connection %d: %v", len(open), err)
			break
		}
		open = append(open, c)
	}
	a := s.get("/healthz")
	s.note("%d open, GET /healthz: %v", len(open), a)
	if a.status != http.StatusOK {
		s.missf("GET /healthz: %v", a)
	}
	for _, c := range open {
		c.Close()
	}
}

func uploadFlood(s *scene) {
	got, mu := map[int]int{}, sync.Mutex{}
	atOnce(s.size(500, 40), func(i int) {
		ctx, leave := context.WithCancel(s.ctx)
		defer leave()
		r, w := io.Pipe()
		go func() {
			_, err := io.WriteString(w, "--b\r\n"+
				"Content-Disposition: form-data; name=\"file\"; filename=\"t.csv\"\r\n\r\n"+smallTable)
			if err == nil {
				err = repeated(w, fmt.Sprint(i, ",2\n"), 20_000)
			}
			if i%3 == 0 {
				leave()
			}
			if err == nil {
				_, err = io.WriteString(w, "\r\n--b--\r\n")
			}
			w.CloseWithError(err)
		}()
		a := ask(ctx, s.client, s.base, http.MethodPost, "/api/v1/datasets", "multipart/form-data; boundary=b", r)
		r.Close()
		mu.Lock()
		defer mu.Unlock()
		if i%3 != 0 {
			s.sensible("an upload", a)
		}
		got[a.status]++
	})
	s.noteCounts(got)
	s.clear()
}

// clear deletes every dataset except ours: for an upload whose client disconnected, nobody knows the id.
func (s *scene) clear() {
	until(func() bool {
		var all struct{ Items []struct{ ID string } }
		_ = json.Unmarshal(s.get("/api/v1/datasets?limit=200").body, &all)
		left := false
		for _, d := range all.Items {
			if d.ID != s.dataset {
				left = true
				s.do(http.MethodDelete, "/api/v1/datasets/"+d.ID, "", nil)
			}
		}
		return !left
	})
}

// slow is a spec that runs until it is cancelled.
func (s *scene) slow() string {
	return s.spec(map[string]any{"validation": map[string]any{"kind": "cv", "folds": 10, "repeats": 10},
		"model": map[string]any{"kind": "boost", "loss": "alpha", "rounds": 2_000, "depth": 2,
			"params": map[string]any{"alpha": 2}}})
}

func queueFlood(s *scene) {
	spec := s.slow()
	var taken []answer
	var last answer
	most := s.size(5000, 60) // the short form does not fill the queue
	for len(taken) < most {
		if last = s.post("/api/v1/runs", spec); last.status != http.StatusAccepted {
			break
		}
		taken = append(taken, last)
	}
	s.sensible("a run", last)
	s.note("%d runs were taken", len(taken))
	if !s.short {
		s.refused("one more", last, []int{http.StatusTooManyRequests}, "wait already", "cancel some")
	}
	for _, a := range taken {
		s.post("/api/v1/runs/"+made(a)+"/cancel", "")
	}
	for _, a := range taken {
		s.forget("runs", a)
	}
}

func streams(s *scene) {
	a := s.post("/api/v1/runs", s.slow())
	if a.status != http.StatusAccepted {
		s.missf("no run: %v", a)
		return
	}
	defer s.forget("runs", a)
	before := len(entries(s.proc("fd")))
	ctx, leave := context.WithCancel(s.ctx)
	n := s.size(500, 60)
	opened := make(chan struct{}, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			path := []string{"/api/v1/runs/" + made(a) + "/events", "/jobs/" + made(a) + "/live"}[i%2]
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+path, nil)
			if err != nil {
				panic(err) // our requests are valid
			}
			res, err := s.client.Do(req)
			opened <- struct{}{}
			if err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
	for range n {
		<-opened
	}
	s.note("%d files open with the streams", len(entries(s.proc("fd"))))
	leave()
	all.Wait()
	s.client.CloseIdleConnections()
	if !until(func() bool { return len(entries(s.proc("fd"))) <= before+20 }) {
		s.missf("%d files are open, and %d were before", len(entries(s.proc("fd"))), before)
	}
}

func signIns(s *scene) {
	cmd := exec.CommandContext(s.ctx, s.taper, "password")
	cmd.Stdin = strings.NewReader("the right one\n")
	hash, err := cmd.Output()
	if err != nil {
		s.missf("no hash: %v", err)
		return
	}
	p, err := start(s.ctx, s.taper, filepath.Join(s.dir, "locked"), nil,
		[]string{"TAPER_PASSWORD_HASH=" + strings.TrimSpace(string(hash))}, append(s.args, "-trusted-proxy", "127.0.0.1")...)
	if err != nil {
		s.missf("no start: %v", err)
		return
	}
	defer p.kill()
	try := func(from, password string) answer {
		req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, p.base+"/login",
			strings.NewReader(url.Values{"password": {password}}.Encode()))
		if err != nil {
			return answer{err: err}
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("X-Forwarded-For", from)
		return answered(s.client.Do(req))
	}
	got, mu := map[int]int{}, sync.Mutex{}
	atOnce(s.size(300, 12), func(i int) {
		a := try(fmt.Sprintf("10.0.%d.%d", i/200, i%200+1), strings.Repeat("wrong", 1+i*1000))
		mu.Lock()
		defer mu.Unlock()
		s.sensible("a wrong password", a)
		if a.status != http.StatusUnprocessableEntity && a.status != http.StatusTooManyRequests {
			s.missf("a wrong password: %v", a)
		}
		got[a.status]++
	})
	s.noteCounts(got)
	for range 6 {
		try("10.1.1.1", "wrong")
	}
	if a := try("10.1.1.1", "the right one"); a.status != http.StatusTooManyRequests {
		s.missf("the seventh of an address: %v", a)
	}
	if a := try("10.1.1.2", "the right one"); a.status != http.StatusSeeOther {
		s.missf("the right one: %v", a)
	}
	for _, path := range []string{"/", "/api/v1/runs", "/runs?password=the+right+one"} {
		if a := ask(s.ctx, s.client, p.base, http.MethodGet, path, "", nil); a.status != http.StatusSeeOther &&
			a.status != http.StatusUnauthorized {
			s.missf("without a session GET %s: %v", path, a)
		}
	}
	s.look(p)
}

func dearPassword(s *scene) {
	hash := "TAPER_PASSWORD_HASH=$argon2id$v=19$m=67108864,t=1000,p=255$c29tZXNhbHRzb21lc2FsdA$" +
		"RdescudvJCsgt3ub+b4dWRWJTmaaJObGRdescudvJCs"
	s.fails("a start", filepath.Join(s.dir, "dear"), []string{hash}, "TAPER_PASSWORD_HASH", "out of range")
}

// fails expects the program to exit with 1 and a message that contains the words.
func (s *scene) fails(what, data string, env []string, words ...string) {
	cmd := exec.CommandContext(s.ctx, s.taper, append([]string{"-listen", "127.0.0.1:0", "-data", data}, s.args...)...)
	cmd.Env = append(os.Environ(), env...)
	time.AfterFunc(hang, func() { _ = cmd.Cancel() })
	said, err := cmd.CombinedOutput()
	line := strings.TrimSpace(string(said))
	s.note("%s", strings.TrimPrefix(line, "taper: "))
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 || strings.Count(line, "\n") > 0 ||
		!strings.HasPrefix(line, "taper: ") || !strings.HasSuffix(line, ".") {
		s.missf("%s: %v: %.300s", what, err, line)
	}
	for _, w := range words {
		if !strings.Contains(line, w) {
			s.missf("%s: ‘%.300s’ does not name ‘%s’", what, line, w)
		}
	}
}
