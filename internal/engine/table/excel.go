package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"

	"taper/internal/engine/cost"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// openExcel converts one sheet of a workbook to CSV text, so that all later steps are the same for both
// formats. Numbers come as stored, not as formatted (a format without decimals would round them); dates come in
// ISO 8601. Nothing is unpacked to disk, and at most twice Limits.Bytes to memory. One workbook is read at a
// time, to bound the memory of the process; ctx ends the wait and the work.
func openExcel(ctx context.Context, data []byte, d Dialect, lim Limits) (s *source, err error) {
	free, err := takeWorkbook(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	defer func() { // excelize panics on some corrupt workbooks
		if recover() != nil {
			s, err = nil, usererr.New(usererr.Invalid, excelSentence)
		}
	}()
	size := unpackedLimit(len(data), lim)
	parts, err := countWorkbook(ctx, data, size)
	if err != nil {
		return nil, err
	}
	if _, err := cost.Hold(ctx, "Unpacking this workbook", workbookTimes*parts.unpacked); err != nil {
		if e, ok := usererr.As(err); ok && e.Code == usererr.Invalid && e.Costly { // the same table as CSV needs less memory
			e.Detail = strings.TrimSuffix(e.Detail, ".") + ", or save the sheet as CSV UTF-8."
		}
		return nil, err
	}
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: size, UnzipXMLSizeLimit: size})
	if err != nil {
		return nil, usererr.New(usererr.Invalid, excelSentence)
	}
	defer f.Close()
	for _, name := range parts.spare {
		f.Pkg.Delete(name)
	}
	sheets := f.GetSheetList()
	name, err := pick(sheets, d.Sheet)
	if err != nil {
		return nil, err
	}
	if err := plainStyles(f); err != nil {
		return nil, usererr.New(usererr.Invalid, excelSentence)
	}
	markEnds(f)
	text, err := sheetText(ctx, f, name, size, parts.unpacked, lim.Columns)
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		return nil, usererr.New(usererr.Invalid, "The sheet ‘%s’ is empty.", name)
	}
	s = &source{text: text, d: d, sheets: sheets}
	s.d.Format, s.d.Sheet, s.d.Encoding = "xlsx", name, "utf-8"
	s.d.Delimiter, s.d.Quote = ",", ""
	if d.Sheet == "" {
		s.warns = append(s.warns, sheetWarning(name, sheets))
	}
	return s, nil
}

// workbookTimes bounds the memory for reading a workbook, including the table, as a multiple of its unpacked
// bytes: the parts, those that excelize decodes as a whole, and the text of a sheet. A cell takes at least
// twenty bytes of XML, so the multiple is smaller than that of a text file.
const workbookTimes = 12

func tooBig(size int64) error {
	return overLimit("The workbook unpacks to more than %s bytes", phrase.Int(int(size)))
}

// pick returns the sheet asked for, otherwise the first.
func pick(sheets []string, asked string) (string, error) {
	if len(sheets) == 0 {
		return "", usererr.New(usererr.Invalid, excelSentence)
	}
	if asked == "" {
		return sheets[0], nil
	}
	for _, s := range sheets {
		if s == asked {
			return s, nil
		}
	}
	return "", usererr.BadField("sheet", "is %q: the workbook has %s", asked, phrase.List(quoted(sheets)))
}

func sheetWarning(name string, sheets []string) Warning {
	w := Warning{Code: "sheet", Level: "note", Message: fmt.Sprintf("The sheet ‘%s’ of the Excel workbook was "+
		"read.", name)}
	if len(sheets) == 1 {
		return w
	}
	which := "the first of"
	if name != sheets[0] {
		which = "one of"
	}
	w.Message = fmt.Sprintf("The sheet ‘%s’ of the Excel workbook was read, %s %d. Should it be another "+
		"one?", name, which, len(sheets))
	for _, s := range sheets[:min(len(sheets), 10)] {
		if s == name {
			continue
		}
		w.Choices = append(w.Choices, Choice{Label: "Read '" + s + "'", Dialect: &Dialect{Sheet: s}})
	}
	return w
}

// plainStyles replaces the number formats of f in memory: dates become ISO 8601, and everything else loses its
// format.
func plainStyles(f *excelize.File) error {
	if f.Styles == nil || f.Styles.CellXfs == nil {
		return nil
	}
	codes := map[int]string{}
	if f.Styles.NumFmts != nil {
		for _, n := range f.Styles.NumFmts.NumFmt {
			codes[n.NumFmtID] = n.FormatCode
		}
	}
	old := make([]int, len(f.Styles.CellXfs.Xf))
	for i, x := range f.Styles.CellXfs.Xf {
		if x.NumFmtID != nil {
			old[i] = *x.NumFmtID
		}
	}
	day, err := customFormat(f, "yyyy-mm-dd")
	if err != nil {
		return err
	}
	clock, err := customFormat(f, "yyyy-mm-dd hh:mm:ss")
	if err != nil {
		return err
	}
	for i, id := range old {
		to := 1 << 20 // an id without a format: the value is returned as stored
		if date, time := dateFormat(id, codes[id]); time {
			to = clock
		} else if date {
			to = day
		}
		f.Styles.CellXfs.Xf[i].NumFmtID = &to
	}
	return nil
}

// customFormat registers a number format and returns its id.
func customFormat(f *excelize.File, code string) (int, error) {
	style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
	if err != nil {
		return 0, err
	}
	return *f.Styles.CellXfs.Xf[style].NumFmtID, nil
}

// dateFormat reports whether an Excel number format shows a date, and whether
// it shows the time of day with it. Formats below 164 are built in
// (ECMA-376 part 1, 18.8.30).
func dateFormat(id int, code string) (date, time bool) {
	if code == "" {
		return id >= 14 && id <= 17 || id == 22 || id >= 27 && id <= 31 || id == 36 || id >= 50 && id <= 58, id == 22
	}
	code = strings.ToLower(code)
	if end := strings.IndexByte(code, ';'); end >= 0 {
		code = code[:end]
	}
	var kept strings.Builder
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case '\\', '_', '*':
			i++
		case '"', '[':
			for i++; i < len(code) && code[i] != '"' && code[i] != ']'; i++ {
			}
		default:
			kept.WriteByte(c)
		}
	}
	k := kept.String()
	date = strings.ContainsAny(k, "yd") && !strings.Contains(k, "general")
	return date, date && strings.ContainsAny(k, "hs")
}

// endMark is written as the last cell of each sheet. excelize stops silently at malformed XML and omits all
// rows after it; only if the mark is read has the whole sheet been read.
const endMark = "the end of the sheet, put here by Taper"

// markEnds writes the mark after the last row of each sheet, replacing whatever follows the rows.
func markEnds(f *excelize.File) {
	const rows = "sheetData"
	f.Pkg.Range(func(name, part any) bool {
		text, _ := part.([]byte)
		at := bytes.LastIndex(text, []byte(rows))
		if at < 0 {
			return true
		}
		open := bytes.LastIndexByte(text[:at], '<')
		tag, closes := bytes.CutPrefix(text[open+1:at+len(rows)], []byte("/")) // with its namespace prefix
		before := ""
		if !closes {
			if !bytes.HasPrefix(bytes.TrimSpace(text[at+len(rows):]), []byte("/>")) {
				return true
			}
			before = "<" + string(tag) + ">"
		}
		last := before + `<row><c t="str"><v>` + endMark + `</v></c></row></` + string(tag) + ">"
		f.Pkg.Store(name, append(text[:open], last...))
		return true
	})
}

// sheetText writes a sheet as comma-separated text. Excel omits blank cells at the end of a row, so every row
// is filled to the widest. held bytes of memory are reserved already; cells can share a text, so the text may
// become larger, and then more is reserved first.
func sheetText(ctx context.Context, f *excelize.File, sheet string, size, held int64, columns int) ([]byte, error) {
	rows, err := f.Rows(sheet)
	if err != nil {
		return nil, usererr.New(usererr.Invalid, excelSentence)
	}
	defer rows.Close()
	beyond := usererr.New(usererr.Invalid, "A row of the sheet ‘%s’ has a number above %s, the last row in Excel: "+
		"save the sheet as CSV UTF-8.", sheet, phrase.Int(lastRow))
	unreadable := func(err error) error {
		if errors.Is(err, excelize.ErrMaxRows) {
			return beyond
		}
		return usererr.New(usererr.Invalid, excelSentence)
	}
	var text []byte
	var ends, widths []int
	width, count, ended := 0, 0, false
	for !ended && rows.Next() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cells, err := rows.Columns()
		if err != nil {
			return nil, unreadable(err)
		}
		if n := len(cells); n > 0 && cells[n-1] == endMark {
			ended, cells = true, cells[:n-1]
			if n == 1 { // otherwise the mark was added to a row with a number above the last
				break
			}
		}
		if len(ends) == lastRow { // rows need not state their numbers
			return nil, beyond
		}
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		if len(cells) > columns {
			return nil, tooWide(columns)
		}
		for i, c := range cells {
			if i > 0 {
				text = append(text, ',')
			}
			if int64(len(text)+2*len(c)) > held {
				if _, err := cost.Hold(ctx, "Reading this workbook", ReadMemory(held+int64(2*len(c)))); err != nil {
					return nil, err
				}
				held = 2 * (held + int64(len(c)))
			}
			text = appendCell(text, []byte(c), ',', i == 0 && len(cells) == 1)
			if int64(len(text)) > size {
				return nil, tooBig(size)
			}
		}
		ends, widths, width = append(ends, len(text)), append(widths, len(cells)), max(width, len(cells))
		if count += len(cells); count > maxCells {
			return nil, overLimit("The sheet ‘%s’ has more than %s cells", sheet, phrase.Int(maxCells))
		}
	}
	if err := rows.Error(); err != nil {
		return nil, unreadable(err)
	}
	if !ended {
		return nil, usererr.New(usererr.Invalid, excelSentence)
	}
	if width == 0 {
		return nil, nil
	}
	return fill(text, ends, widths, width, size)
}

// fill appends to each row the commas that it lacks.
func fill(text []byte, ends, widths []int, width int, size int64) ([]byte, error) {
	total := len(text) + len(ends)
	for _, w := range widths {
		if w > 0 {
			total += width - w
		}
	}
	if int64(total) > size {
		return nil, tooBig(size)
	}
	out, start := make([]byte, 0, total), 0
	for i, end := range ends {
		out = append(out, text[start:end]...)
		for w := widths[i]; w > 0 && w < width; w++ {
			out = append(out, ',')
		}
		out, start = append(out, '\n'), end
	}
	return out, nil
}
