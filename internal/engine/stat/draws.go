package stat

import (
	"context"

	"taper/internal/engine/parallel"
)

// The number of samples of a paired bootstrap is mostDraws, where an end of the interval is the 50th value from
// outside. Very long data get fewer: their intervals are narrow, and one more digit would not change the
// reading.
const (
	mostDraws  = 2000
	leastDraws = 400
	drawWork   = 20_000_000 // largest rows × draws
)

// PairedDraws returns the settings of a bootstrap for paired differences of n rows, with fewer draws for long
// data.
func PairedDraws(n int, seed uint64) Draws {
	return Draws{Replicates: min(mostDraws, max(leastDraws, drawWork/max(n, 1))), Seed: seed}
}

// means returns for each draw the means of the columns of cells (row-major, width columns) over the rows drawn.
// Draws run in parallel; a result depends only on the seed and the number of the draw. No draw starts after the
// context has ended.
func (d Draws) means(ctx context.Context, cells []float64, width int) ([]float64, error) {
	r := d.Resample
	if r == nil {
		all := Rows(len(cells) / width)
		r = &all
	}
	out := make([]float64, d.Replicates*width)
	rows := make([][]int, parallel.Cores()) // one buffer per worker
	parallel.Each(d.Replicates, len(rows), func(worker, b int) {
		if ctx.Err() != nil {
			return
		}
		rows[worker] = r.Draw(rows[worker], d.Seed, uint64(b))
		average(out[b*width:(b+1)*width], cells, rows[worker])
	})
	return out, ctx.Err()
}

// average sets dst to the means of the columns over these rows.
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
