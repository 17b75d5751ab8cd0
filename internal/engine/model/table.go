package model

import "taper/internal/engine/table"

// ScoreTable scores every row of a table and calls do for each. Cells are parsed like those of a CSV file with
// decimal points. A column that the model uses and the table lacks is an error.
func (s *Scorer) ScoreTable(t *table.Table, do func(row int, p Prediction)) error {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	if err := s.require(names); err != nil {
		return err
	}
	columns := map[string]*table.Column{}
	for _, name := range s.Columns() {
		columns[name] = t.Column(name)
	}
	for row := range t.Rows {
		do(row, s.Score(func(name string) (string, bool) { return columns[name].Text(row), true }))
	}
	return nil
}
