package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// header names the columns of WriteCSV.
var header = []string{"data", "model", "noise", "at", "metric", "replicate", "value"}

// WriteCSV writes every replicate of the cells, one a row. A value that does not
// exist is empty; numbers read back to the same bits.
func WriteCSV(w io.Writer, cells []Cell) error {
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return fmt.Errorf("write header: %w", err)
	}
	for _, c := range cells {
		row := []string{harmless(c.Data), c.Model, decimal(&c.Noise), decimal(&c.At), c.Metric, "", ""}
		for i, r := range c.Replicates {
			row[5], row[6] = strconv.Itoa(r), decimal(c.Values[i])
			if err := out.Write(row); err != nil {
				return fmt.Errorf("write replicate: %w", err)
			}
		}
	}
	out.Flush()
	return out.Error()
}

// summaryHeader names the columns of WriteSummaryCSV.
var summaryHeader = []string{"data", "model", "noise", "at", "metric", "n", "mean", "sd", "ci_low", "ci_high", "median", "median_se"}

// WriteSummaryCSV writes the cells, one a row.
func WriteSummaryCSV(w io.Writer, cells []Cell) error {
	out := csv.NewWriter(w)
	if err := out.Write(summaryHeader); err != nil {
		return fmt.Errorf("write header: %w", err)
	}
	for _, c := range cells {
		row := []string{harmless(c.Data), c.Model, decimal(&c.Noise), decimal(&c.At), c.Metric, strconv.Itoa(c.N)}
		for _, v := range []*float64{c.Mean, c.SD, c.Low, c.High, c.Median, c.MedianSE} {
			row = append(row, decimal(v))
		}
		if err := out.Write(row); err != nil {
			return fmt.Errorf("write cell: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}

// harmless puts a quote before a name that a spreadsheet would take for a
// formula: uploads are named by strangers.
func harmless(name string) string {
	if name != "" && strings.ContainsRune("=+-@\t\r", rune(name[0])) {
		return "'" + name
	}
	return name
}

func decimal(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
