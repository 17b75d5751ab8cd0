// Package command implements the program's commands, without their flags. A command calls the
// API like any other client, and prints tables for people or the API's JSON for scripts.
// Commands, pages and the API therefore give the same answers. No port is opened: the API is
// called through an http.RoundTripper (web.Local).
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

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/parquet"
	"taper/internal/web/httpio"
)

// Console is the input and output of a command.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	Asks     bool // In and Err are a terminal: a person can be asked
	Progress bool // Err is a terminal: progress is shown
	JSON     bool // write the API's JSON to Out instead of tables
}

// Session is a connection to one program.
type Session struct {
	Console
	client http.Client
}

// New returns a session with the program that the transport calls.
func New(program http.RoundTripper, c Console) *Session {
	return &Session{Console: c, client: http.Client{Transport: program}}
}

// Misuse is a mistake in the command line. The exit status distinguishes it from a failure.
type Misuse struct{ Sentence string }

func (m *Misuse) Error() string { return m.Sentence }

// NewMisuse formats the sentence of a Misuse.
func NewMisuse(sentence string, a ...any) error { return &Misuse{usererr.Sprintf(sentence, a...)} }

// OpenQuestion is a question for a person, naming the flags that answer it. The exit status
// distinguishes it from a failure.
type OpenQuestion struct{ Sentence string }

func (q *OpenQuestion) Error() string { return q.Sentence }

// ask sends a request and returns the response, whose body the caller closes. An error response
// becomes a *usererr.Error.
func (s *Session) ask(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, error) {
	return s.accept(ctx, "", method, path, kind, body)
}

// accept is ask for an answer of a kind ("" = any).
func (s *Session) accept(ctx context.Context, answer, method, path, kind string, body io.Reader) (*http.Response,
	error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1"+path, body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if answer != "" {
		r.Header.Set("Accept", answer)
	}
	w, err := s.client.Do(r)
	if err != nil {
		var from *url.Error
		if errors.As(err, &from) {
			err = from.Err // without the internal address
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
	return nil, refusal(p)
}

func refusal(p httpio.Problem) error {
	return &usererr.Error{Code: usererr.Invalid, Detail: p.Detail, Fields: p.Errors, Row: p.Row, Column: p.Column}
}

// get decodes a JSON response into v and returns its text.
func (s *Session) get(ctx context.Context, path string, v any) ([]byte, error) {
	return s.call(ctx, http.MethodGet, path, nil, v)
}

// call sends body as JSON (nil = none) and reads the response like get (v nil = none).
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

// print writes the JSON of a response if it was asked for, otherwise the tables.
func (s *Session) print(text []byte, tables func(w *tabwriter.Writer)) error {
	if s.JSON {
		_, err := fmt.Fprintf(s.Out, "%s\n", bytes.TrimSpace(text))
		return err
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	tables(w)
	return w.Flush()
}

// progress reads the events of a job until it ends, and returns its status and, if it failed,
// the sentence.
func (s *Session) progress(ctx context.Context, path string) (status, sentence string, err error) {
	w, err := s.ask(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return "", "", err
	}
	defer w.Body.Close()
	_, data, err := s.follow(ctx, w.Body)
	if err != nil {
		return "", "", err
	}
	var end struct{ Status, Error string }
	err = json.Unmarshal(data, &end)
	return end.Status, end.Error, err
}

// follow shows the progress in server-sent events, and returns the first event that is none.
func (s *Session) follow(ctx context.Context, events io.Reader) (name string, data []byte, err error) {
	lines, shown := bufio.NewScanner(events), false
	lines.Buffer(nil, mostEvent)
	for lines.Scan() {
		if event, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = event
			continue
		}
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if name != "progress" {
			if shown {
				fmt.Fprint(s.Err, "\r\x1b[K")
			}
			return name, []byte(text), nil
		}
		var at struct {
			Fraction float64
			Message  string
		}
		if err := json.Unmarshal([]byte(text), &at); err != nil {
			return "", nil, err
		}
		if s.Progress {
			fmt.Fprintf(s.Err, "\r\x1b[K%3.0f %%  %s", 100*at.Fraction, at.Message)
			shown = true
		}
	}
	if shown {
		fmt.Fprint(s.Err, "\r\x1b[K")
	}
	if err := errors.Join(lines.Err(), ctx.Err()); err != nil {
		return "", nil, err
	}
	return "", nil, errors.New("the work ended without saying how")
}

// mostEvent bounds one event: the description of a dataset of the most columns takes some megabytes.
const mostEvent = 256 << 20

// save writes a response to a file ("-" = Out) and reports it. An existing file is replaced
// only after the whole response has arrived.
func (s *Session) save(ctx context.Context, file, path string) error {
	w, err := s.ask(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return err
	}
	defer w.Body.Close()
	return s.write(file, w.Body)
}

// write writes to a file what is read ("-" = Out).
func (s *Session) write(file string, from io.Reader) error {
	return s.writeBy(file, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}

// writeTable writes the text of a table, or a Parquet file of it where the name of the file ends so.
func (s *Session) writeTable(ctx context.Context, file string, from io.Reader, d table.Dialect) error {
	if !isParquet(file) {
		return s.write(file, from)
	}
	text, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	return s.writeBy(file, func(w io.Writer) error { return parquet.Write(ctx, w, text, d) })
}

func isParquet(file string) bool { return strings.EqualFold(filepath.Ext(file), ".parquet") }

func (s *Session) writeBy(file string, write func(io.Writer) error) error {
	if file == "-" {
		return write(s.Out)
	}
	part, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return fileError(file, err)
	}
	defer os.Remove(part.Name())
	if err = errors.Join(write(part), part.Close()); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), file); err != nil {
		return fileError(file, err)
	}
	s.say("%s is written.", file)
	return nil
}

// say writes a message to Err, so that Out can be piped.
func (s *Session) say(sentence string, a ...any) { fmt.Fprintf(s.Err, sentence+"\n", a...) }

// fileError is the error for a file that cannot be read or written.
func fileError(name string, err error) error {
	var of *os.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	e := usererr.New(usererr.Invalid, "%s: %v.", name, err)
	e.Cause = err
	return e
}
