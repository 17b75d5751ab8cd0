package prep

import (
	"encoding/json"
	"strings"
	"testing"

	"taper/internal/engine/table"
)

// TestThousandsAreExported: model.json contains the thousands separator, so that another
// program can parse files as the training file was parsed.
func TestThousandsAreExported(t *testing.T) {
	for _, c := range []struct {
		name, mark, json string
		want             float64
	}{
		{"points", ".", `"thousands":"."`, 12345},
		{"commas", ",", `"thousands":","`, 12.345},
		{"none", "none", "", 12.345},
		{"not said", "", "", 12.345},
	} {
		tab := tableOf(number("cells", 1000, 2000, 4000, 16000))
		tab.Dialect = table.Dialect{Decimal: ",", Thousands: c.mark}
		if c.mark != "." {
			tab.Dialect.Decimal = "."
		}
		tab.Columns[0].Decimal = tab.Dialect.Decimal
		p := mustFit(t, tab, upTo(4), false, "cells")
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(text), `"thousands"`); got != (c.json != "") || !strings.Contains(string(text), c.json) {
			t.Errorf("%s: exported as %s", c.name, text)
		}
		var back Preprocessor
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, back.Width())
		back.Row(dst, cells(map[string]string{"cells": "12.345"}), tab.Dialect.Decimal)
		if dst[0] != c.want {
			t.Errorf("%s: 12.345 is read as %v, want %v", c.name, dst[0], c.want)
		}
	}
}
