package viz

import (
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/stat"
)

// TestAbstentionInLegend: the rows without an answer are named as on all pages, not as in files.
func TestAbstentionInLegend(t *testing.T) {
	f := ClassScatter(&engine.Result{Classes: &engine.ClassResult{Levels: []string{"a", "b"}, PCA: &engine.ClassPCA{
		Share: [2]float64{0.6, 0.2}, X: []float64{0, 1, 2}, Y: []float64{0, 1, 0}, Class: []int{0, 1, 1},
		Predicted: []int{0, 1, stat.Abstained}}}})
	if f.Legend[0].Text != "No answer" || f.Rows[0][0] != "No answer" {
		t.Errorf("legend %q, table %q", f.Legend[0].Text, f.Rows[0][0])
	}
}
