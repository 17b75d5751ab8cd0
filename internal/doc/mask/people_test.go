package mask

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMovesAdversary enumerates every table that fits the printed bands and the moves between
// two of them: the true one is among them, and each small count, of a move or of a band after
// it, has five possible values.
func TestMovesAdversary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := make([][]Split, 2)
		for i := range cells {
			for j := range 2 {
				most := 14
				if i == j {
					most = 22
				}
				n := rapid.IntRange(0, most).Draw(t, "n")
				cells[i] = append(cells[i], Split{n, rapid.IntRange(0, n).Draw(t, "events")})
			}
		}
		totals := []Split{add(cells[0][0], cells[0][1]), add(cells[1][0], cells[1][1])}
		printed, said := Hide(totals), Moves(cells)
		possible, after := allMoves(said, printed)
		for i, row := range cells {
			for j, c := range row {
				s := said[i][j]
				for _, count := range []struct {
					what  string
					truth int
					said  Span
					found map[int]bool
				}{
					{"rows", c.N, s.N, possible[i][j].n}, {"events", c.Events, s.Events, possible[i][j].e},
					{"others", c.N - c.Events, s.Others, possible[i][j].m},
				} {
					if count.truth < count.said.Low || count.truth > count.said.High || !count.found[count.truth] {
						t.Fatalf("%v: the %d %s at %d, %d are not in %v", cells, count.truth, count.what, i, j, count.said)
					}
					if few(count.truth) && len(count.found) < least {
						t.Fatalf("%v printed as %v and %v tells the %d %s at %d, %d", cells, printed, said, count.truth, count.what, i, j)
					}
				}
			}
		}
		for j := range 2 {
			now := add(cells[0][j], cells[1][j])
			for what, v := range map[string]struct {
				truth int
				found map[int]bool
			}{"rows": {now.N, after[j].n}, "events": {now.Events, after[j].e}, "others": {now.N - now.Events, after[j].m}} {
				if few(v.truth) && len(v.found) < least {
					t.Fatalf("%v printed as %v and %v tells the %d %s of band %d", cells, printed, said, v.truth, what, j)
				}
			}
		}
	})
}

func add(a, b Split) Split { return Split{a.N + b.N, a.Events + b.Events} }

// allMoves lists the possible values of each move, and of each band afterwards, over the tables
// with the same print.
func allMoves(said [][]Row, printed Table) (each [][]values, after []values) {
	in := func(s Span, v int) bool { return s.Low <= v && v <= s.High }
	empty := func() values { return values{map[int]bool{}, map[int]bool{}, map[int]bool{}} }
	type whole struct{ e, m int }
	perBand := make([]map[whole][][4]int, 2) // events and others of both cells, by those of the band
	for i, row := range said {
		perBand[i] = map[whole][][4]int{}
		for e0 := row[0].Events.Low; e0 <= row[0].Events.High; e0++ {
			for m0 := row[0].Others.Low; m0 <= row[0].Others.High; m0++ {
				if !in(row[0].N, e0+m0) {
					continue
				}
				for e1 := row[1].Events.Low; e1 <= row[1].Events.High; e1++ {
					for m1 := row[1].Others.Low; m1 <= row[1].Others.High; m1++ {
						w, p := whole{e0 + e1, m0 + m1}, printed.Rows[i]
						if in(row[1].N, e1+m1) && in(p.Events, w.e) && in(p.Others, w.m) && in(p.N, w.e+w.m) {
							perBand[i][w] = append(perBand[i][w], [4]int{e0, m0, e1, m1})
						}
					}
				}
			}
		}
	}
	each = [][]values{{empty(), empty()}, {empty(), empty()}}
	after = []values{empty(), empty()}
	seen := make([]map[whole][2]values, 2) // of both cells, by those of the band
	for i := range perBand {
		seen[i] = map[whole][2]values{}
		for w, tables := range perBand[i] {
			cells := [2]values{empty(), empty()}
			for _, c := range tables {
				for j := range 2 {
					e, m := c[2*j], c[2*j+1]
					cells[j].e[e], cells[j].m[m], cells[j].n[e+m] = true, true, true
				}
			}
			seen[i][w] = cells
		}
	}
	plus := func(to, a, b map[int]bool) {
		for x := range a {
			for y := range b {
				to[x+y] = true
			}
		}
	}
	none := map[int]bool{0: true}
	for a, first := range seen[0] {
		for b, second := range seen[1] {
			if t := printed.Total; !in(t.Events, a.e+b.e) || !in(t.Others, a.m+b.m) || !in(t.N, a.e+a.m+b.e+b.m) {
				continue
			}
			for j := range 2 {
				for k, cells := range [][2]values{first, second} {
					plus(each[k][j].n, cells[j].n, none)
					plus(each[k][j].e, cells[j].e, none)
					plus(each[k][j].m, cells[j].m, none)
				}
				plus(after[j].n, first[j].n, second[j].n)
				plus(after[j].e, first[j].e, second[j].e)
				plus(after[j].m, first[j].m, second[j].m)
			}
		}
	}
	return each, after
}

func TestMoves(t *testing.T) {
	exact := func(n, e int) Row { return Row{Span{n, n}, Span{e, e}, Span{n - e, n - e}} }
	for _, c := range []struct {
		name  string
		cells [][]Split
		at    [2]int
		want  Row
	}{
		{"nobody moves", [][]Split{{{72, 30}, {}}, {{}, {40, 20}}}, [2]int{0, 0}, exact(72, 30)},
		{"many move", [][]Split{{{72, 30}, {40, 15}}, {{}, {40, 20}}}, [2]int{0, 1}, exact(40, 15)},
		{"three move, and nothing tells their outcome", [][]Split{{{69, 29}, {3, 1}}, {{}, {40, 20}}}, [2]int{0, 1},
			Row{Span{1, 9}, Span{0, 9}, Span{0, 9}}},
		{"so those who stay are a range", [][]Split{{{69, 29}, {3, 1}}, {{}, {40, 20}}}, [2]int{0, 0},
			Row{Span{63, 71}, Span{21, 30}, Span{33, 42}}},
		{"of a band with few events only the sizes are told", [][]Split{{{100, 3}, {30, 2}}, {{}, {90, 45}}, {{}, {80, 60}}},
			[2]int{0, 1}, Row{Span{30, 30}, Span{0, 9}, Span{21, 30}}},
	} {
		if got := Moves(c.cells)[c.at[0]][c.at[1]]; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestApportion: whole numbers within one of the shares, with the right sum.
func TestApportion(t *testing.T) {
	if got := Apportion([]float64{1, 1, 1}, 100); !slices.Equal(got, []int{34, 33, 33}) {
		t.Errorf("thirds are %v", got)
	}
	if got := Apportion([]float64{0, 0}, 100); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("nothing is %v", got)
	}
	if got := Apportion([]float64{2.5, 0, 97.5}, 100); !slices.Equal(got, []int{3, 0, 97}) {
		t.Errorf("halves are %v: the first of equal remainders has one more", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(rapid.Float64Range(0, 900), 1, 9).Draw(t, "shares")
		total, sum := 0.0, 0
		for _, s := range shares {
			total += s
		}
		got := Apportion(shares, 100)
		for i, n := range got {
			if sum += n; total > 0 && (float64(n) < shares[i]/total*100-1-1e-6 || float64(n) > shares[i]/total*100+1+1e-6) {
				t.Fatalf("%v of %v: %v", n, shares[i], got)
			}
		}
		if total > 0 && sum != 100 {
			t.Fatalf("%v sum to %d", got, sum)
		}
	})
}

// TestHundred: icons show what is printed, and no more.
func TestHundred(t *testing.T) {
	got := Hundred([]Row{{Span{69, 69}, Span{29, 29}, Span{40, 40}}, {Span{1, 9}, Span{0, 9}, Span{0, 9}}})
	if got[0] != (People{39, 54, 0}) || got[1] != (People{0, 0, 7}) {
		t.Errorf("%v", got)
	}
	if got := Hundred([]Row{{Span{0, 9}, Span{0, 9}, Span{0, 9}}}); got[0].All() != 0 {
		t.Errorf("a band that may be empty has %v", got)
	}
}
