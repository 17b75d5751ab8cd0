package report

import (
	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/prep"
	"taper/internal/web/format"
)

// classTable counts the classes as print may show them.
func (p Printed) classTable() mask.Table { return p.released[classes] }

// classRows counts the classes: N is all rows of a class, Events those that judge,
// which of a split are those held out.
func (c Clinical) classRows() (rows []mask.Split) {
	for _, class := range c.Result.Classes.Rows {
		s := mask.Split{N: class.Scored, Events: class.Scored}
		if c.split() {
			s.N += class.Trained
		}
		rows = append(rows, s)
	}
	return rows
}

// classSizes are the rows of each class that judge, as print may show them.
func (p Printed) classSizes() []string {
	var out []string
	for _, r := range p.classTable().Rows {
		n := r.N
		if p.split() {
			n = r.Events
		}
		out = append(out, n.CountText())
	}
	return out
}

// outcomeTable counts the classes of the outcome.
func (p Printed) outcomeTable() doc.Table {
	t := doc.Table{Label: "Classes of " + p.r.Outcome, Class: "tbl-tight",
		Columns: []doc.Column{{Label: "Class"}, {Label: "Rows", Number: true}}}
	masked := p.classTable()
	if p.split() {
		t.Columns = []doc.Column{{Label: "Class"}, {Label: "Trained on", Number: true}, {Label: "Held out", Number: true}}
	}
	for k, c := range p.r.Classes.Rows {
		r, cells := masked.Rows[k], []string{c.Level}
		if p.split() {
			cells = append(cells, r.Others.CountText(), r.Events.CountText())
		} else {
			cells = append(cells, r.N.CountText())
		}
		t.Rows = append(t.Rows, doc.TextRow(cells))
	}
	if masked.Hidden() {
		t.Note = "Counts of 1 to 9 are masked, and what would tell them."
	}
	return t
}

// outcomeNote says what the outcome is and what its classes are.
func (p Printed) outcomeNote() string {
	return "Outcome: " + p.r.Outcome + ", " + format.Task(p.run.Spec) + "."
}

// classTable1 describes the predictors by class, as external validations do. In a
// split it counts the rows trained on and those held out together, and would tell
// one of them that is masked.
func (p Printed) classTable1() doc.Table {
	masked, c := p.classTable(), p.r.Classes
	t := doc.Table{Label: "Table 1: predictors by class", Class: "tbl-tight",
		Columns: []doc.Column{{Label: "Table 1", Unit: "median (quartiles); % of the class"}}}
	if p.split() && masked.Hidden() || len(c.Rows) == 0 {
		return t
	}
	totals := make([]int, len(c.Rows))
	for k, r := range c.Rows {
		if totals[k] = r.Scored; p.split() {
			totals[k] += r.Trained
		}
		t.Columns = append(t.Columns, doc.Column{Label: r.Level, Unit: "n = " + masked.Rows[k].N.CountText(),
			Number: true})
	}
	t.Columns = append(t.Columns, doc.Column{Label: "Missing", Number: true})
	for _, s := range shiftsOf(c.Table1, totals) {
		rows := []doc.Row{}
		if s.Kind == prep.Number {
			rows = append(rows, classNumber(s))
		} else {
			rows = classLevels(s, totals)
		}
		for _, r := range rows { // nothing lies outside what training saw
			t.Rows = append(t.Rows, doc.Row{Cells: r.Cells[:len(r.Cells)-1]})
		}
	}
	return t
}

// shiftsOf puts Table 1 into the form that validations describe predictors in, a
// predictor each.
func shiftsOf(rows []engine.ClassTable1, totals []int) (all []engine.Shift) {
	for _, r := range rows {
		if r.Level == "" {
			s := engine.Shift{Name: r.Name, Kind: prep.Number, N: totals, Missing: r.Missing}
			for k := range r.Classes {
				s.Quartiles = append(s.Quartiles, &r.Classes[k])
			}
			all = append(all, s)
			continue
		}
		if n := len(all); n == 0 || all[n-1].Name != r.Name || all[n-1].Kind == prep.Number {
			all = append(all, engine.Shift{Name: r.Name, Kind: prep.Category, N: make([]int, len(totals)), Missing: r.Missing})
		}
		s, l := &all[len(all)-1], engine.ShiftLevel{Level: r.Level}
		for k, v := range r.Classes {
			l.N = append(l.N, int(v[0]))
			s.N[k] += int(v[0])
		}
		s.Levels = append(s.Levels, l)
	}
	return all
}
