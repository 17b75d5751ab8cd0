package portable

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

//go:embed score.R
var scoreR string

// r is score.R with the model as nested lists, since base R reads no JSON.
func (p *Model) r(head []string) string {
	d := json.NewDecoder(bytes.NewReader(p.text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		panic("portable: the JSON of a model does not read: " + err.Error())
	}
	var b strings.Builder
	b.WriteString(commented("#", head) + scoreR + "\nmodel <- ")
	listR(&b, tree, 0)
	b.WriteString("\nscore <- taper_scorer(model)\n")
	return b.String()
}

// listR writes a value in R syntax, each level of nesting on its own line.
func listR(b *strings.Builder, v any, depth int) {
	indent := "\n" + strings.Repeat("  ", depth+1)
	switch v := v.(type) {
	case map[string]any:
		b.WriteString("list(")
		keys := make([]string, 0, len(v))
		for k := range v {
			if v[k] != nil {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for i, k := range keys {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(indent + "`" + textR(k, '`') + "` = ")
			listR(b, v[k], depth+1)
		}
		b.WriteString(")")
	case []any:
		open := "list("
		if len(v) > 0 {
			switch v[0].(type) {
			case json.Number, string, bool:
				open = "c("
			}
		}
		b.WriteString(open)
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			listR(b, e, depth+1)
		}
		b.WriteString(")")
	case string:
		b.WriteString(`"` + textR(v, '"') + `"`)
	case bool:
		b.WriteString(map[bool]string{true: "TRUE", false: "FALSE"}[v])
	case nil:
		b.WriteString("NULL")
	default:
		fmt.Fprint(b, v)
	}
}

// textR writes a quoted string in ASCII, so that the file's encoding does not matter.
func textR(s string, quote rune) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteString(`\` + string(r))
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}
