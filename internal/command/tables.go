package command

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/engine/compare"
	"taper/internal/engine/external"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/web/api"
	"taper/internal/web/format"
)

// row writes the cells of a row.
func row(w *tabwriter.Writer, cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprint(w, c)
	}
	fmt.Fprintln(w)
}

func dataTables(w *tabwriter.Writer, d api.Dataset) {
	fmt.Fprintf(w, "%s: %s, %d rows, %d columns\n", d.ID, d.Name, d.Rows, len(d.Columns))
	if d.Outcome != "" {
		fmt.Fprintf(w, "Outcome %s", d.Outcome)
		if len(d.Positive) > 0 {
			fmt.Fprintf(w, ", event %s", d.Positive)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	row(w, "Column", "Type", "Role", "Missing", "Distinct", "Range or levels")
	for _, c := range d.Columns {
		row(w, c.Name, c.Type, c.Role, c.Missing, c.Distinct, extent(c))
	}
	if asked := open(d); len(asked) > 0 {
		fmt.Fprintln(w, "\nOpen questions")
		for _, q := range asked {
			fmt.Fprintf(w, "- %s (%s)\n", q.Message, strings.Join(labels(q.Choices), " | "))
		}
	}
	if slices.ContainsFunc(d.Warnings, func(q table.Warning) bool { return q.Level != "ask" }) {
		fmt.Fprintln(w, "\nNotes")
		for _, q := range d.Warnings {
			if q.Level != "ask" {
				fmt.Fprintf(w, "- %s\n", q.Message)
			}
		}
	}
}

// extent is the range of a number, or the most frequent levels.
func extent(c table.Profile) string {
	if c.Min != nil && c.Max != nil {
		return format.ExactNumber(c.Min) + " to " + format.ExactNumber(c.Max)
	}
	var names []string
	for _, l := range c.Levels {
		names = append(names, l.Level)
	}
	return format.Names(names, 4)
}

func runTables(w *tabwriter.Writer, r found, p stat.Performance) {
	fmt.Fprintf(w, "%s: %s, %s\n", r.ID, r.Name, r.Status)
	if r.Error != "" {
		fmt.Fprintln(w, r.Error)
	}
	if r.Result == nil {
		return
	}
	fmt.Fprintf(w, "%s, %s", r.Method, r.Validation)
	if r.Given == nil { // a given model has no known penalty
		fmt.Fprintf(w, ", λ = %.3g", r.L2)
	}
	if note := loss.TitleNote(r.Spec.Model.Loss); note != "" {
		fmt.Fprintf(w, ". %s", note)
	}
	fmt.Fprint(w, "\n\n")
	if r.Classes != nil {
		classTables(w, r)
		return
	}
	strata(w, r.Boundaries, r.Strata)
	cutoffs(w, r.Given)
	fmt.Fprintln(w)
	performance(w, p)
	if r.Given != nil && r.Clinical != nil && r.Clinical.AUC != nil {
		of := stat.ByID("auc")
		fmt.Fprintf(w, "\nAUC minus that of logistic regression on the same rows (DeLong): %s, 95 %% CI %s\n",
			signed(of, r.Clinical.AUC.Difference.Value), limits(of, r.Clinical.AUC.Difference, true))
	}
	if len(r.Warnings) > 0 {
		fmt.Fprintln(w)
	}
	for _, q := range r.Warnings {
		fmt.Fprintf(w, "- %s\n", q.Message)
	}
}

// cutoffs prints the cut-offs of a given score.
func cutoffs(w *tabwriter.Writer, g *engine.Given) {
	if g == nil || len(g.Cutoffs) == 0 {
		return
	}
	side := "above"
	if g.Falls {
		side = "below"
	}
	fmt.Fprintln(w)
	row(w, "Risk", "Score", "95 % interval")
	for _, c := range g.Cutoffs {
		row(w, fmt.Sprintf("above %.4g %%", 100*c.Boundary), fmt.Sprintf("%s %.6g", side, c.Value), number(c.Low)+" to "+
			number(c.High))
	}
}

func number(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.6g", *v)
}

// signed formats a difference of a statistic.
func signed(of stat.Statistic, v *float64) string {
	if v == nil {
		return "–"
	}
	text := format.StatisticOf(of, v)
	if *v > 0 {
		text = "+" + text
	}
	return text
}

// limits formats the interval of a statistic.
func limits(of stat.Statistic, e stat.Estimate, difference bool) string {
	return format.IntervalOf(of, e, difference, " to ")
}

// classTables prints the statistics of a multiclass run.
func classTables(w *tabwriter.Writer, r found) {
	var metrics struct{ Test map[string]any }
	if err := json.Unmarshal(r.Metrics, &metrics); err != nil {
		fmt.Fprintln(w, "The metrics cannot be read:", err)
		return
	}
	classMeasures(w, metrics.Test)
	fmt.Fprintln(w)
	row(w, "Class", "Rows trained on", "Rows scored")
	for _, c := range r.Classes.Rows {
		row(w, c.Level, c.Trained, c.Scored)
	}
}

func classMeasures(w *tabwriter.Writer, metrics map[string]any) {
	row(w, "Statistic", "Value")
	for _, of := range stat.Which(stat.Statistic.OfClasses) {
		if v, ok := metrics[of.ID].(float64); ok {
			row(w, of.Label, format.WithUnit(of, &v))
		}
	}
}

// strata prints a row for each band.
func strata(w *tabwriter.Writer, boundaries []float64, bands []stat.Stratum) {
	row(w, "Band", "Rows", "Events", "Observed", "95 % CI", "Verdict")
	names := stat.BandLabels(boundaries)
	for i, b := range bands {
		row(w, names[i], b.N, b.Events, format.PercentOf(b.Observed), interval(b.Low, b.High), b.Verdict)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "95 % CI of the observed rate: Wilson.", stat.BandVerdicts)
}

// performance prints the available statistics, the core ones first.
func performance(w *tabwriter.Writer, p stat.Performance) {
	row(w, "Statistic", "Value", "95 % CI")
	for _, of := range stat.PerformanceTable() {
		if e := p.Of(of.ID); e.Value != nil {
			row(w, of.Label, format.WithUnit(of, e.Value), limits(of, e, false))
		}
	}
}

func evaluationTables(w *tabwriter.Writer, e external.Evaluation, metrics map[string]any, r found) {
	fmt.Fprintf(w, "%s on %d of %d rows\n\n", r.Name, e.Rows, e.Read)
	switch {
	case e.Performance != nil:
		strata(w, r.Boundaries, e.Strata)
		if !e.OneClass() {
			fmt.Fprintln(w)
			performance(w, *e.Performance)
		}
	case !e.OneClass():
		classMeasures(w, metrics)
	}
	if len(e.Warnings) > 0 {
		fmt.Fprintln(w)
	}
	for _, q := range e.Warnings {
		fmt.Fprintf(w, "- %s\n", q.Message)
	}
}

func comparisonTables(w *tabwriter.Writer, c compare.Comparison) {
	for i, id := range c.IDs {
		fmt.Fprintf(w, "%s: %s, %s\n", id, c.Names[i], c.Methods[i])
	}
	fmt.Fprintln(w)
	cells := []any{"Statistic"}
	for _, id := range c.IDs {
		cells = append(cells, id)
	}
	row(w, cells...)
	for _, m := range c.Metrics {
		of := stat.ByID(m.ID)
		cells := []any{of.Label}
		for _, v := range m.Values {
			cells = append(cells, format.WithUnit(of, v))
		}
		row(w, cells...)
	}
	differences(w, c)
	for _, q := range c.Warnings {
		fmt.Fprintf(w, "- %s\n", q.Message)
	}
}

// differences prints the paired differences, or says that there are none.
func differences(w *tabwriter.Writer, c compare.Comparison) {
	var rows [][]any
	for i, id := range c.IDs {
		for _, m := range c.Metrics {
			of, d := stat.ByID(m.ID), m.PairedDifferences[i]
			if d == nil || d.Value == nil {
				continue
			}
			label := of.Label
			if of.Unit == "%" {
				label += ", percentage points"
			}
			rows = append(rows, []any{id, label, signed(of, d.Value),
				limits(of, stat.Estimate{Value: d.Value, Low: d.Low, High: d.High}, true), stat.VerdictWord(m.Verdicts[i])})
		}
	}
	fmt.Fprintln(w)
	if len(rows) == 0 {
		why := "."
		if len(c.Warnings) > 0 {
			why = ":"
		}
		fmt.Fprintf(w, "No statistic can be subtracted from the baseline’s (%s)%s\n", c.Baseline, why)
		return
	}
	fmt.Fprintf(w, "Difference = run − baseline (%s)\n", c.Baseline)
	row(w, "Run", "Statistic", "Difference", "95 % CI", "Verdict")
	for _, cells := range rows {
		row(w, cells...)
	}
	fmt.Fprintln(w, "\nPaired differences on the rows that both runs tested. Better, worse: the 95 % CI excludes 0. "+
		"No significant difference: it includes 0.")
}

func studyTables(w *tabwriter.Writer, st api.Study) {
	fmt.Fprintf(w, "%s: %s, %s\n\n", st.ID, st.Name, st.Status)
	row(w, "Data", "Model", "Noise", "Metric", "At", "n", "Mean", "95 % CI")
	for _, c := range st.Cells {
		of := "–"
		if c.Low != nil && c.High != nil {
			of = fmt.Sprintf("%.4g to %.4g", *c.Low, *c.High)
		}
		mean := "–"
		if c.Mean != nil {
			mean = fmt.Sprintf("%.4g", *c.Mean)
		}
		row(w, c.Data, c.Model, c.Noise, c.Metric, c.At, c.N, mean, of)
	}
	for _, q := range st.Warnings {
		fmt.Fprintf(w, "- %s\n", q)
	}
}

func verificationTable(w *tabwriter.Writer, v app.Verification) {
	if v.Verdict != app.Differs {
		fmt.Fprintf(w, "%s\n\n", v.Sentence)
	}
	row(w, "Run", v.Name+" ("+v.Run+")")
	row(w, "Data, SHA-256", v.SHA256)
	row(w, "Computed by", "Taper "+v.Version, v.Maker.Engine, v.Maker.Class)
	row(w, "Computed again by", "Taper "+v.HereVersion, v.Here.Engine, v.Here.Class)
	row(w, "Values compared", v.Values)
	row(w, "Not the same to the bit", v.Differing)
}

func interval(low, high *float64) string {
	if low == nil || high == nil {
		return "–"
	}
	return format.PercentOf(low) + " to " + format.PercentOf(high)
}
