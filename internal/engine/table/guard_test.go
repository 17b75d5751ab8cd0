package table

import (
	"bytes"
	"encoding/csv"
	"testing"
)

// TestGuard: text that a spreadsheet would run gets a quote and loses it again
// when it is read; numbers and blanks stay.
func TestGuard(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"yes":               "yes",
		"a=b":               "a=b",
		"=1+1":              "'=1+1",
		"+yes":              "'+yes",
		"-x":                "'-x",
		"@sum":              "'@sum",
		"\t=1":              "'\t=1",
		"\r=1":              "'\r=1",
		"-":                 "'-",
		"+49-30":            "'+49-30",
		"-5 mg":             "'-5 mg",
		"-1":                "-1",
		"+2.5e-3":           "+2.5e-3",
		"-1,5":              "-1,5",
		"-1.234,5":          "-1.234,5",
		"-1,234.5":          "-1,234.5",
		"-Inf":              "-Inf",
		"\t":                "\t",
		"'=1":               "'=1",
		"=HYPERLINK(\"x\")": "'=HYPERLINK(\"x\")",
	} {
		if got := Guard(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if back := Unguard(Guard(text)); Guard(text) != text && back != string(trim([]byte(text))) {
			t.Errorf("%q reads back as %q", text, back)
		}
	}
}

// TestCSVGuards: the three writers of the package give a cell the same guard.
func TestCSVGuards(t *testing.T) {
	var lines, rows bytes.Buffer
	w := NewCSV(&lines)
	w.Write("=h", "n")
	w.Write("\r=x", "-1")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	r, err := NewRowReader(t.Context(), []byte("=h,n\n\"\r=x\",-1\n"), Dialect{}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rw, err := NewRowWriter(&rows, r, []string{"@answer"}, false)
	if err != nil {
		t.Fatal(err)
	}
	var row Row
	if err := r.Read(&row); err != nil {
		t.Fatal(err)
	}
	if err := rw.Write(&row, "\r=x"); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][][]string{
		lines.String(): {{"'=h", "n"}, {"'\r=x", "-1"}},
		rows.String():  {{"'=h", "n", "'@answer"}, {"'\r=x", "-1", "'\r=x"}},
	} {
		got, err := csv.NewReader(bytes.NewReader([]byte(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			for j := range want[i] {
				if got[i][j] != want[i][j] {
					t.Errorf("cell %d of line %d is %q, want %q", j+1, i+1, got[i][j], want[i][j])
				}
			}
		}
	}
}
