package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"taper/internal/app/datasets"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/parquet"
	"taper/internal/strict"
	"taper/internal/web/api"
	"taper/internal/web/httpio"
)

// Data is the data of a command, and how to read them.
type Data struct {
	File     string // a CSV, Excel or Parquet file, or the id of a dataset
	Name     string // "" = name of the file
	Settings string // file of Settings; "" = none
	Outcome  string
	Event    []string
	Other    []string // empty = the only other level
}

// Settings are a person's answers about a file: a patch of the API, and the questions with
// their answers. The next file of the same form can be imported with them without a question.
type Settings struct {
	datasets.Patch
	Questions []Question `json:"questions,omitempty"`
}

// Question is an open question about a file, with its possible answers.
type Question struct {
	Key     string   `json:"key"` // code:column
	Message string   `json:"message"`
	Choices []string `json:"choices"`
	Answer  string   `json:"answer"` // one of the choices; "" = open
}

// Import imports a file into the data folder, applies the settings, and prints the result.
func (s *Session) Import(ctx context.Context, from Data) error {
	d, text, err := s.load(ctx, from)
	if err != nil {
		return flagged(err)
	}
	return s.print(text, func(w *tabwriter.Writer) { dataTables(w, d.Dataset) })
}

// Ask reads a file and writes its questions to a settings file, with the answers of a person if
// there is a terminal. The data are not kept.
func (s *Session) Ask(ctx context.Context, from Data, file string) error {
	d, _, err := s.load(ctx, from)
	if err != nil {
		return err
	}
	set := Settings{Patch: outcomeOf(from)}
	err = s.questions(ctx, &d, &set)
	if d.brought {
		err = errors.Join(err, s.remove(ctx, d.ID))
	}
	if err != nil {
		return err
	}
	if from.Outcome != "" && set.Positive == nil && len(d.Positive) > 0 {
		set.Positive, set.Negative = &d.Positive, &d.Negative
		s.say("The event is taken to be %s = %s. If it is not, change “positive” and “negative” in the settings, or "+
			"name it with -event.", d.Outcome, d.Positive)
	}
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetIndent("", "  ")
	to.SetEscapeHTML(false) // a person reads and copies the choices, such as “0.5 for <0.5”
	if err := to.Encode(set); err != nil {
		return err
	}
	return s.write(file, &text)
}

// questions fills in the questions about a dataset. The answers of a person are applied one by one, since an answer
// can raise or settle others: which level is the event is asked once the outcome is known.
func (s *Session) questions(ctx context.Context, d *loaded, set *Settings) error {
	in := bufio.NewReader(s.In)
	for {
		i := slices.IndexFunc(open(d.Dataset), func(w table.Warning) bool {
			return !slices.ContainsFunc(set.Questions, func(q Question) bool { return q.Key == w.Key() })
		})
		if i < 0 {
			return nil
		}
		w := open(d.Dataset)[i]
		q := Question{Key: w.Key(), Message: w.Message, Choices: labels(w.Choices)}
		if s.Asks {
			var err error
			if q.Answer, err = s.answer(in, q); err != nil {
				return err
			}
		}
		set.Questions = append(set.Questions, q)
		if q.Answer == "" || !d.brought { // a dataset of the folder stays as it is
			continue
		}
		var p datasets.Patch
		if err := p.Answer(w, w.Choices[slices.Index(q.Choices, q.Answer)]); err != nil {
			return err
		}
		d.Dataset = api.Dataset{ID: d.ID}
		if _, err := s.call(ctx, "PATCH", "/api/v1/datasets/"+d.ID, p, &d.Dataset); err != nil {
			return err
		}
	}
}

// answer asks one question until it gets a valid number.
func (s *Session) answer(in *bufio.Reader, q Question) (string, error) {
	fmt.Fprintf(s.Err, "\n%s\n", q.Message)
	for i, c := range q.Choices {
		fmt.Fprintf(s.Err, "  %d  %s\n", i+1, c)
	}
	for {
		fmt.Fprintf(s.Err, "1 to %d, or Enter to leave it open: ", len(q.Choices))
		line, err := in.ReadString('\n')
		if line = strings.TrimSpace(line); line == "" {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return "", err
		}
		if i, no := strconv.Atoi(line); no == nil && i >= 1 && i <= len(q.Choices) {
			return q.Choices[i-1], nil
		}
		if err != nil {
			return "", err
		}
	}
}

// loaded is the dataset of a command.
type loaded struct {
	api.Dataset
	brought     bool // imported by this command
	eventChosen bool // chosen by a person; the program only suggests one
}

// load imports a file, or finds the dataset with this id, and applies the settings. If they are
// refused, an imported file is removed.
func (s *Session) load(ctx context.Context, from Data) (d loaded, text []byte, err error) {
	set, err := readSettings(from.Settings)
	if err != nil {
		return d, nil, err
	}
	if info, err := os.Stat(from.File); err == nil && !info.IsDir() {
		if text, err = s.upload(ctx, from); err != nil {
			return d, nil, err
		}
		d.brought = true
	} else if text, err = s.get(ctx, "/api/v1/datasets/"+url.PathEscape(from.File), nil); err != nil {
		return d, nil, usererr.New(usererr.Invalid,
			"%s is neither a file nor the id of a dataset (taper datasets lists them).", from.File)
	}
	if err := json.Unmarshal(text, &d.Dataset); err != nil {
		return d, nil, err
	}
	text, err = s.settle(ctx, &d, text, set, from)
	if err != nil && d.brought {
		err = errors.Join(err, s.remove(ctx, d.ID))
	}
	d.eventChosen = d.eventChosen || !d.brought
	return d, text, err
}

// remove deletes a dataset that this command has imported.
func (s *Session) remove(ctx context.Context, id string) error {
	_, err := s.call(context.WithoutCancel(ctx), "DELETE", "/api/v1/datasets/"+id, nil, nil)
	return err
}

func (s *Session) upload(ctx context.Context, from Data) ([]byte, error) {
	f, err := openTable(ctx, from.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	body, to := io.Pipe()
	form := multipart.NewWriter(to)
	go func() { // ends when the request closes the body
		err := error(nil)
		if from.Name != "" {
			err = form.WriteField("name", from.Name)
		}
		if err == nil {
			var part io.Writer
			if part, err = form.CreateFormFile("file", filepath.Base(from.File)); err == nil {
				_, err = io.Copy(part, f)
			}
		}
		to.CloseWithError(errors.Join(err, form.Close()))
	}()
	defer body.Close()
	w, err := s.accept(ctx, "text/event-stream", "POST", "/api/v1/datasets", form.FormDataContentType(), body)
	if err != nil {
		return nil, err
	}
	defer w.Body.Close()
	event, text, err := s.follow(ctx, w.Body)
	if err != nil || event == "created" {
		return text, err
	}
	var p httpio.Problem
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	return nil, refusal(p)
}

// openTable opens a file to be sent. Parquet is converted to CSV here, on the user's own machine,
// because the server does not read it.
func openTable(ctx context.Context, name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	head := make([]byte, len(parquet.Magic))
	if n, _ := f.ReadAt(head, 0); !parquet.Is(head[:n]) {
		return f, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fileError(name, err)
	}
	text, err := parquet.CSV(ctx, f, info.Size(), table.DefaultLimits)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// settle applies the settings, the outcome and event of the flags, and the answers. An answer
// can raise another question: leakage is detected once the outcome is known.
func (s *Session) settle(ctx context.Context, d *loaded, text []byte, set Settings, from Data) (now []byte, err error) {
	change := func(p datasets.Patch) error {
		if reflect.ValueOf(p).IsZero() {
			return nil
		}
		d.Dataset = api.Dataset{ID: d.ID}
		d.eventChosen = d.eventChosen || p.Positive != nil
		text, err = s.call(ctx, "PATCH", "/api/v1/datasets/"+d.ID, p, &d.Dataset)
		return err
	}
	if err := change(set.Patch); err != nil {
		return nil, err
	}
	flags := outcomeOf(from)
	// An event of the flags belongs to an outcome that may be among the answers.
	later := datasets.Patch{}
	if flags.Outcome == nil && d.Outcome == "" {
		flags, later = later, flags
	}
	if err := change(flags); err != nil {
		return nil, err
	}
	answers := slices.DeleteFunc(set.Questions, func(q Question) bool { return q.Answer == "" })
	for len(answers) > 0 {
		var p datasets.Patch
		left := answers[:0:0]
		for _, q := range answers {
			i := slices.IndexFunc(d.Warnings, func(w table.Warning) bool { return w.Key() == q.Key })
			if i < 0 {
				left = append(left, q)
				continue
			}
			w := d.Warnings[i]
			c := slices.IndexFunc(w.Choices, func(c table.Choice) bool { return c.Label == q.Answer })
			if c < 0 {
				return nil, usererr.New(usererr.Invalid, "%s: the answer to %s must be one of %s (got %q).", from.Settings, q.Key,
					quoted(labels(w.Choices)), q.Answer)
			}
			if err := p.Answer(w, w.Choices[c]); err != nil {
				return nil, err
			}
		}
		if len(left) == len(answers) {
			break
		}
		if err := change(p); err != nil {
			return nil, err
		}
		answers = left
	}
	if err := change(later); err != nil {
		return nil, err
	}
	for _, q := range answers {
		s.say("%s does not raise the question %s, so its answer is not needed.", from.File, q.Key)
	}
	return text, nil
}

// outcomeOf is the choice made by the flags.
func outcomeOf(from Data) (p datasets.Patch) {
	if from.Outcome != "" {
		p.Outcome = &from.Outcome
	}
	if len(from.Event) > 0 {
		event := table.Levels(from.Event)
		p.Positive = &event
	}
	if len(from.Other) > 0 {
		other := table.Levels(from.Other)
		p.Negative = &other
	}
	return p
}

func readSettings(file string) (set Settings, err error) {
	if file == "" {
		return set, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return set, fileError(file, err)
	}
	if err := strict.Decode(text, &set); err != nil {
		return set, usererr.New(usererr.Invalid, "%s is not a file of settings: %v taper import FILE -ask %[1]s writes one.",
			file, err)
	}
	return set, nil
}

// open lists the unanswered questions about a dataset.
func open(d api.Dataset) (all []table.Warning) {
	for _, w := range d.Warnings {
		if w.Level == "ask" && !w.Settled {
			all = append(all, w)
		}
	}
	return all
}

func labels(choices []table.Choice) (all []string) {
	for _, c := range choices {
		all = append(all, c.Label)
	}
	return all
}

func quoted(all []string) string {
	each := make([]string, len(all))
	for i, a := range all {
		each[i] = phrase.Verbatim(a)
	}
	return strings.Join(each, ", ")
}
