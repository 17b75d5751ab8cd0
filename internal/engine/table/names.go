package table

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"taper/internal/engine/phrase"
)

// numbered returns the names c1 … cn.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i+1)
	}
	return names
}

// unique makes column names unique: blank headers become c3, repeated ones age_2.
func (l *layout) unique(cells []string) []string {
	used, count := map[string]bool{}, map[string]int{}
	names := make([]string, len(cells))
	for i, c := range cells {
		names[i] = headerName(c)
		used[names[i]] = true
	}
	var blank []string
	twice := map[string][]string{}
	for i, name := range names {
		if name == "" {
			names[i] = fresh(fmt.Sprintf("c%d", i+1), used, count)
			blank = append(blank, names[i])
		} else if count[name]++; count[name] > 1 {
			names[i] = fresh(name, used, count)
			twice[name] = append(twice[name], names[i])
		}
	}
	l.warnNames(blank, names, twice)
	return names
}

// fresh returns name, or name_2, name_3 … when it is taken.
func fresh(name string, used map[string]bool, count map[string]int) string {
	try := name
	for n := max(2, count[name]); used[try]; n++ {
		try = fmt.Sprintf("%s_%d", name, n)
		count[name] = n
	}
	used[try] = true
	return try
}

func (l *layout) warnNames(blank, names []string, twice map[string][]string) {
	for _, name := range names {
		list := twice[name]
		if len(list) == 0 {
			continue
		}
		times := "twice"
		if len(list) > 1 {
			times = fmt.Sprintf("%d times", len(list)+1)
		}
		l.warns = append(l.warns, Warning{Code: "duplicate-header", Level: "note", Column: name,
			Message: fmt.Sprintf("‘%s’ %s: %s, %s.", name, times, name, strings.Join(list[:min(len(list), 5)], ", "))})
	}
	if len(blank) > 0 {
		l.warns = append(l.warns, Warning{Code: "blank-header", Level: "note", Column: blank[0],
			Message: fmt.Sprintf("%s without a name: named %s.", phrase.Count(len(blank), "column"), phrase.List(blank))})
	}
}

// headerName tidies a header: no line breaks, at most 200 bytes.
func headerName(c string) string {
	name := strings.Join(strings.Fields(string(unguard(trim([]byte(c))))), " ")
	if len(name) > 200 {
		cut := 200
		for !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut]
	}
	return name
}
