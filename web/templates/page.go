package templates

import "github.com/a-h/templ"

// Page is what the frame around every page shows. The server fills the part
// that is the same everywhere; a handler sets title, crumbs, result, actions.
type Page struct {
	Title   string          // head of the page and of the window
	Lead    templ.Component // above the title, or nil
	Crumbs  []Link          // way here; an entry without URL is plain text
	Tabs    *Tabs           // pages about one thing, of which this is one; nil without
	Open    templ.Component // harmful questions nobody answered, before the answer, or nil
	Result  templ.Component // the one sentence that is the answer, or nil
	Actions templ.Component // buttons beside the title, or nil
	Body    string          // class of <main>, "" for none
	Root    string          // class of the root element, "" for none: what surrounds every page hears of it
	Scene   bool            // fills the screen before an audience, without the frame of other pages

	Nav      []Link // pages that exist, in their order
	Current  string // URL of the nav entry this page belongs to
	Theme    string // "light", "dark" or "" to follow the system
	Here     string // path and query of this page, where the theme form returns
	Version  string
	Address  string // where the program listens
	Workers  bool   // other machines may compute for this one
	Help     string // URL of the help page, "" while there is none
	SignedIn bool   // shows Sign out

	Static  string   // prefix of the embedded files, with a slash at its end
	Style   string   // the style sheet, below Static
	Modules []string // ES modules to preload
	Entry   string   // the module to run
}

// Tabs lead to the pages about one thing. They are links: each page has an address.
type Tabs struct {
	Label string // names them to a screen reader
	Open  string // label of the page that is open
	Links []Link
}

// window is the title of the window: of several pages about one thing it names the one.
func (p Page) window() string {
	if p.Tabs == nil {
		return p.Title
	}
	return p.Tabs.Open + " – " + p.Title
}

// Link is a word that leads somewhere.
type Link struct{ Label, URL string }

// themes are the faces of the theme button: what is on, and what a press asks
// for.
var themes = []struct{ name, icon, label, next string }{
	{"auto", "auto", "Theme: system. Switch to light", "light"},
	{"light", "sun", "Theme: light. Switch to dark", "dark"},
	{"dark", "moon", "Theme: dark. Switch to system", "auto"},
}

// theme names the theme that is on.
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

// unless says when data do not stay on this machine.
func (p Page) unless() string {
	if p.Workers {
		return ", unless you let the rows of a job go to workers"
	}
	return ""
}
