package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// personal says which columns identify people. They are left out, and not
// stored with the columns, unless somebody says otherwise (docs/clinical.md §5, 11): what is stored
// by default can be lost, and a name helps no model.
func (d *checker) personal() {
	d.named = map[string]bool{}
	for _, c := range d.t.Columns {
		what := personalKind(c)
		if what == "" || c.Name == d.outcome || c.Spec.Role == table.Exclude || c.Spec.Role == table.Group {
			continue
		}
		d.named[c.Name] = true
		if c.Spec.Role == table.Predictor {
			d.note("personal", c.Name, fmt.Sprintf("%s looks like %s: kept, as you decided.", c.Name, what))
			continue
		}
		d.settled("personal", c.Name, fmt.Sprintf("%s looks like %s: left out, and not stored once you confirm the "+
			"columns.", c.Name, what),
			table.Choice{Label: "Use it all the same", Column: &table.ColumnSpec{Name: c.Name, Role: table.Predictor}})
	}
	d.oldAges()
}

// Personal reports whether the column identifies people: its values are not to
// be shown as levels, and it is no predictor unless somebody says so.
func Personal(c *table.Column) bool { return personalKind(c) != "" }

// personalKind says what personal data a column holds, "" for none: by the
// words of its header, confirmed by the kind of its values, or by its values
// alone where they can hardly be anything else.
func personalKind(c *table.Column) string {
	if c.Type == table.Constant || c.Type == table.Boolean {
		return ""
	}
	if kind := personalHeader(c); kind != "" {
		return kind
	}
	return personalValues(c)
}

// personalHeader goes by the header. A word such as "name" or "tel" stands in
// many harmless headers ("drug name"), so the values must allow the reading.
func personalHeader(c *table.Column) string {
	name, words := table.JoinedHeader(c.Name), table.HeaderWords(c.Name)
	has := func(names, in map[string]bool) bool {
		return names[name] || slices.ContainsFunc(words, func(w string) bool { return in[w] })
	}
	text := c.Num == nil && c.Distinct > 10 // many texts
	many := text || c.Distinct > 20
	joined := " " + strings.Join(words, " ") + " "
	says := func(phrases ...string) bool {
		return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(joined, " "+p+" ") })
	}
	switch {
	case has(emailNames, emailWords) && text:
		return "e-mail addresses"
	case many && has(phoneNames, phoneWords) && (text || longDigits(c)):
		return "telephone numbers"
	case text && personNames[name], c.Num == nil && c.Distinct > 2 && (has(nil, personWords) ||
		says("family name", "given name", "first name", "last name", "middle name", "maiden name", "full name",
			"second name", "patient name", "name of patient", "next of kin", "contact name", "doctor name",
			"physician name", "nom de famille", "nom patient")):
		return "names of people"
	case has(birthNames, birthWords) && (c.Type == table.Date || text),
		says("date of birth", "birth date", "birth day", "born on", "date de naissance", "fecha de nacimiento",
			"data di nascita", "data de nascimento") && many:
		return "dates of birth"
	case has(postcodeNames, postcodeWords) && many, says("zip code", "post code", "postal code", "code postal") && many:
		return "post codes"
	case text && has(addressNames, addressWords), text && says("home address", "house number"):
		return "addresses"
	case has(recordNames, recordWords) && many,
		says("insurance number", "insurance no", "social security", "national id", "medical record", "hospital number",
			"passport number", "passport no", "driver license", "driving licence") && many:
		return "record numbers"
	}
	return ""
}

// longDigits reports whether most numbers have seven to fifteen digits, as
// those of telephones do.
func longDigits(c *table.Column) bool {
	long, n := 0, 0
	for _, v := range c.Num {
		if v != v {
			continue
		}
		n++
		if v >= 1e6 && v < 1e15 {
			long++
		}
	}
	return n > 0 && 2*long > n
}

// personalLook is the number of levels that personalValues reads: enough to
// tell, whatever the size of the file.
const personalLook = 200

// Values that name people. Each pattern is to match a whole cell.
var (
	emailCell = regexp.MustCompile(`^[^\s@]+@[^\s@]+\.[^\s@]{2,}$`)
	// A telephone number has a plus, a leading zero, brackets, or groups of digits between separators.
	phoneCell  = regexp.MustCompile(`^(\+|\(|0)[0-9 ()./-]+$|^[0-9]{2,4}([ ./-][0-9]{2,6}){2,5}$`)
	securityNo = regexp.MustCompile(`^[0-9]{3}-[0-9]{2}-[0-9]{4}$`)
	// Full postcodes of the United Kingdom, Canada, the Netherlands, and ZIP+4.
	postCell = regexp.MustCompile(`^(?i:[a-z]{1,2}[0-9][a-z0-9]? ?[0-9][a-z]{2}|[a-z][0-9][a-z][ -]?[0-9][a-z][0-9]|` +
		`[0-9]{4} [a-z]{2}|[0-9]{5}-[0-9]{4})$`)
	houseNo  = regexp.MustCompile(`(^|[ ,])[0-9]+ ?[a-zA-Z]?(/[0-9]+)?([ ,.]|$)`)
	dateLike = regexp.MustCompile(`^[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}$`)
)

// personalValues goes by the values alone. It asks for a clear majority of the
// levels and for variety: a column of twelve wards, however they are spelt, is
// no column of people.
func personalValues(c *table.Column) string {
	if c.Type == table.Date {
		if birthDates(c) {
			return "dates of birth"
		}
		return ""
	}
	if c.Num != nil || c.Distinct < 8 {
		return ""
	}
	var n, email, phone, security, post, address, name, full int
	for k, level := range c.Levels {
		if c.Count[k] == 0 {
			continue
		}
		if n++; n > personalLook {
			n--
			break
		}
		// Patterns cost more than counting: a text without digits can only be an address by mail or a name.
		l := strings.TrimSpace(level)
		switch d := digits(l); {
		case strings.Contains(l, "@") && emailCell.MatchString(l):
			email++
		case d == 0:
			if personName(l) {
				name++
				if strings.ContainsAny(l, " ,") {
					full++
				}
			}
		case securityNo.MatchString(l):
			security++
		case postCell.MatchString(l):
			post++
		case d >= 8 && d <= 15 && phoneCell.MatchString(l) && !dateLike.MatchString(l):
			phone++
		case houseNo.MatchString(l) && streetWord(l):
			address++
		}
	}
	most := func(k int) bool { return 5*k >= 4*n }
	switch {
	case 2*email > n:
		return "e-mail addresses"
	case most(security):
		return "social security numbers"
	case most(phone) && !table.NamesRows(c.Name):
		return "telephone numbers"
	case most(post):
		return "post codes"
	case 2*address > n:
		return "addresses"
	}
	// Names repeat little: half of the rows and more hold one of their own. Single
	// words may as well be towns or states, so most must have two.
	rows := 0
	for _, k := range c.Count {
		rows += k
	}
	if most(name) && 2*full > n && c.Distinct > 20 && 2*c.Distinct > rows {
		return "names of people"
	}
	return ""
}

func digits(s string) (n int) {
	for _, r := range s {
		if '0' <= r && r <= '9' {
			n++
		}
	}
	return n
}

// streetWord reports whether a word of the text says street, or ends so.
func streetWord(s string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == ' ' || r == ',' || unicode.IsDigit(r)
	}), func(w string) bool {
		w = strings.TrimRight(w, ".")
		return streetWords[w] || slices.ContainsFunc(streetEnds, func(end string) bool {
			return strings.HasSuffix(w, end) && len(w) > len(end)+2
		})
	})
}

// personName reports whether a text is made of one to five capitalised words,
// as names are: "Ann Lee", "Lee, Ann M.", "O'Hara", "VAN DER BERG". Prose and
// terms have words in lower case, codes have digits.
func personName(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' })
	if len(words) == 0 || len(words) > 5 {
		return false
	}
	long := 0 // words that are no initials
	for _, w := range words {
		if nameParticles[w] || nameParticles[strings.ToLower(w)] {
			continue
		}
		if utf8.RuneCountInString(strings.TrimRight(w, ".")) >= 3 {
			long++
		}
		first := true
		for _, r := range w {
			switch {
			case first && !unicode.IsUpper(r):
				return false
			case !unicode.IsLetter(r) && !strings.ContainsRune("-'’.", r):
				return false
			}
			first = false
		}
		// One word in capitals is a code (ABCD, II) more often than a name.
		if len(words) == 1 && len(w) > 1 && strings.ToUpper(w) == w {
			return false
		}
	}
	return long > 0
}

// birthDates reports whether dates spread as those of birth do: most of them
// different, and the middle half of them over more than twelve years. What is
// recorded while a study or a clinic's file runs spreads less.
func birthDates(c *table.Column) bool {
	var days []float64
	for _, v := range c.Num {
		if v == v {
			days = append(days, v)
		}
	}
	if len(days) < 20 || 2*c.Distinct < len(days) {
		return false
	}
	slices.Sort(days)
	return days[3*len(days)/4]-days[len(days)/4] > 12*365.25
}

// oldAges notes ages above 89, which can tell who someone is.
func (d *checker) oldAges() {
	for _, c := range d.t.Columns {
		if !ageNames[table.JoinedHeader(c.Name)] || c.Num == nil || c.Spec.Role == table.Exclude {
			continue
		}
		rows := 0
		for _, v := range c.Num {
			if v > 89 && v < 130 && !slices.Contains(codes, v) {
				rows++
			}
		}
		if rows > 0 {
			d.note("old-ages", c.Name, fmt.Sprintf("%s of %s above 89, which can be identifying.",
				phrase.Count(rows, "row"), c.Name))
		}
	}
}
