package mask

import (
	"testing"

	"pgregory.net/rapid"
)

// TestAnswersAdversary enumerates all tables that fit the printed ranges, for a reader who
// knows the size of every class and, if printed, the number of correct predictions: the true
// table is among them, and each small count has five possible values.
func TestAnswersAdversary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 3).Draw(t, "classes")
		counts := make([][]int, k)
		for i := range counts {
			for j := range k {
				least, most := 0, 12
				if i == j {
					least, most = 10, 40
				}
				counts[i] = append(counts[i], rapid.IntRange(least, most).Draw(t, "rows"))
			}
		}
		said, counted := Answers(counts)
		possible := allTables(said, counts, counted)
		for i, row := range counts {
			total := 0
			for _, n := range row {
				total += n
			}
			for j, n := range row {
				if n < said[i][j].Low || n > said[i][j].High {
					t.Fatalf("%v: %d at %d, %d is not in %v", counts, n, i, j, said[i][j])
				}
				if few(n) && len(possible[i][j]) < least {
					t.Fatalf("%v printed as %v tells the %d rows at %d, %d", counts, said, n, i, j)
				}
			}
		}
	})
}

// allTables lists the possible values of each cell over all tables within the ranges whose
// rows, and whose diagonal if it is known, have the right sums.
func allTables(said [][]Span, counts [][]int, counted bool) [][]map[int]bool {
	k := len(counts)
	right := 0
	perRow := make([]map[int][][]int, k) // by number of correct predictions
	for i, row := range counts {
		total := 0
		right += row[i]
		for _, n := range row {
			total += n
		}
		perRow[i] = map[int][][]int{}
		var walk func(j, left int, so []int)
		walk = func(j, left int, so []int) {
			if j == k {
				if left == 0 {
					perRow[i][so[i]] = append(perRow[i][so[i]], append([]int(nil), so...))
				}
				return
			}
			for n := said[i][j].Low; n <= min(left, said[i][j].High); n++ {
				walk(j+1, left-n, append(so, n))
			}
		}
		walk(0, total, nil)
	}
	found := make([][]map[int]bool, k)
	for i := range found {
		for range k {
			found[i] = append(found[i], map[int]bool{})
		}
	}
	var pick func(i, left int, chosen []int) bool
	pick = func(i, left int, chosen []int) bool {
		if i == k {
			if left != 0 && counted {
				return false
			}
			for r, diagonal := range chosen {
				for _, row := range perRow[r][diagonal] {
					for j, n := range row {
						found[r][j][n] = true
					}
				}
			}
			return true
		}
		some := false
		for diagonal := range perRow[i] {
			if diagonal <= left || !counted {
				some = pick(i+1, left-diagonal, append(chosen, diagonal)) || some
			}
		}
		return some
	}
	pick(0, right, nil)
	return found
}

// TestAnswers: counts that are neither small nor revealing are printed.
func TestAnswers(t *testing.T) {
	all, _ := Answers([][]int{{50, 0, 20}, {12, 30, 11}, {0, 0, 44}})
	for i, row := range all {
		for j, s := range row {
			if !s.Shown() {
				t.Errorf("%d, %d is printed as %v", i, j, s)
			}
		}
	}
	if said, _ := Answers([][]int{{50, 14, 0}, {20, 60, 0}, {1, 0, 3}}); said[2][0] != (Span{0, 9}) || said[2][2].High < 4 {
		t.Errorf("a class of four rows is printed as %v", said[2])
	}
	said, counted := Answers([][]int{{50, 0, 0}, {0, 47, 3}, {0, 3, 47}})
	if !counted {
		t.Error("iris has no accuracy")
	}
	if s := said[1]; s[1] != (Span{45, 49}) || s[2] != (Span{1, 5}) || s[0].High != 0 {
		t.Errorf("the second of iris is printed as %v", s)
	}
	// With a single error, 113 of 114 correct reveals where it can be.
	if _, counted := Answers([][]int{{40, 1, 0}, {0, 40, 0}, {0, 0, 33}}); counted {
		t.Error("the accuracy stands beside one wrong answer")
	}
}
