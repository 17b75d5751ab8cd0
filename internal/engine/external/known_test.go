package external

import (
	"testing"

	"taper/internal/engine/prep"
)

// TestRowKey: keys are equal exactly if the model reads the rows as equal.
func TestRowKey(t *testing.T) {
	number, category := &prep.Column{Name: "age", Kind: prep.Number}, &prep.Column{Name: "sex", Kind: prep.Category}
	key := func(class int, cells ...prep.Cell) rowKey {
		var k keyed
		for i, c := range cells {
			k.value([]*prep.Column{number, category, category}[i], c)
		}
		return k.sum(class)
	}
	all := map[rowKey]string{}
	for _, c := range []struct {
		name string
		key  rowKey
	}{
		{"one row", key(1, prep.Cell{Number: 62}, prep.Cell{Level: "f"})},
		{"another class", key(0, prep.Cell{Number: 62}, prep.Cell{Level: "f"})},
		{"the class one byte up", key(256, prep.Cell{Number: 62}, prep.Cell{Level: "f"})},
		{"another number", key(1, prep.Cell{Number: 63}, prep.Cell{Level: "f"})},
		{"the sign", key(1, prep.Cell{Number: -62}, prep.Cell{Level: "f"})},
		{"its last bit", key(1, prep.Cell{Number: 62.00000000000001}, prep.Cell{Level: "f"})},
		{"0", key(1, prep.Cell{}, prep.Cell{Level: "f"})},
		{"missing is not 0", key(1, prep.Cell{Missing: true}, prep.Cell{Level: "f"})},
		{"another level", key(1, prep.Cell{Number: 62}, prep.Cell{Level: "m"})},
		{"no level", key(1, prep.Cell{Number: 62}, prep.Cell{Missing: true})},
		{"the empty level", key(1, prep.Cell{Number: 62}, prep.Cell{Level: ""})},
		{"levels ab, c", key(1, prep.Cell{Number: 62}, prep.Cell{Level: "ab"}, prep.Cell{Level: "c"})},
		{"levels a, bc", key(1, prep.Cell{Number: 62}, prep.Cell{Level: "a"}, prep.Cell{Level: "bc"})},
		{"a level that looks like two", key(1, prep.Cell{Number: 62}, prep.Cell{Level: "a\x02\x00\x00\x00\x00\x00\x00\x00\x00b"})},
		{"the two", key(1, prep.Cell{Number: 62}, prep.Cell{Level: "a"}, prep.Cell{Level: "b"})},
		{"nothing", key(1)},
	} {
		if other, ok := all[c.key]; ok {
			t.Errorf("%s has the key of %s", c.name, other)
		}
		all[c.key] = c.name
	}
	if all[key(1, prep.Cell{Number: 62}, prep.Cell{Level: "f"})] != "one row" {
		t.Error("the same row has another key")
	}
	if n := once(map[rowKey]int{{1}: 1, {2}: 2, {3}: 1, {4}: 0}); n != 2 {
		t.Errorf("%d keys come once, want 2", n)
	}
	k := &Known{rows: map[rowKey]int{{1}: 1, {2}: 2}}
	if !k.unique(rowKey{1}) || k.unique(rowKey{2}) || k.unique(rowKey{3}) || (*Known)(nil).unique(rowKey{1}) {
		t.Error("unique is what one row has")
	}
}
