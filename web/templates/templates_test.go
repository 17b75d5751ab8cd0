package templates_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"taper/web/templates"
	"taper/web/templates/sheet"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestComponents compares every component of the sheet with its golden file.
func TestComponents(t *testing.T) {
	for _, part := range append(sheet.Parts(), sheet.Part{Name: "Dialog", Show: templates.DialogView(sheet.Sure())}) {
		t.Run(part.Name, func(t *testing.T) {
			var b bytes.Buffer
			if err := part.Show.Render(context.Background(), &b); err != nil {
				t.Fatal(err)
			}
			got := lines(b.String())
			name := strings.ReplaceAll(strings.ToLower(part.Name), ", ", "-")
			file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".html")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("differs from %s (run with -update when it should):\n%s", file, d)
			}
		})
	}
}

// lines breaks HTML at its tags, so that differences are shown line by line.
func lines(html string) string { return strings.ReplaceAll(html, "><", ">\n<") + "\n" }

// TestNothingInline checks the whole sheet against the content security policy: no scripts except module files and
// data blocks, no styles, no handler attributes.
func TestNothingInline(t *testing.T) {
	html := render(t)
	for what, bad := range map[string]*regexp.Regexp{
		"style attribute":   regexp.MustCompile(`(?i)<[^>]*\sstyle\s*=`),
		"style element":     regexp.MustCompile(`(?i)<style`),
		"handler attribute": regexp.MustCompile(`(?i)<[^>]*\son[a-z]+\s*=`),
		"javascript: link":  regexp.MustCompile(`(?i)javascript:`),
	} {
		if at := bad.FindString(html); at != "" {
			t.Errorf("%s: %s", what, at)
		}
	}
	scripts := regexp.MustCompile(`(?i)<script[^>]*>`).FindAllString(html, -1)
	if len(scripts) < 2 {
		t.Fatalf("%d script elements on the sheet, want the entry and chart data", len(scripts))
	}
	for _, s := range scripts {
		if !strings.Contains(s, `type="application/json"`) && !strings.Contains(s, `type="module" blocking="render" src="/static/`) {
			t.Errorf("script that is neither data nor a file of ours: %s", s)
		}
	}
}

// TestHostileNames puts markup into every text that can come from a CSV; it must be escaped, also in chart data.
func TestHostileNames(t *testing.T) {
	const evil = `</script><img src=x onerror=alert(1)>"'`
	chart := sheet.Losses()
	chart.Title, chart.Sentence, chart.Legend[0].Series = evil, evil, evil
	chart.Option = []byte(`{"series":[{"name":"</script><img src=x onerror=alert(1)>"}]}`)
	slider := sheet.Alpha()
	slider.Label, slider.Hint = evil, evil
	var b bytes.Buffer
	for _, err := range []error{
		templates.ChartView(chart).Render(context.Background(), &b),
		templates.SliderView(slider).Render(context.Background(), &b),
		templates.BannerView(templates.Banner{Fact: evil, Text: evil}).Render(context.Background(), &b),
		templates.ButtonView(templates.Button{Label: evil, URL: "javascript:alert(1)//" + evil}).Render(context.Background(), &b),
		templates.TableView(templates.Table{Caption: evil, Columns: []templates.Column{{Label: evil}}, Rows: []templates.Row{{Cells: []templates.Cell{{Text: evil}}}}}).Render(context.Background(), &b),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if html := b.String(); strings.Contains(html, "<img") || strings.Count(html, "</script>") != 1 {
		t.Errorf("markup of a name reached the page:\n%s", html)
	} else if strings.Contains(html, "javascript:") {
		t.Errorf("a script address reached a link:\n%s", html)
	}
}

// TestIcons: every icon name in components has a glyph.
func TestIcons(t *testing.T) {
	if at := regexp.MustCompile(`<path d=""`).FindString(render(t)); at != "" {
		t.Error("an icon on the sheet has no drawing")
	}
}

func render(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	p := templates.Page{Version: "test", Static: "/static/0/", Entry: "js/app.js", Style: "css/taper.css", Here: "/sheet",
		Nav: []templates.Link{{Label: "Data", URL: "/data"}}, Current: "/data", Theme: "dark"}
	if err := sheet.Page(p).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTallTable: a tall table scrolls below its head, but one with a few rows more than fit is shown whole.
func TestTallTable(t *testing.T) {
	for rows, scrolls := range map[int]bool{12: false, 16: false, 17: true} {
		table := templates.Table{Tall: true, Columns: []templates.Column{{Label: "Term"}}}
		for range rows {
			table.Rows = append(table.Rows, templates.Row{Cells: []templates.Cell{{Text: "age"}}})
		}
		var b bytes.Buffer
		if err := templates.TableView(table).Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "scroll-y") != scrolls {
			t.Errorf("%d rows: scrolls is not %t", rows, scrolls)
		}
	}
}

// TestTallTableHeight: the box of a tall table knows the height of its rows and of its head.
func TestTallTableHeight(t *testing.T) {
	table := templates.Table{Tall: true, Class: "levels tbl-tight", Rows: make([]templates.Row, 20),
		Columns: []templates.Column{{Label: "Term"}, {Label: "Age", Unit: "years"}}}
	var b bytes.Buffer
	if err := templates.TableView(table).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `class="scroll scroll-y scroll-tight scroll-units"`) {
		t.Errorf("%.120s", b.String())
	}
}

// TestSelectGroups: options of one group stand under one heading, those of none under no heading.
func TestSelectGroups(t *testing.T) {
	var b bytes.Buffer
	if err := templates.Select(templates.Choice{Options: []templates.Option{{Value: "none"}, {Value: "a", Group: "Yours"},
		{Value: "b", Group: "Yours"}, {Value: "c", Group: "Generated"}}}).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`<optgroup label="\w+"|value="\w+"|</optgroup`).FindAllString(b.String(), -1)
	want := []string{`value="none"`, `<optgroup label="Yours"`, `value="a"`, `value="b"`, `</optgroup`,
		`<optgroup label="Generated"`, `value="c"`, `</optgroup`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNoEmptyID: a choice without an id renders none.
func TestNoEmptyID(t *testing.T) {
	c := templates.Choice{Name: "use", Label: "Use", Options: []templates.Option{{Value: "a", Label: "A"}}}
	for what, part := range map[string]templ.Component{"select": templates.Select(c), "radios": templates.Radios(c),
		"segments": templates.Segments(c)} {
		var b bytes.Buffer
		if err := part.Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), `id=""`) {
			t.Errorf("%s: %s", what, b.String())
		}
	}
}

// TestHeading: a heading keeps terms and parameters whole and shows every character, also those that HTML escapes.
func TestHeading(t *testing.T) {
	for text, want := range map[string]string{
		"Results of t-logistic":                       `Results of <span class="nowrap">t-logistic</span>`,
		"α-loss, t₁ = 0.6":                            `<span class="nowrap">α-loss</span>, <span class="nowrap">t₁ = 0.6</span>`,
		"y = >5 in lev.csv":                           `<span class="nowrap">y = &gt;5</span> in lev.csv`,
		`λ = "1se", x = R&D`:                          `<span class="nowrap">λ = &#34;1se&#34;</span>, <span class="nowrap">x = R&amp;D</span>`,
		"Crohn's-disease":                             "Crohn&#39;s-disease",
		"s-Cholesterinkonzentrationimnuechternen.csv": "s-Cholesterinkonzentrationimnuechternen.csv",
		"y = Cholesterinkonzentration":                "y = Cholesterinkonzentration",
	} {
		var b strings.Builder
		if err := templates.Heading(text).Render(context.Background(), &b); err != nil || b.String() != want {
			t.Errorf("%q: %s, want %s (%v)", text, b.String(), want, err)
		}
	}
}
