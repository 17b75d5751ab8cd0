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

// PredictRows scores rows that came as JSON objects: numbers, texts, truth
// values, and null for missing. A column that no row has is an error, one that
// some rows lack is missing there.
func PredictRows(m *Model, rows []map[string]any) ([]Prediction, error) {
	s, err := m.Scorer()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, usererr.BadField("rows", "must hold at least one row")
	}
	if err := s.require(func(column string) bool {
		for _, row := range rows {
			if _, ok := row[column]; ok {
				return true
			}
		}
		return false
	}); err != nil {
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

// Texts writes JSON values as the cells of a CSV would hold them.
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
