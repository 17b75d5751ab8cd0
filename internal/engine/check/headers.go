package check

import (
	"strings"

	"taper/internal/engine/table"
)

// Headers by what they say. A whole header is compared with …Names, its words
// with …Words.
var (
	emailNames = table.WordSet(`email emailaddress mail emailadresse`)
	phoneNames = table.WordSet(`phone phonenumber phoneno telephone tel telefon telefonnummer mobile mobil handy
		fax cell cellphone`)
	personNames = table.WordSet(`name surname firstname lastname fullname givenname familyname forename middlename
		patientname vorname nachname familienname nom prenom prénom nombre apellido vezetéknév keresztnév név
		physician doctor arzt`)
	birthNames = table.WordSet(`dob birth birthdate birthday dateofbirth born geburtsdatum geburtstag gebdat
		naissance datedenaissance szuletesidatum`)
	postcodeNames = table.WordSet(`zip zipcode postcode postalcode plz postleitzahl postal codepostal irányítószám`)
	addressNames  = table.WordSet(`address street strasse straße adresse addresse wohnort adress cím`)
	recordNames   = table.WordSet(`mrn ssn nhs nhsno nhsnumber medicalrecordnumber medicalrecord
		socialsecuritynumber insurancenumber insuranceno versichertennummer versicherungsnummer passport passportno
		taj`)
	ageNames = table.WordSet(`age alter âge edad életkor ageyears agey patientage ageatdiagnosis`)

	leakNames = table.WordSet(`time times days months followup fup fu futime futimes los surv survival start stop
		tstart tstop tstop1 discharge result results cause outcome endpoint exitus dod died dead deceased death
		died30 tod`)
	leakWords = table.WordSet(`death died dead deceased mortality autopsy postmortem discharge discharged survival
		followup fup futime futimes relapse recurrence readmission readmitted censor censored censoring cause exitus
		tod entlassung entlassungs entlassart todesursache todesdatum verstorben dod los`)
)

// leakName reports whether the header names something that is known only once
// the outcome is: a time of follow-up, a death, a discharge, a cause.
func leakName(name string) bool {
	if table.HeaderHas(name, leakNames, leakWords) {
		return true
	}
	phrase := " " + strings.Join(table.HeaderWords(name), " ") + " "
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
func looksLikeID(t *table.Table, c *table.Column) bool {
	switch c.Type {
	case table.Identifier:
		return true
	case table.Number, table.Date, table.Constant, table.Boolean:
		return false
	}
	return table.NamesRows(c.Name) && c.Distinct > 10 && 20*c.Distinct > t.Rows
}
