// Package command holds what the commands of the program do behind their flags: it asks the API, as any
// other program would, and prints tables for a person or the API's own JSON for a script. Since the
// answers are those of the API, a command, a page and a request to a server say the same of the same question.
// It opens no port: what it asks is an http.RoundTripper (web.Local).
package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"taper/internal/engine/usererr"
	"taper/internal/web/httpio"
)

// Console is where a command reads and writes.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	Asks     bool // a person sits at In and Err: questions can be asked
	Progress bool // Err is a terminal: it shows how far the work is
	JSON     bool // Out gets the JSON of the API in place of tables
}

// Session asks one program.
type Session struct {
	Console
	client http.Client
}

// New returns a session with the program behind the transport.
func New(program http.RoundTripper, c Console) *Session {
	return &Session{Console: c, client: http.Client{Transport: program}}
}

// OpenQuestion is a question that only a person can answer, with the flags that answer it. The exit status of
// the program tells scripts that nothing failed.
type OpenQuestion struct{ Sentence string }

func (q *OpenQuestion) Error() string { return q.Sentence }

// ask sends a request and returns the answer, which the caller closes; a refusal is a
// *usererr.Error.
func (s *Session) ask(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1"+path, body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	w, err := s.client.Do(r)
	if err != nil {
		var from *url.Error
		if errors.As(err, &from) {
			err = from.Err // the address is our own
		}
		return nil, err
	}
	if w.StatusCode < http.StatusBadRequest {
		return w, nil
	}
	defer w.Body.Close()
	var p httpio.Problem
	if err := json.NewDecoder(w.Body).Decode(&p); err != nil {
		return nil, fmt.Errorf("%s %s: %s", method, path, w.Status)
	}
	return nil, &usererr.Error{Code: usererr.Invalid, Detail: p.Detail, Fields: p.Errors, Row: p.Row, Column: p.Column}
}

// get reads an answer in JSON into v, and returns its text.
func (s *Session) get(ctx context.Context, path string, v any) ([]byte, error) {
	return s.call(ctx, http.MethodGet, path, nil, v)
}

// call sends a body as JSON, nil for none, and reads the answer as get does, nil for none.
func (s *Session) call(ctx context.Context, method, path string, body, v any) ([]byte, error) {
	var sent io.Reader
	kind := ""
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent, kind = bytes.NewReader(text), "application/json"
	}
	w, err := s.ask(ctx, method, path, kind, sent)
	if err != nil {
		return nil, err
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil || v == nil {
		return text, err
	}
	return text, json.Unmarshal(text, v)
}

// print writes the JSON of an answer where it is asked for, else the tables.
func (s *Session) print(text []byte, tables func(w *tabwriter.Writer)) error {
	if s.JSON {
		_, err := fmt.Fprintf(s.Out, "%s\n", bytes.TrimSpace(text))
		return err
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	tables(w)
	return w.Flush()
}

// progress reads the events of a job until it ends, and returns how: its status and, if it failed, the sentence.
func (s *Session) progress(ctx context.Context, path string) (status, sentence string, err error) {
	w, err := s.ask(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return "", "", err
	}
	defer w.Body.Close()
	lines, event, shown := bufio.NewScanner(w.Body), "", false
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			event = name
			continue
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Fraction float64
			Message  string
			Status   string
			Error    string
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return "", "", err
		}
		if event != "progress" {
			if shown {
				fmt.Fprint(s.Err, "\r\x1b[K")
			}
			return e.Status, e.Error, nil
		}
		if s.Progress {
			fmt.Fprintf(s.Err, "\r\x1b[K%3.0f %%  %s", 100*e.Fraction, e.Message)
			shown = true
		}
	}
	if err := errors.Join(lines.Err(), ctx.Err()); err != nil {
		return "", "", err
	}
	return "", "", errors.New("the work ended without saying how")
}

// save writes an answer to a file, to Out for "-", and says so. A file that is there is replaced only
// by a whole one.
func (s *Session) save(ctx context.Context, file, path string) error {
	w, err := s.ask(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return err
	}
	defer w.Body.Close()
	return s.write(file, w.Body)
}

func (s *Session) write(file string, from io.Reader) error {
	if file == "-" {
		_, err := io.Copy(s.Out, from)
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return fileError(file, err)
	}
	defer os.Remove(part.Name())
	_, err = io.Copy(part, from)
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), file); err != nil {
		return fileError(file, err)
	}
	s.say("%s is written.", file)
	return nil
}

// say writes a sentence beside the results, so that Out can be piped on.
func (s *Session) say(sentence string, a ...any) { fmt.Fprintf(s.Err, sentence+"\n", a...) }

// fileError is a sentence for a file that cannot be read or written.
func fileError(name string, err error) error {
	var of *os.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	e := usererr.New(usererr.Invalid, "%s: %v.", name, err)
	e.Cause = err
	return e
}
