package table

import (
	"strings"
	"unicode"
)

// tokens splits a header into lower-case words at blanks, punctuation and
// changes of case: "DateOfDeath" → date of death.
func tokens(name string) []string {
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

// joined is a header without anything but its letters and digits.
func joined(name string) string { return strings.Join(tokens(name), "") }

// Headers by what they say. A whole header is compared with …Names, its words
// with …Words.
var (
	idNames = words(`id pid ptid patid patient patients patientid patientno patientnr patientnumber patientnummer
		patnr subject subjectid subjid usubjid participant participantid person personid mrn case caseid caseno casenr
		fall fallnummer fallnr record recordid recordno recordnumber studyid sampleid hospno hospitalno index rowname
		rownames rowid rownumber row nr no number lfdnr unnamed0 uid guid identifier kennung key aktenzeichen`)
	idWords = words(`id pid ptid mrn patient subject participant`)

	emailNames    = words(`email emailaddress mail emailadresse`)
	phoneNames    = words(`phone phonenumber phoneno telephone tel telefon telefonnummer mobile mobil handy fax cell cellphone`)
	personNames   = words(`name surname firstname lastname fullname givenname familyname forename middlename patientname vorname nachname familienname nom prenom prénom nombre apellido vezetéknév keresztnév név physician doctor arzt`)
	birthNames    = words(`dob birth birthdate birthday dateofbirth born geburtsdatum geburtstag gebdat naissance datedenaissance szuletesidatum`)
	postcodeNames = words(`zip zipcode postcode postalcode plz postleitzahl postal codepostal irányítószám`)
	addressNames  = words(`address street strasse straße adresse addresse wohnort adress cím`)
	recordNames   = words(`mrn ssn nhs nhsno nhsnumber medicalrecordnumber medicalrecord socialsecuritynumber insurancenumber insuranceno versichertennummer versicherungsnummer passport passportno taj`)
	ageNames      = words(`age alter âge edad életkor ageyears agey patientage ageatdiagnosis`)

	leakNames = words(`time times days months followup fup fu futime futimes los surv survival start stop tstart tstop tstop1
		discharge result results cause outcome endpoint exitus dod died dead deceased death died30 tod`)
	leakWords = words(`death died dead deceased mortality autopsy postmortem discharge discharged survival followup fup futime
		futimes relapse recurrence readmission readmitted censor censored censoring cause exitus tod entlassung entlassungs entlassart
		todesursache todesdatum verstorben dod los`)
)

// about reports whether the header is one of names, or has one of words.
func about(name string, names, in map[string]bool) bool {
	if names[joined(name)] {
		return true
	}
	for _, w := range tokens(name) {
		if in[w] {
			return true
		}
	}
	return false
}

// leakName reports whether the header names something that is known only once
// the outcome is: a time of follow-up, a death, a discharge, a cause.
func leakName(name string) bool {
	if about(name, leakNames, leakWords) {
		return true
	}
	phrase := " " + strings.Join(tokens(name), " ") + " "
	for _, p := range []string{" follow up", " time to ", " days to ", " last contact", " last visit", " lost to ",
		" length of stay", " event time", " cause of", " post mortem", " end of study"} {
		if strings.Contains(phrase, p) {
			return true
		}
	}
	return false
}

// looksLikeID reports whether a column names rows or people: by type, or by
// header where it has many values.
func looksLikeID(t *Table, c *Column) bool {
	switch c.Type {
	case Identifier:
		return true
	case Number, Date, Constant, Boolean:
		return false
	}
	return about(c.Name, idNames, idWords) && c.Distinct > 10 && 20*c.Distinct > t.Rows
}
