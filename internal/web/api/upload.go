package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"taper/internal/app/datasets"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/web/httpio"
)

// uploadFields are the form fields of POST /api/v1/datasets besides the file.
var uploadFields = []string{"name", "delimiter", "decimal", "encoding", "header_row", "missing"}

// checkFields reports an unknown field, and a name that is too long.
func checkFields(f httpio.FileForm) error {
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		if !slices.Contains(uploadFields, name) {
			return usererr.BadField(name, "is not a field of an upload: file, %s are", strings.Join(uploadFields, ", "))
		}
	}
	if n := len(strings.TrimSpace(f.Fields["name"])); n > datasets.MaxName {
		return usererr.BadField("name", "must hold at most %d bytes (got %d)", datasets.MaxName, n)
	}
	return nil
}

// dialectOf reads the optional fields of the upload.
func dialectOf(f httpio.FileForm) (table.Dialect, error) {
	d := table.Dialect{Delimiter: f.Fields["delimiter"], Decimal: f.Fields["decimal"], Encoding: f.Fields["encoding"]}
	if d.Delimiter == `\t` || d.Delimiter == "tab" {
		d.Delimiter = "\t"
	}
	if row := f.Fields["header_row"]; row != "" {
		n, err := strconv.Atoi(row)
		if err != nil || n < 0 {
			return d, usererr.BadField("header_row", "must be a line of the file, from 1, or 0 for none (got %.40q)", row)
		}
		d.HeaderRow = &n
	}
	if m, ok := f.Fields["missing"]; ok {
		d.Missing = missingCodes(m)
	}
	return d, nil
}

// missingCodes reads a list of codes: JSON, or separated by commas.
func missingCodes(text string) []string {
	var codes []string
	if json.Unmarshal([]byte(text), &codes) == nil {
		return codes
	}
	for code := range strings.SplitSeq(text, ",") {
		codes = append(codes, strings.TrimSpace(code))
	}
	return codes
}
