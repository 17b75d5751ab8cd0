package study

import (
	"io"
	"strconv"

	"taper/internal/engine/table"
)

// header names the columns of WriteCSV.
var header = []string{"data", "model", "noise", "at", "metric", "replicate", "value"}

// WriteCSV writes one row per replicate of each cell. A value that does not exist is empty; numbers read
// back to the same bits.
func WriteCSV(w io.Writer, cells []Cell) error {
	out := table.NewCSV(w)
	out.Write(header...)
	for _, c := range cells {
		row := []string{c.Data, c.Model, decimal(&c.Noise), decimal(&c.At), c.Metric, "", ""}
		for i, r := range c.Replicates {
			row[5], row[6] = strconv.Itoa(r), decimal(c.Values[i])
			out.Write(row...)
		}
	}
	return out.Flush()
}

// summaryHeader names the columns of WriteSummaryCSV.
var summaryHeader = []string{"data", "model", "noise", "at", "metric", "n", "mean", "sd", "ci_low", "ci_high",
	"median", "median_se"}

// WriteSummaryCSV writes one row per cell.
func WriteSummaryCSV(w io.Writer, cells []Cell) error {
	out := table.NewCSV(w)
	out.Write(summaryHeader...)
	for _, c := range cells {
		row := []string{c.Data, c.Model, decimal(&c.Noise), decimal(&c.At), c.Metric, strconv.Itoa(c.N)}
		for _, v := range []*float64{c.Mean, c.SD, c.Low, c.High, c.Median, c.MedianSE} {
			row = append(row, decimal(v))
		}
		out.Write(row...)
	}
	return out.Flush()
}

func decimal(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
