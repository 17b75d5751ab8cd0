package tabletest

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"taper/internal/engine/odds"
	"taper/internal/engine/table"
)

// columnOf builds a typed column: numbers where every text is one, else
// levels; the empty text is missing.
func columnOf(name string, cells []string) *table.Column {
	c := &table.Column{Name: name, Type: table.Number, Num: make([]float64, len(cells))}
	for i, s := range cells {
		v, err := strconv.ParseFloat(s, 64)
		if s == "" {
			v, err = math.NaN(), nil
			c.Missing++
		}
		if err != nil {
			c.Type, c.Num = table.Category, nil
			break
		}
		c.Num[i] = v
	}
	distinct := map[string]int{}
	for _, s := range cells {
		if s != "" {
			distinct[s]++
		}
	}
	c.Distinct = len(distinct)
	if c.Num != nil && len(distinct) > table.MaxLevels {
		return c
	}
	c.Missing, c.Code = 0, make([]int32, len(cells))
	for i, s := range cells {
		k := slices.Index(c.Levels, s)
		if s == "" {
			k = -1
			c.Missing++
		} else if k < 0 {
			k = len(c.Levels)
			c.Levels, c.Count = append(c.Levels, s), append(c.Count, 0)
		}
		if c.Code[i] = int32(k); k >= 0 {
			c.Count[k]++
		}
	}
	return c
}

// FromRecords builds a table from records, the header first.
func FromRecords(records [][]string) *table.Table {
	t := &table.Table{Rows: len(records) - 1}
	for k, name := range records[0] {
		cells := make([]string, t.Rows)
		for i := range cells {
			cells[i] = records[i+1][k]
		}
		t.Columns = append(t.Columns, columnOf(name, cells))
	}
	return t
}

// Clinic makes the records of n rows: age, marker (some missing), sex, site, ward (groups),
// and an outcome that depends on the first three.
func Clinic(n int, seed uint64) [][]string {
	rng := rand.New(rand.NewPCG(seed, 1))
	records := [][]string{{"age", "marker", "sex", "site", "ward", "outcome"}}
	for range n {
		age, marker := 60+10*rng.NormFloat64(), rng.NormFloat64()
		sex, site := []string{"M", "F"}[rng.IntN(2)], []string{"A", "A", "B", "C"}[rng.IntN(4)]
		f := 0.06*(age-60) + 1.3*marker - 0.8
		if sex == "M" {
			f += 0.5
		}
		cell := strconv.FormatFloat(marker, 'f', 3, 64)
		if rng.Float64() < 0.05 {
			cell = ""
		}
		outcome := "alive"
		if rng.Float64() < odds.Sigmoid(f) {
			outcome = "died"
		}
		records = append(records, []string{strconv.FormatFloat(age, 'f', 1, 64), cell, sex, site,
			"w" + strconv.Itoa(rng.IntN(40)), outcome})
	}
	return records
}

// CSV reads a clean file.
func CSV(t testing.TB, path string) *table.Table {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return FromRecords(records)
}
