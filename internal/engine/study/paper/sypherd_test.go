package paper

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// TestOutsideOfFigure4: a rule that is worked out by hand on the figure's rows,
// by a reader of the two files alone: the sign of the first column.
func TestOutsideOfFigure4(t *testing.T) {
	p, _ := Presets.ByID("sypherd-fig4")
	var rows bytes.Buffer
	if err := p.ExternalModel.WriteRows(t.Context(), &rows, 9, []int{0}); err != nil {
		t.Fatal(err)
	}
	d, err := longServedio(t.Context(), 9, 0, .1)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&rows).ReadAll()
	if err != nil || len(lines) != 1+longServedioTrain+longServedioTest || len(lines[0]) != 3+21+1 {
		t.Fatal(len(lines), err)
	}
	file, right := "depth,replicate,row,prediction\n", 0
	for _, l := range lines[1:] {
		if l[1] != "judge" {
			continue
		}
		x, _ := strconv.ParseFloat(l[3], 64)
		k, _ := strconv.Atoi(l[2])
		guess := 0
		if x > 0 {
			guess = 1
		}
		file += fmt.Sprintf("2,0,%d,%d\n", k, guess)
		if d.Test.Y[k] == guess {
			right++
		}
		if l[24] != "" {
			t.Fatal("the file tells the label of a row that judges")
		}
	}
	cells, err := p.ExternalModel.Evaluate(t.Context(), strings.NewReader(file), 9, []int{0})
	if err != nil || len(cells) != 1 || math.Abs(*cells[0].Mean-float64(right)/longServedioTest) > 1e-15 || right == 0 || right == longServedioTest {
		t.Errorf("%+v, %v; want %d right", cells, err, right)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := p.ExternalModel.WriteRows(gone, &rows, 9, []int{0}); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
