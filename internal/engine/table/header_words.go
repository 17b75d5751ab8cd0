package table

import (
	"strings"
	"unicode"
)

// HeaderWords splits a header into lower-case words at blanks, punctuation and
// changes of case: "DateOfDeath" → date of death.
func HeaderWords(name string) []string {
	var b strings.Builder
	var last rune
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
			fallthrough
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return strings.Fields(b.String())
}

// JoinedHeader returns a header reduced to its letters and digits.
func JoinedHeader(name string) string { return strings.Join(HeaderWords(name), "") }

// Headers that name a row or a person: either the whole header or one of its words.
var (
	idNames = WordSet(`id pid ptid patid patient patients patientid patientno patientnr patientnumber patientnummer
		patnr subject subjectid subjid usubjid participant participantid person personid mrn case caseid caseno casenr
		fall fallnummer fallnr record recordid recordno recordnumber studyid sampleid hospno hospitalno index rowname
		rownames rowid rownumber row nr no number lfdnr unnamed0 uid guid identifier kennung key aktenzeichen`)
	idWords = WordSet(`id pid ptid mrn patient subject participant`)
)

// NamesRows reports whether the header names an identifier of rows or people.
func NamesRows(name string) bool { return HeaderHas(name, idNames, idWords) }

// HeaderHas reports whether the header is one of names, or has one of words.
func HeaderHas(name string, names, in map[string]bool) bool {
	if names[JoinedHeader(name)] {
		return true
	}
	for _, w := range HeaderWords(name) {
		if in[w] {
			return true
		}
	}
	return false
}

// WordSet is the set of the words of s.
func WordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
