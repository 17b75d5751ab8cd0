package study

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/usererr"
)

// small is a method of another program on four test rows.
var small = &ExternalModel{Name: "other", Place: "depth", Places: []float64{1, 5}, Noise: .1, Draw: func(_ context.Context, _ uint64, r int) (a, b Rows, err error) {
	a = Rows{X: linear.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 2, 3, 4.5}}, Y: []int{0, 1}}
	return a, Rows{X: linear.Matrix{Rows: 4, Cols: 2, Data: []float64{1, 1, 2, 2, 3, 3, 4, 4}}, Y: []int{r % 2, 1, 1, 0}}, nil
}}

func TestExternalModel(t *testing.T) {
	var b bytes.Buffer
	if err := small.WriteRows(t.Context(), &b, 3, []int{0, 1}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.HasPrefix(text, "replicate,part,row,x1,x2,label\n0,train,0,1,2,0\n0,train,1,3,4.5,1\n0,test,0,1,1,\n") || strings.Count(text, "\n") != 13 {
		t.Errorf("the rows are %s", text)
	}
	// replicate 0 is 0 1 1 0: right in three at depth 1, in one at depth 5; replicate 1 is 1 1 1 0, at depth 1 alone
	cells, err := small.Evaluate(t.Context(), strings.NewReader("row, prediction ,replicate,depth,note\n0,0.2,0,1,x\n1,.9,0,1,\n2,1,0,1,\n3,0.7,0,1,\n3,0,1,1,\n2,1,1,1,\n1,1,1,1,\n0,1,1,1,\n0,1,0,5,\n1,0,0,5,\n2,0,0,5,\n3,0,0,5,\n"), 3, []int{0, 1})
	if err != nil || len(cells) != 2 {
		t.Fatal(cells, err)
	}
	if c := cells[0]; c.Key != (Key{Model: "other, uploaded", Noise: .1, Metric: "accuracy", At: 1}) || c.N != 2 || *c.Mean != .875 || *c.Values[0] != .75 {
		t.Errorf("%+v", c)
	}
	if c := cells[1]; c.At != 5 || c.N != 1 || *c.Mean != .25 {
		t.Errorf("%+v", c)
	}
	own := []Cell{{Key: Key{Model: "ours"}}, {Key: Key{Model: small.Model()}}}
	if got := small.Join(own, cells); len(got) != 3 || got[0].Model != "ours" || got[1].At != 1 || own[1].At != 0 {
		t.Errorf("%+v", got)
	}
}

func TestExternalModelRefuses(t *testing.T) {
	const head = "depth,replicate,row,prediction\n"
	for file, says := range map[string]string{
		"":                       "The file is empty.",
		"depth,row,prediction\n": "replicate is missing",
		"depth;replicate;row;prediction\n1;0;0;0,5\n": "separated by semicolons: save the file as CSV with commas",
		"depth\treplicate\trow\tprediction\n":         "separated by tabs",
		head:                                          "holds no predictions",
		head + "2,0,0,1\n":                            "Line 2: depth must be one of 1, 5.",
		head + "1,7,0,1\n":                            "Line 2: this study has the replicates 0 to 1.",
		head + "1,0,4,1\n":                            "Line 2: test rows are numbered from 0 to 3.",
		head + "1,0,0,yes\n":                          "Line 2: a prediction is 0 or 1, or the probability of 1.",
		head + "1,0,0,NaN\n":                          "Line 2: a prediction",
		head + "1,0,0,1\n1,0,0,1\n":                   "Line 3: row 0 of replicate 0 is there twice at depth 1.",
		head + "1,0,0,1\n1,0,1,1\n":                   "depth 1 of replicate 0 has 2 of 4 rows",
		head + "1,0,0\n":                              "Line 2 cannot be read as CSV with commas.",
		"\"depth,replicate,row,predict\n":             "Line 1 cannot be read",
	} {
		_, err := small.Evaluate(t.Context(), strings.NewReader(file), 1, []int{0, 1})
		if e, ok := usererr.As(err); !ok || !strings.Contains(e.Detail, says) {
			t.Errorf("%q: %v, want %q", file, err, says)
		}
	}
}

func FuzzExternalModel(f *testing.F) {
	f.Add([]byte("depth,replicate,row,prediction\n1,0,0,1\n1,0,1,1\n1,0,2,1\n1,0,3,0\n"))
	f.Add([]byte("\ufeffprediction,row,replicate,depth\n\"0.5\",3,1,5\n"))
	f.Add([]byte("depth,replicate,row,prediction\n1e0,+0,00,0x1p-2\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		cells, err := small.Evaluate(context.Background(), bytes.NewReader(file), 1, []int{0, 1})
		if _, ours := usererr.As(err); err != nil && !ours {
			t.Fatal(err)
		}
		for _, c := range cells {
			if c.N < 1 || c.N > 2 || !(*c.Mean >= 0 && *c.Mean <= 1) {
				t.Fatalf("%+v", c)
			}
		}
	})
}
