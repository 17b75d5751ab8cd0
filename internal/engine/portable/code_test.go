package portable_test

import (
	"bytes"
	"cmp"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"taper/internal/engine/loss"
	"taper/internal/engine/portable"
	"taper/internal/engine/prep"
	"taper/internal/engine/usererr"
)

func written(t *testing.T, p *portable.Model, language string) string {
	t.Helper()
	c, err := p.Code(language, "Taper, run r1 */ \n drop table patients; ]]>")
	if err != nil {
		t.Fatal(err)
	}
	return write(t, c.Name, c.Text)
}

// TestJavaScript: the JavaScript file, loaded by another program, gives the engine's
// predictions.
func TestJavaScript(t *testing.T) {
	node := program(t, "node", "the model as JavaScript")
	for _, s := range shippedSources() {
		t.Run(s.name, func(t *testing.T) {
			sample := s.sample(t, 1000)
			driver := strings.Replace(inNode, "const score = taperScorer(model);", "", 1)
			driver = strings.Replace(driver, "const {model, rows} =", "const {model, score} = require(process.argv[2]); const {rows} =", 1)
			sample.hold(t, runs[[]portable.Expected](t, map[string]any{"rows": sample.rows}, node, write(t, "driver.js", driver),
				written(t, sample.model, "javascript")))
		})
	}
}

// inPython scores rows with the generated Python module.
const inPython = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("model", sys.argv[1])
model = importlib.util.module_from_spec(spec)
spec.loader.exec_module(model)
levels, out = model.MODEL["levels"], []
for row in json.load(sys.stdin)["rows"]:
    s = model.score(row)
    if "scores" in s:
        answer = -1 if s["answer"] is None else levels.index(s["answer"])
        out.append({"f": s["scores"], "p": s["probabilities"], "a": answer, "o": bool(s["outside"])})
    else:
        p = None if s["probability"] is None else [s["probability"]]
        out.append({"f": [s["score"]], "p": p, "a": s["stratum"], "o": bool(s["outside"])})
print(json.dumps(out))
`

// TestPython: the Python file gives the engine's predictions.
func TestPython(t *testing.T) {
	python := program(t, "python3", "the model as Python")
	for _, s := range slices.Concat(shippedSources(), linkSources()) {
		t.Run(s.name, func(t *testing.T) {
			sample := s.sample(t, 1000)
			sample.hold(t, runs[[]portable.Expected](t, map[string]any{"rows": sample.rows}, python,
				write(t, "driver.py", inPython), written(t, sample.model, "python")))
		})
	}
}

// tabled reads predictions from a table with the columns that SQL and R write; a row outside
// the data has only its score.
func (s sample) tabled(t *testing.T, header []string, rows [][]string) {
	t.Helper()
	if len(rows) != len(s.said) {
		t.Fatalf("%d answers for %d rows", len(rows), len(s.said))
	}
	at := func(name string) int {
		k := slices.Index(header, name)
		if k < 0 {
			t.Fatalf("%s: no column %s among %v", s.name, name, header)
		}
		return k
	}
	value := func(text string) (float64, bool) {
		v, err := strconv.ParseFloat(text, 64)
		return v, err == nil
	}
	outside := 0
	for i, want := range s.said {
		row, got := rows[i], portable.Expected{}
		names, probabilities, label := []string{"score"}, []string{"probability"}, ""
		if s.model.Multiclass() {
			names, probabilities = nil, nil
			for _, l := range s.model.Levels {
				names, probabilities = append(names, "score_"+l), append(probabilities, "probability_"+l)
			}
			label = row[at("prediction")]
		} else {
			label = row[at("band")]
		}
		for _, n := range names {
			v, ok := value(row[at(n)])
			if !ok {
				t.Fatalf("%s, row %d: %s is %q", s.name, i, n, row[at(n)])
			}
			got.Scores = append(got.Scores, v)
		}
		for _, n := range probabilities {
			if v, ok := value(row[at(n)]); ok {
				got.Probabilities = append(got.Probabilities, v)
			}
		}
		got.Outside = label == "outside the data"
		if want.Outside {
			outside++
			want.Probabilities, want.Answer, got.Answer = nil, 0, 0
		} else if s.model.Multiclass() {
			got.Answer = slices.Index(s.model.Levels, label)
		} else if got.Answer = slices.Index(s.model.Bands, label); row[at("stratum")] != strconv.Itoa(got.Answer) {
			t.Fatalf("%s, row %d: stratum %s, band %s", s.name, i, row[at("stratum")], label)
		}
		if why := differs(got, want, s.sizes[i]); why != "" {
			t.Fatalf("%s, row %d %v: %s", s.name, i, s.rows[i], why)
		}
	}
	if outside == 0 || outside == len(s.said) {
		t.Errorf("%s: %d of %d rows are outside the data", s.name, outside, len(s.said))
	}
}

// TestSQL: the SQL query gives the engine's predictions in SQLite.
func TestSQL(t *testing.T) {
	for _, s := range slices.Concat(shippedSources(), linkSources()) {
		t.Run(s.name, func(t *testing.T) {
			sample := s.sample(t, 1000)
			code, err := sample.model.Code("sql", "Taper")
			if l := sample.model.Link; l == loss.LinkEscort || l == loss.LinkTempered {
				if !usererr.Is(err, usererr.Conflict) {
					t.Fatalf("a link without a closed form: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "patients.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			names, marks := []string{}, []string{}
			for _, c := range sample.model.Columns {
				names, marks = append(names, `"`+c.Name+`"`), append(marks, "?")
			}
			tx, err := db.Begin()
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			if _, err := tx.Exec("CREATE TABLE patients (" + strings.Join(names, ", ") + ")"); err != nil {
				t.Fatal(err)
			}
			for _, row := range sample.rows {
				var cells []any
				for _, c := range sample.model.Columns {
					cells = append(cells, row[c.Name])
				}
				if _, err := tx.Exec("INSERT INTO patients VALUES ("+strings.Join(marks, ", ")+")", cells...); err != nil {
					t.Fatal(err)
				}
			}
			found, err := tx.Query(code.Text)
			if err != nil {
				t.Fatalf("%v\n%.2000s", err, code.Text)
			}
			defer found.Close()
			header, err := found.Columns()
			if err != nil {
				t.Fatal(err)
			}
			var rows [][]string
			for found.Next() {
				cells, into := make([]any, len(header)), make([]any, len(header))
				for k := range cells {
					into[k] = &cells[k]
				}
				if err := found.Scan(into...); err != nil {
					t.Fatal(err)
				}
				texts := make([]string, len(cells))
				for k, v := range cells {
					if f, ok := v.(float64); ok {
						texts[k] = strconv.FormatFloat(f, 'g', -1, 64)
					} else if v != nil {
						texts[k] = fmt.Sprint(v)
					}
				}
				rows = append(rows, texts)
			}
			if err := found.Err(); err != nil {
				t.Fatal(err)
			}
			sample.tabled(t, header, rows)
		})
	}
}

// TestPostgreSQL: the query for PostgreSQL gives the engine's predictions on the server that TAPER_POSTGRES names, as
// a URL for psql. It leaves nothing there: the table is a temporary one.
func TestPostgreSQL(t *testing.T) {
	server := os.Getenv("TAPER_POSTGRES")
	if server == "" {
		t.Skip("TAPER_POSTGRES names no server: the query for PostgreSQL was not compared with the engine.")
	}
	psql := program(t, "psql", "the query for PostgreSQL")
	for _, s := range slices.Concat(shippedSources(), linkSources()) {
		t.Run(s.name, func(t *testing.T) {
			sample := s.sample(t, 1000)
			code, err := sample.model.Code("postgresql", "Taper")
			if usererr.Is(err, usererr.Conflict) {
				return // TestSQL holds which
			}
			if err != nil {
				t.Fatal(err)
			}
			var script strings.Builder
			script.WriteString("CREATE TEMPORARY TABLE patients (row_of_test integer")
			for _, c := range sample.model.Columns {
				kind := "text"
				if c.Origin != nil {
					kind = "date"
				} else if c.Kind == prep.Number {
					kind = "float8"
				}
				script.WriteString(`, "` + strings.ReplaceAll(c.Name, `"`, `""`) + `" ` + kind)
			}
			script.WriteString(");\nCOPY patients FROM STDIN WITH (FORMAT csv);\n")
			for i, row := range sample.rows {
				fmt.Fprint(&script, i)
				for _, c := range sample.model.Columns {
					switch v := row[c.Name].(type) {
					case nil:
						script.WriteString(",")
					case string:
						script.WriteString(`,"` + strings.ReplaceAll(v, `"`, `""`) + `"`)
					default:
						fmt.Fprintf(&script, ",%v", v)
					}
				}
				script.WriteString("\n")
			}
			script.WriteString("\\.\n" + code.Text)
			run := exec.Command(psql, server, "--no-psqlrc", "--quiet", "--csv", "--set=ON_ERROR_STOP=1")
			run.Stdin = strings.NewReader(script.String())
			out, err := run.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
			}
			rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			header, rows := rows[0], rows[1:]
			number := func(row []string) int { n, _ := strconv.Atoi(row[0]); return n }
			slices.SortFunc(rows, func(a, b []string) int { return cmp.Compare(number(a), number(b)) })
			sample.tabled(t, header, rows)
		})
	}
}

// TestR: the R file gives the engine's predictions.
func TestR(t *testing.T) {
	rscript := program(t, "Rscript", "the model as R")
	for _, s := range slices.Concat(shippedSources(), linkSources()) {
		t.Run(s.name, func(t *testing.T) {
			sample := s.sample(t, 1000)
			dir := t.TempDir()
			var b strings.Builder
			for i, c := range sample.model.Columns {
				kind := "character"
				if c.Kind == prep.Number {
					kind = "numeric"
				}
				fmt.Fprintf(&b, "%s\t%s\n", kind, c.Name)
				var cells []string
				for _, row := range sample.rows {
					text := ""
					switch v := row[c.Name].(type) {
					case float64:
						text = strconv.FormatFloat(v, 'g', 17, 64)
					case string:
						text = v
					}
					cells = append(cells, text)
				}
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(strings.Join(cells, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "columns"), []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			driver := write(t, "driver.R", `
args <- commandArgs(trailingOnly = TRUE)
source(args[1], encoding = "UTF-8")
columns <- strsplit(readLines(file.path(args[2], "columns"), encoding = "UTF-8"), "\t")
data <- lapply(seq_along(columns), function(i) {
  x <- readLines(file.path(args[2], i - 1), encoding = "UTF-8")
  if (columns[[i]][1] == "numeric") as.numeric(ifelse(x == "", NA, x)) else x
})
names(data) <- vapply(columns, function(c) c[2], "")
said <- score(as.data.frame(data, check.names = FALSE, stringsAsFactors = FALSE))
cat(paste(names(said), collapse = "\t"), "\n", sep = "")
texts <- lapply(said, function(v) if (is.numeric(v)) ifelse(is.na(v), "", sprintf("%.17g", v)) else v)
cat(do.call(paste, c(unname(texts), sep = "\t")), sep = "\n")
`)
			out, err := exec.Command(rscript, "--vanilla", driver, written(t, sample.model, "r"), dir).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%.2000s", err, out)
			}
			lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			var rows [][]string
			for _, l := range lines[1:] {
				rows = append(rows, strings.Split(l, "\t"))
			}
			sample.tabled(t, strings.Split(lines[0], "\t"), rows)
		})
	}
}

// TestScoreFile: the Python file scores a CSV file like score.py with the model as a separate
// file.
func TestScoreFile(t *testing.T) {
	python := program(t, "python3", "score.py")
	sample := shippedSources()[2].sample(t, 40)
	data := write(t, "data.csv", string(shippedSources()[2].data))
	model := write(t, "model.json", string(sample.model.JSON()))
	one, err := exec.Command(python, "score.py", model, data).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, one)
	}
	other, err := exec.Command(python, written(t, sample.model, "python"), data).CombinedOutput()
	if err != nil || string(one) != string(other) {
		t.Errorf("%v: %.300s\n%.300s", err, one, other)
	}
	read, closed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close() // as head does when it has seen enough
	var complaint strings.Builder
	piped := exec.Command(python, "score.py", model, data)
	piped.Stdout, piped.Stderr = closed, &complaint
	if err := piped.Run(); err != nil || complaint.Len() > 0 {
		t.Errorf("to a reader that stops: %v, %s", err, complaint.String())
	}
	closed.Close()
	if out, err := exec.Command(python, "score.py").CombinedOutput(); err == nil || !strings.Contains(string(out), "MODEL.json DATA.csv") {
		t.Errorf("without files it says %s", out)
	}
}

// TestCodeOf: the error for an unknown language lists the known ones.
func TestCodeOf(t *testing.T) {
	p := linkSources()[0].sample(t, 200).model
	if _, err := p.Code("cobol", ""); !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), "sql") {
		t.Errorf("%v", err)
	}
	var again map[string]any
	if err := json.Unmarshal(p.JSON(), &again); err != nil {
		t.Error(err)
	}
}
