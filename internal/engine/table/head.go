package table

import "context"

// Preview is the start of a file as text.
type Preview struct {
	Header  []string   `json:"header"`
	Rows    [][]string `json:"rows"` // cells without conversion; a ragged row keeps its length
	Line    []int      `json:"line"` // file line of each row, from 1
	Dialect Dialect    `json:"dialect"`
	Sheets  []string   `json:"sheets,omitempty"` // of a workbook
}

// previewCell is the largest number of bytes shown of one cell.
const previewCell = 1000

// Head returns the first n data rows. Unlike Read it accepts files with ragged rows, stray quotes or binary
// data, so that a user can correct the dialect. Data that are no table at all are an error here too.
func Head(ctx context.Context, data []byte, d Dialect, n int) (Preview, error) {
	lim := DefaultLimits
	lim.Bytes = max(lim.Bytes, int64(len(data)))
	l, err := detect(ctx, data, d, lim)
	if err != nil {
		return Preview{}, err
	}
	l.formats()
	p := Preview{Header: l.names, Rows: [][]string{}, Line: []int{}, Dialect: l.d, Sheets: l.sheets}
	for _, r := range l.take(l.g, l.body, n, lim.Columns, l.line(l.body.from)) {
		for j, c := range r.cells {
			if len(c) > previewCell {
				r.cells[j] = string([]rune(c[:previewCell])) + "…"
			}
		}
		p.Rows, p.Line = append(p.Rows, r.cells), append(p.Line, r.line)
	}
	return p, nil
}
