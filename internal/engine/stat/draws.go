package stat

import (
	"context"

	"taper/internal/engine/parallel"
)

// The draws of a paired bootstrap: mostDraws, of which an end of the interval
// is the 50th from outside, fewer for very long data, whose intervals are
// narrow anyway.
const (
	mostDraws  = 2000
	leastDraws = 400
	drawWork   = 20_000_000 // rows times draws
)

// PairedDraws is the bootstrap for paired differences of n rows: a number of
// draws that long data can afford.
func PairedDraws(n int, seed uint64) Draws {
	return Draws{Replicates: min(mostDraws, max(leastDraws, drawWork/max(n, 1))), Seed: seed}
}

// means returns the means of the columns of cells, row by row width wide, over
// the rows of each draw. Draws share the cores; what one finds depends on the
// seed and its number alone, and none begins after the context has ended.
func (d Draws) means(ctx context.Context, cells []float64, width int) ([]float64, error) {
	r := d.Resample
	if r == nil {
		all := Rows(len(cells) / width)
		r = &all
	}
	out := make([]float64, d.Replicates*width)
	rows := make([][]int, parallel.Cores()) // of the draw of each worker
	parallel.Each(d.Replicates, len(rows), func(worker, b int) {
		if ctx.Err() != nil {
			return
		}
		rows[worker] = r.Draw(rows[worker], d.Seed, uint64(b))
		average(out[b*width:(b+1)*width], cells, rows[worker])
	})
	return out, ctx.Err()
}

// average sets dst to the means of the columns over rows.
func average(dst, cells []float64, rows []int) {
	for _, i := range rows {
		row := cells[i*len(dst) : (i+1)*len(dst)]
		for k, v := range row {
			dst[k] += v
		}
	}
	for k := range dst {
		dst[k] /= float64(len(rows))
	}
}
