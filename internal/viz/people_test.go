package viz

import (
	"regexp"
	"testing"
)

// TestPeopleByRows: thirteen events of a hundred people fill the first row and begin the second, as in IconsSVG.
func TestPeopleByRows(t *testing.T) {
	people := make([]Person, 100)
	for i := range 13 {
		people[i].Outcome = Event
	}
	rows := func(svg string) (n []int) {
		path := regexp.MustCompile(`class="c1" d="([^"]+)"`).FindStringSubmatch(svg)
		if path == nil {
			t.Fatal("no events are drawn")
		}
		at := ""
		for _, m := range regexp.MustCompile(`M\S+ ([\d.]+)L`).FindAllStringSubmatch(path[1], -1) {
			if m[1] != at {
				n, at = append(n, 0), m[1]
			}
			n[len(n)-1]++
		}
		return n
	}
	for name, svg := range map[string]string{"people": PeopleSVG(people, ""), "icons": IconsSVG(13, false, "")} {
		if n := rows(svg); len(n) != 2 || n[0] != 10 || n[1] != 3 {
			t.Errorf("%s: events by row %v", name, n)
		}
	}
}
