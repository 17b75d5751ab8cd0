package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// PredictRows scores JSON objects: numbers, texts, truth values, and null for missing. A column
// missing from every row is an error; one missing from some rows is a missing value there.
func PredictRows(m *Model, rows []map[string]any) ([]Prediction, error) {
	s, err := m.Scorer()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, usererr.BadField("rows", "must hold at least one row")
	}
	there := map[string]bool{}
	for _, row := range rows {
		for column := range row {
			there[column] = true
		}
	}
	if err := s.require(slices.Sorted(maps.Keys(there))); err != nil {
		return nil, err
	}
	out := make([]Prediction, len(rows))
	for i, row := range rows {
		texts, err := Texts(i, row)
		if err != nil {
			return nil, err
		}
		out[i] = s.Score(func(column string) (string, bool) { t, ok := texts[column]; return t, ok })
	}
	return out, nil
}

// Texts converts JSON values to the cells of a CSV file.
func Texts(i int, row map[string]any) (map[string]string, error) {
	texts := make(map[string]string, len(row))
	for _, name := range slices.Sorted(maps.Keys(row)) {
		switch v := row[name].(type) {
		case nil:
			texts[name] = ""
		case string:
			texts[name] = v
		case bool:
			texts[name] = strconv.FormatBool(v)
		case float64:
			texts[name] = strconv.FormatFloat(v, 'g', -1, 64)
		case int:
			texts[name] = strconv.Itoa(v)
		case json.Number:
			if f, err := v.Float64(); err != nil || math.IsInf(f, 0) {
				return nil, usererr.BadField(fmt.Sprintf("rows[%d].%s", i, name), "must be a finite number (got %.40s)", v)
			}
			texts[name] = v.String()
		default:
			return nil, usererr.BadField(fmt.Sprintf("rows[%d].%s", i, name),
				"must be a number, a text, true, false or null (got %s)", phrase.JSON(v))
		}
	}
	return texts, nil
}
