package synth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"taper/internal/engine/table"
)

// adniLike imitates the regional brain volumes of Kimes et al. 2016, section 7
// (docs/generators.md): a severity s by group, and 93 volumes with eight shared factors of
// variation.
var adniLike = Generator{
	ID: "adni-like", Title: "ADNI-like brain volumes, four groups (simulated)",
	Source: "Kimes et al. 2016, section 7", Rows: 804, cols: 94, Ordered: true,
	make: func(d draw) (*table.Table, Meta) {
		cols := regions(d.rows)
		group := groups(d)
		loading := sharedLoadings()
		var u [8]float64
		for i, g := range group {
			s := adniGroups[g].mean + adniGroups[g].sd*d.rng.NormFloat64()
			for k := range u {
				u[k] = d.rng.NormFloat64()
			}
			for j, c := range cols {
				x := severity(j)*s + d.rng.NormFloat64()
				for k, b := range loading[j] {
					x += b * u[k]
				}
				c.Num[i] = math.Round(10*(5000+800*x)) / 10
			}
		}
		code := &table.Column{Name: "group", Code: group, Levels: []string{"NC", "sMCI", "pMCI", "AD"}}
		return finish(append(cols, code)), Meta{
			Outcome: "group", Positive: "AD", Negative: "NC", ScoreOnly: []string{"sMCI", "pMCI"},
			Levels: []string{"NC", "sMCI", "pMCI", "AD"},
		}
	},
}

// adniGroups in order of severity: number of rows in the paper, mean and SD of s.
var adniGroups = []struct {
	rows     int
	mean, sd float64
}{{225, -1, .5}, {226, -.35, .55}, {167, .35, .55}, {186, 1, .5}}

func regions(rows int) []*table.Column {
	cols := features(93, rows)
	for j, c := range cols {
		c.Name = fmt.Sprintf("roi_%02d", j+1)
	}
	return cols
}

// severity is a_j, the effect of s on region j+1.
func severity(j int) float64 {
	switch {
	case j < 30:
		return -.6
	case j < 50:
		return -.3
	}
	return 0
}

// sharedLoadings is b, drawn from N(0, .4²) once; it does not depend on the seed of the table.
func sharedLoadings() [93][8]float64 {
	rng := rand.New(rand.NewPCG(2016, 93))
	var b [93][8]float64
	for j := range b {
		for k := range b[j] {
			b[j][k] = .4 * rng.NormFloat64()
		}
	}
	return b
}

// groups assigns rows to groups in the paper's proportions (exactly its counts for 804 rows)
// and shuffles them.
func groups(d draw) []int32 {
	code := make([]int32, 0, d.rows)
	seen := 0
	for g, group := range adniGroups {
		seen += group.rows
		upTo := (seen*d.rows + 402) / 804
		for len(code) < upTo {
			code = append(code, int32(g))
		}
	}
	d.rng.Shuffle(len(code), func(i, j int) { code[i], code[j] = code[j], code[i] })
	return code
}
