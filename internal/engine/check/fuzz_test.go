package check

import (
	"context"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// FuzzColumns asks about every column of any file that can be read: no crash,
// every code listed, every choice accepted, nothing said twice of one column
// under one code.
func FuzzColumns(f *testing.F) {
	for _, seed := range []string{
		"age,y\n30,0\n-9,1\n", "id,y\n1,a\n1,b\n", "x\n\n", "a,b\n,\n,\n", "t;v\n1,5;NaN\n<0,1;2\n", "d,y\n2024-01-02,No \n2024-01-03,no.\n",
		"email,age\na@b.c,93\nd@e.f,99\n", "y\n" + strings.Repeat("0\n", 12) + strings.Repeat("1\n", 12), "v,y\n1e308,0\n-1e308,1\n0,9\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tab, err := table.Read(context.Background(), data, table.Options{}, table.Limits{Rows: 200, Columns: 20, Bytes: 1 << 14})
		if err != nil {
			return
		}
		table.Profiles(tab)
		all := Columns(tab, table.Options{})
		once(t, all)
		for _, c := range tab.Columns {
			o := suggestEvent(c)
			list := Outcome(context.Background(), tab, o, UsablePredictors(tab, c.Name, "", ""), table.Options{})
			once(t, list)
			all = append(all, list...)
		}
		for _, w := range all {
			if table.Codes[w.Code] == "" || w.Message == "" || w.Level != "ask" && w.Level != "note" && w.Level != "stop" {
				t.Errorf("warning %+v", w)
			}
			for _, c := range w.Choices {
				if _, err := table.Read(context.Background(), data, tabletest.Choose(table.Options{}, w, c), table.Limits{}); err != nil {
					t.Errorf("%q, %s: %v", w.Message, c.Label, err)
				}
			}
		}
	})
}

// once fails the test when two warnings share a key: settling one would settle
// the other.
func once(t *testing.T, list []table.Warning) {
	t.Helper()
	seen := map[string]string{}
	for _, w := range list {
		if first, ok := seen[w.Key()]; ok {
			t.Errorf("%s is the key of %q and %q", w.Key(), first, w.Message)
		}
		seen[w.Key()] = w.Message
	}
}
