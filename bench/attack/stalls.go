package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// stalls are connections that send slowly, irregularly or nothing.
func stalls() []attack {
	return []attack{
		{name: "silence",
			sent: "half a header, half a body, a body in drops, nothing at all, and nothing after an answer, " +
				"side by side", want: "each connection is closed, a half body with 408 and a sentence", do: silence},
		{name: "an answer that nobody takes", sent: "requests for large answers, none of them read",
			want: "others are answered", do: untaken},
		{name: "half closed", sent: "a request and the end of sending", want: "200, or 499 as to a client that has left",
			do: halfClosed},
		{name: "pipelined", sent: "1,000 requests without a wait", want: "1,000 answers", do: pipelined},
		{name: "foreign names and methods",
			sent: "wrong Host and Origin, TRACE, CONNECT, absolute addresses, HTTP/1.0, no Host",
			want: "403, 405, 400, and 200 where it is ours", do: foreign},
		{name: "smuggling",
			sent: "two lengths, a length and pieces, unknown and hidden encodings, bad pieces, folded headers",
			want: "400 or 501, and nobody else’s request is touched", do: smuggled},
		{name: "headers", sent: "2 MB of headers, 100,000 headers, one without an end", want: "431 or 400", do: headers},
	}
}

// raw sends bytes and reads answers until the connection ends. It ends sending after the expected number of answers:
// net/http takes an earlier end for a client that has left, and cancels the request if it is not answered by then.
func (s *scene) raw(bytes string, expected int) (answers []answer) {
	c, err := s.dial()
	if err != nil {
		return []answer{{err: err}}
	}
	defer c.Close()
	go func() { _, _ = io.WriteString(c, bytes) }()
	in := bufio.NewReader(c)
	for {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return answers
		}
		if answers = append(answers, answered(res, nil)); len(answers) == expected {
			_ = c.(*net.TCPConn).CloseWrite()
		}
	}
}

// exchange expects these statuses, one per answer.
func (s *scene) exchange(what, bytes string, statuses ...int) {
	var got []int
	for _, a := range s.raw(bytes, len(statuses)) {
		got = append(got, a.status)
	}
	s.note("%v", got)
	if !slices.Equal(got, statuses) {
		s.missf("%s: %v, want %v", what, got, statuses)
	}
}

func silence(s *scene) {
	const head = "POST /api/v1/losses/evaluate HTTP/1.1\r\nHost: 127.0.0.1\r\n"
	quiet := []struct {
		name, sent string
		drops      bool // more is sent, a byte at a time, and never completed
		status     int  // 0: the connection is closed without an answer, or with one by the HTTP library
	}{
		{"nothing", "", false, 0},
		{"half a header", head, false, 0},
		{"a header in drops", head, true, 0},
		{"half a body", head + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{", false,
			http.StatusRequestTimeout},
		{"half a piece", head + "Transfer-Encoding: chunked\r\n\r\nff\r\n{", false, http.StatusRequestTimeout},
		{"half a form", "POST /api/v1/datasets HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
			"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\na,b\n1,",
			false,
			http.StatusRequestTimeout},
		{"nothing after an answer", "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", false, http.StatusOK},
	}
	said := make([]string, len(quiet))
	atOnce(len(quiet), func(i int) {
		q := quiet[i]
		c, err := s.dial()
		if err != nil {
			said[i] = err.Error()
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, q.sent)
		if q.drops {
			ended := make(chan struct{})
			defer close(ended)
			go func() {
				for {
					select {
					case <-ended:
						return
					case <-time.After(time.Second):
						_, _ = io.WriteString(c, "X")
					}
				}
			}()
		}
		_ = c.SetReadDeadline(time.Now().Add(hang))
		in := bufio.NewReader(c)
		res, err := http.ReadResponse(in, nil)
		if err == nil {
			a := answered(res, nil)
			if q.status != 0 && a.status != q.status || a.status == http.StatusRequestTimeout && q.status != 0 &&
				a.detail() == "" {
				said[i] = a.String()
			}
		} else if q.status != 0 {
			said[i] = err.Error()
		}
		if _, err := in.ReadByte(); errors.Is(err, os.ErrDeadlineExceeded) {
			said[i] = "the connection is still open"
		}
	})
	for i, bad := range said {
		if bad != "" {
			s.missf("%s: %s", quiet[i].name, bad)
		}
	}
	s.note("%d connections closed", len(quiet))
}

func untaken(s *scene) {
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for range s.size(200, 30) {
		c, err := s.dial()
		if err != nil {
			s.missf("%v", err)
			return
		}
		open = append(open, c)
		fmt.Fprintf(c, "GET /api/v1/runs/%s/rows?format=csv HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", s.run)
		fmt.Fprint(c, strings.Repeat("GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 50))
	}
	a := s.get("/healthz")
	s.note("GET /healthz: %v", a)
	if a.status != http.StatusOK {
		s.missf("GET /healthz: %v", a)
	}
}

func halfClosed(s *scene) {
	c, err := s.dial()
	if err != nil {
		s.missf("%v", err)
		return
	}
	defer c.Close()
	_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
	_ = c.(*net.TCPConn).CloseWrite()
	a := answered(http.ReadResponse(bufio.NewReader(c), nil))
	s.note("%v", a)
	if a.status != http.StatusOK && a.status != leftStatus {
		s.missf("%v", a)
	}
}

// leftStatus is the answer to a client that left before it. There is no standard one; nginx's is widely known.
const leftStatus = 499

func pipelined(s *scene) {
	const n = 1000
	got := map[int]int{}
	for _, a := range s.raw(strings.Repeat("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", n), n) {
		got[a.status]++
	}
	s.noteCounts(got)
	if got[http.StatusOK] != n || len(got) != 1 {
		s.missf("%v", got)
	}
}

func foreign(s *scene) {
	port := s.base[strings.LastIndexByte(s.base, ':')+1:]
	body := "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
	for _, c := range []struct {
		name, sent string
		status     int
	}{
		{"our own name", "GET /healthz HTTP/1.1\r\nHost: localhost:" + port + "\r\n\r\n", 200},
		{"another name", "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", 403},
		{"a name that leads here", "GET / HTTP/1.1\r\nHost: 127.0.0.1.example.org\r\n\r\n", 403},
		{"no number", "GET / HTTP/1.1\r\nHost: 127.0.0.1:x\r\n\r\n", 403},
		{"no Host", "GET / HTTP/1.1\r\n\r\n", 400},
		{"two Hosts", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: example.org\r\n\r\n", 400},
		{"a forwarded name from anybody", "GET / HTTP/1.1\r\nHost: example.org\r\nX-Forwarded-Host: 127.0.0.1\r\n\r\n", 403},
		{"another site", "POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://example.org\r\n" + body, 403},
		{"no site", "POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: null\r\n" + body, 403},
		{"another site, by the browser",
			"POST /theme HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\n" + body, 403},
		{"TRACE", "TRACE / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", 405},
		{"CONNECT", "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n", 403},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", 200},
		{"an absolute address", "GET http://example.org/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 403},
		{"our absolute address",
			"GET http://127.0.0.1/healthz HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n", 200},
		{"a path above the root", "GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", 404},
		{"a static path above",
			"GET /static/%2e%2e/%2e%2e/go.mod HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", 404},
		{"HTTP/1.0", "GET /healthz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n", 200},
		{"HTTP/1.0 without a Host", "GET /healthz HTTP/1.0\r\n\r\n", 403},
		{"HTTP/9", "GET / HTTP/9.0\r\nHost: 127.0.0.1\r\n\r\n", 505},
		{"HTTP/2 without a word before", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 403},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
	} {
		s.exchange(c.name, c.sent, c.status)
	}
}

func smuggled(s *scene) {
	const head = "POST /theme HTTP/1.1\r\nHost: 127.0.0.1\r\n"
	const hidden = "GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	for _, c := range []struct {
		name, sent string
	}{
		{"two lengths", head + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n" + hidden},
		{"two lengths in one", head + "Content-Length: 0, 5\r\n\r\n" + hidden},
		{"a length below 0", head + "Content-Length: -1\r\n\r\n" + hidden},
		{"a length with a sign", head + "Content-Length: +5\r\n\r\n" + hidden},
		{"a length beyond numbers", head + "Content-Length: 99999999999999999999\r\n\r\n" + hidden},
		{"an unknown encoding", head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + hidden},
		{"two encodings", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden},
		{"a hidden encoding", head + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden},
		{"a folded header", head + "X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 5, 6\r\n\r\n" + hidden},
		{"a NUL in a header", head + "X: a\x00b\r\n\r\n" + hidden},
	} {
		answers := s.raw(c.sent, 1)
		if len(answers) != 1 || answers[0].status != 400 && answers[0].status != 501 {
			s.missf("%s: %v", c.name, answers)
			continue
		}
		s.note("%d", answers[0].status)
	}
	// Content-Length is ignored for chunked bodies (RFC 9112); an invalid chunk size ends the connection.
	s.exchange("a length and pieces", "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"+
		"Content-Length: 6\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\nX", 200)
	for _, size := range []string{"-1", "0x5", "fffffffffffffffff", "5 ;" + strings.Repeat("a", 1<<20)} {
		answers := s.raw("POST /api/v1/losses/evaluate HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"+
			size+"\r\nhello\r\n0\r\n\r\n"+hidden, 1)
		if len(answers) > 1 || len(answers) == 1 && answers[0].status/100 != 4 {
			s.missf("a piece of %.20s: %v", size, answers)
		}
	}
}

func headers(s *scene) {
	for name, sent := range map[string]string{
		"a long one":     "X: " + strings.Repeat("a", 2<<20) + "\r\n",
		"many":           strings.Repeat("X: a\r\n", 300_000),
		"a long name":    strings.Repeat("a", 2<<20) + ": a\r\n",
		"no end of line": strings.Repeat("a", 2<<20),
		"many cookies":   "Cookie: " + strings.Repeat("a=b; ", 500_000) + "\r\n",
	} {
		answers := s.raw("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"+sent+"\r\n", 1)
		// The library may close the connection before it has read everything; then the answer is lost.
		if len(answers) > 1 || len(answers) == 1 && answers[0].status != 431 && answers[0].status != 400 {
			s.missf("%s: %v", name, answers)
		}
		for _, a := range answers {
			s.note("%d", a.status)
		}
	}
}
