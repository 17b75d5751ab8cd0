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

// personal reports which columns identify people. By default they are not used and not stored with the
// other columns (docs/clinical.md, Privacy and safety), because stored data can be lost, and names do not
// help a model.
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

// Personal reports whether the column identifies people. Its values must not be shown as levels, and by
// default it is not a predictor.
func Personal(c *table.Column) bool { return personalKind(c) != "" }

// personalKind returns the kind of personal data in a column, "" for none: by the words of its header if
// the values agree, or by the values alone where they are unambiguous.
func personalKind(c *table.Column) string {
	if c.Type == table.Constant || c.Type == table.Boolean {
		return ""
	}
	if kind := personalHeader(c); kind != "" {
		return kind
	}
	return personalValues(c)
}

// personalHeader decides by the header. Words such as "name" or "tel" occur in many harmless headers
// ("drug name"), so the values must agree.
func personalHeader(c *table.Column) string {
	name, words := table.JoinedHeader(c.Name), table.HeaderWords(c.Name)
	has := func(names, in map[string]bool) bool {
		return names[name] || slices.ContainsFunc(words, func(w string) bool { return in[w] })
	}
	text := c.Num == nil && c.Distinct > 10 // many different texts
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

// longDigits reports whether most numbers have seven to fifteen digits, like telephone numbers.
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

// personalLook is the number of levels that personalValues reads: enough to decide for a file of any
// size.
const personalLook = 200

// Patterns of values that identify people. Each must match a whole cell.
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

// personalValues decides by the values alone. It requires a clear majority of the levels and many
// different ones: twelve wards, however they are spelt, are not people.
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
		// Patterns are slow. A text without digits can only match the ones for e-mail addresses and
		// names.
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
	// Names rarely repeat: at least half of the rows must have a unique value. Single words may be towns
	// or states, so most must have two words.
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

// streetWord reports whether a word of the text means street, or ends in such a word.
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

// personName reports whether a text consists of one to five capitalised words, as names do: "Ann Lee",
// "Lee, Ann M.", "O'Hara", "VAN DER BERG". Prose and technical terms have lower-case words, codes have
// digits.
func personName(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' })
	if len(words) == 0 || len(words) > 5 {
		return false
	}
	long := 0 // words other than initials
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
		// A single word in capitals is more often a code (ABCD, II) than a name.
		if len(words) == 1 && len(w) > 1 && strings.ToUpper(w) == w {
			return false
		}
	}
	return long > 0
}

// birthDates reports whether dates are distributed like dates of birth: most of them different, and the
// middle half over more than twelve years. Dates recorded during a study have a smaller spread.
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

// oldAges notes ages above 89, which can be identifying.
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
