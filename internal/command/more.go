package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"taper/internal/engine/compare"
	"taper/internal/engine/external"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/api"
	"taper/internal/web/format"
)

// list is a page of a list of the API.
type list[T any] struct {
	Items []T
	Total int
}

// mostListed is the length of printed lists; the API has the rest on further pages.
const mostListed = 200

// Datasets lists the datasets, newest first.
func (s *Session) Datasets(ctx context.Context) error {
	var all list[api.Dataset]
	text, err := s.get(ctx, fmt.Sprint("/api/v1/datasets?limit=", mostListed), &all)
	if err != nil {
		return err
	}
	return s.print(text, func(w *tabwriter.Writer) {
		row(w, "Dataset", "Name", "Rows", "Outcome", "Event", "Runs", "Created")
		for _, d := range all.Items {
			row(w, d.ID, d.Name, d.Rows, cmp.Or(d.Outcome, "–"), cmp.Or(d.Positive.String(), "–"), d.Runs, day(d.Created))
		}
		rest(w, all.Total-len(all.Items))
	})
}

// Runs lists the runs, newest first.
func (s *Session) Runs(ctx context.Context) error {
	var all list[struct {
		ID, Name, Status, Data string
		Created                time.Time
		AUC                    *float64
	}]
	text, err := s.get(ctx, fmt.Sprint("/api/v1/runs?limit=", mostListed), &all)
	if err != nil {
		return err
	}
	return s.print(text, func(w *tabwriter.Writer) {
		auc := stat.ByID("auc")
		row(w, "Run", "Name", "Data", "Status", auc.Label, "Created")
		for _, r := range all.Items {
			row(w, r.ID, r.Name, r.Data, r.Status, format.StatisticOf(auc, r.AUC), day(r.Created))
		}
		rest(w, all.Total-len(all.Items))
	})
}

func day(t time.Time) string { return t.Local().Format(time.DateTime) }

func rest(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "and %d more\n", n)
	}
}

// Score writes the rows of a file with the scores of a run's model, as CSV or Parquet.
func (s *Session) Score(ctx context.Context, run, file, to string) error {
	query := ""
	if isParquet(to) {
		query = "?names=1" // its columns cannot be without a name
	}
	w, err := s.send(ctx, run, file, query)
	if err != nil {
		return err
	}
	defer w.Body.Close()
	return s.writeTable(ctx, cmp.Or(to, "-"), w.Body, table.Dialect{})
}

// Calculator writes the model of a run as one file that scores patients offline.
func (s *Session) Calculator(ctx context.Context, run, to string) error {
	return s.save(ctx, to, "/api/v1/runs/"+run+"/calculator.html")
}

// Code writes the model of a run as a program in another language, or as an equation.
func (s *Session) Code(ctx context.Context, run, language, to string) error {
	return s.save(ctx, to, "/api/v1/runs/"+run+"/code/"+url.PathEscape(language))
}

// Validation is a request to evaluate a model on a file.
type Validation struct {
	Run, File string
	By        string // column that defines subgroups
	Name      string
	Report    string // .html or .pdf
}

// Validate evaluates the model of a run on a file with outcomes.
func (s *Session) Validate(ctx context.Context, v Validation) error {
	if err := reportChoices(v.Report, ""); err != nil {
		return err
	}
	q := url.Values{"evaluate": {"1"}}
	if v.By != "" {
		q.Set("by", v.By)
	}
	if v.Name != "" {
		q.Set("name", v.Name)
	}
	w, err := s.send(ctx, v.Run, v.File, "?"+q.Encode())
	if err != nil {
		return err
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		return err
	}
	var e struct {
		external.Evaluation
		ID      string
		Metrics map[string]any
	}
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	var r found
	if _, err := s.get(ctx, "/api/v1/runs/"+v.Run, &r); err != nil {
		return err
	}
	if err := s.print(text, func(w *tabwriter.Writer) { evaluationTables(w, e.Evaluation, e.Metrics, r) }); err != nil {
		return err
	}
	if v.Report == "" {
		return nil
	}
	if e.ID == "" {
		return usererr.New(usererr.Conflict, "This validation is not kept, so it has no report: %s", e.Warnings[0].Message)
	}
	return s.document(ctx, "/api/v1/evaluations/"+e.ID+"/report?download=1", v.Report)
}

// send posts a file to the model of a run.
func (s *Session) send(ctx context.Context, run, file, query string) (*http.Response, error) {
	f, err := openTable(ctx, file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return s.ask(ctx, "POST", "/api/v1/runs/"+run+"/predict"+query, "text/csv", f)
}

// Compare compares runs with the first one.
func (s *Session) Compare(ctx context.Context, runs []string) error {
	var c compare.Comparison
	text, err := s.get(ctx, "/api/v1/compare?"+url.Values{"ids": {strings.Join(runs, ",")}}.Encode(), &c)
	if err != nil {
		return err
	}
	return s.print(text, func(w *tabwriter.Writer) { comparisonTables(w, c) })
}

// Presets lists the built-in studies.
func (s *Session) Presets(ctx context.Context) error {
	var all list[struct{ ID, Figure, Title string }]
	text, err := s.get(ctx, "/api/v1/presets", &all)
	if err != nil {
		return err
	}
	return s.print(text, func(w *tabwriter.Writer) {
		row(w, "Study", "Figure", "Title")
		for _, p := range all.Items {
			row(w, p.ID, p.Figure, p.Title)
		}
	})
}

// Terms are the conditions on which other machines compute for a command.
type Terms struct {
	Class string // of the only processors that may compute units; "" = any
	Rows  string // queue to which the rows of an upload may go; "" = they stay
}

// Study runs a study, waits and prints its cells; file is a CSV or Parquet file for them, "" = none.
func (s *Session) Study(ctx context.Context, spec map[string]any, t Terms, file string) error {
	query := url.Values{}
	if t.Class != "" {
		query.Set("class", t.Class)
	}
	if t.Rows != "" {
		query.Set("share_rows", t.Rows)
	}
	var queued struct{ ID string }
	if _, err := s.call(ctx, "POST", "/api/v1/studies?"+query.Encode(), spec, &queued); err != nil {
		unknown := func(f usererr.Field) bool { return f.Field == "preset" }
		if e, ok := usererr.As(err); ok && slices.ContainsFunc(e.Fields, unknown) {
			return NewMisuse("There is no study %q. taper study lists them.", spec["preset"])
		}
		return err
	}
	at := "/api/v1/studies/" + queued.ID
	status, sentence, err := s.progress(ctx, at+"/events")
	if err != nil {
		return err
	}
	if status != store.Done {
		return usererr.New(usererr.Conflict, "The study %s is %s. %s", queued.ID, status, sentence)
	}
	var st api.Study
	text, err := s.get(ctx, at, &st)
	if err != nil {
		return err
	}
	if err := s.print(text, func(w *tabwriter.Writer) { studyTables(w, st) }); err != nil || file == "" {
		return err
	}
	w, err := s.ask(ctx, http.MethodGet, at+"/cells.csv", "", nil)
	if err != nil {
		return err
	}
	defer w.Body.Close()
	return s.writeTable(ctx, file, w.Body, table.Dialect{Delimiter: ",", Decimal: "."})
}

// Last returns the id of the newest run for "last", and other ids unchanged.
func (s *Session) Last(ctx context.Context, run string) (string, error) {
	if run != "last" {
		return url.PathEscape(run), nil
	}
	var all list[struct{ ID string }]
	if _, err := s.get(ctx, "/api/v1/runs?limit=1", &all); err != nil {
		return "", err
	}
	if len(all.Items) == 0 {
		return "", usererr.New(usererr.NotFound, "There is no run yet: taper stratify FILE makes one.")
	}
	return all.Items[0].ID, nil
}
