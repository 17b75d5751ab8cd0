package templates

import (
	"context"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// Page is the frame around every page. The server fills the common parts; a handler sets title, crumbs, result and
// actions.
type Page struct {
	Title   string          // heading of the page and title of the window
	Lead    templ.Component // above the title, or nil
	Crumbs  []Link          // path to this page; an entry without URL is plain text
	Tabs    *Tabs           // pages about the same thing, including this one; nil without
	Open    templ.Component // serious open questions, before the answer, or nil
	Result  templ.Component // the answer in one sentence, or nil
	Actions templ.Component // buttons beside the title, or nil
	Body    string          // class of <main>, "" for none
	Root    string          // class of the root element, "" for none: changing it affects all styles
	Scene   bool            // fills the screen for an audience, without the usual frame

	Nav      []Link // existing pages, in order
	Current  string // URL of the nav entry this page belongs to
	Theme    string // "light", "dark" or "" to follow the system
	Here     string // path and query of this page, to which the theme form returns
	Version  string
	Address  string // address the program listens on
	Workers  bool   // workers may compute for this program
	Help     string // URL of the help page, "" without one
	SignedIn bool   // shows Sign out

	Static  string   // prefix of the embedded files, with a slash at its end
	Style   string   // the style sheet, below Static
	Modules []string // ES modules to preload
	Entry   string   // the entry module
}

// Tabs are links to the pages about one thing, each with its own address.
type Tabs struct {
	Label string // name for screen readers
	Open  string // label of the open page
	Links []Link
}

// window is the title of the window; for one of several pages about the same thing it names the page.
func (p Page) window() string {
	if p.Tabs == nil {
		return p.Title
	}
	return p.Tabs.Open + " – " + p.Title
}

// Link is a label with an address.
type Link struct{ Label, URL string }

// themes are the states of the theme button: the present theme and the one it switches to.
var themes = []struct{ name, icon, label, next string }{
	{"auto", "auto", "Theme: system. Switch to light", "light"},
	{"light", "sun", "Theme: light. Switch to dark", "dark"},
	{"dark", "moon", "Theme: dark. Switch to system", "auto"},
}

// theme is the state for the present theme.
func (p Page) theme() string {
	if p.Theme == "" {
		return "auto"
	}
	return p.Theme
}

func (p Page) face() struct{ name, icon, label, next string } {
	for _, f := range themes {
		if f.name == p.theme() {
			return f
		}
	}
	return themes[0]
}

// unless says when data can leave this machine.
func (p Page) unless() string {
	if p.Workers {
		return ", unless you let the rows of a job go to workers"
	}
	return ""
}

// whole is what a line must not break: a word whose first part is a single letter, such as t-logistic or α-loss, and
// a parameter with its value, such as t₁ = 0.6.
var whole = regexp.MustCompile(`(?:^|[^\pL\pN'’-])(\pL-\pL+|\pL[₀-₉]? = [^\s,;)]+)`)

// longestWhole is the number of characters up to which it is kept whole: a phone has room for that many in a heading.
const longestWhole = 16

// Heading is the text of a heading, of a column’s head or the name of a run. No line of it ends after the letter of
// "t-logistic" or before the value of "α = 4". Hyphens and spaces stay those of a keyboard, so that a search finds
// the words.
func Heading(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var out strings.Builder
		done := 0
		for _, at := range whole.FindAllStringSubmatchIndex(text, -1) {
			part := text[at[2]:at[3]]
			if utf8.RuneCountInString(part) > longestWhole {
				continue
			}
			out.WriteString(templ.EscapeString(text[done:at[2]]))
			out.WriteString(`<span class="nowrap">` + templ.EscapeString(part) + `</span>`)
			done = at[3]
		}
		out.WriteString(templ.EscapeString(text[done:]))
		_, err := io.WriteString(w, out.String())
		return err
	})
}
