package check

import (
	"strings"

	"taper/internal/engine/table"
)

// Words of headers by what they name. …Names are compared with the whole header, …Words with its single
// words.
var (
	emailNames = table.WordSet(`email emailaddress mail emailadresse`)
	emailWords = table.WordSet(`email emails mail courriel correo`)

	phoneNames = table.WordSet(`phone phonenumber phoneno telephone tel telefon telefonnummer mobile mobil handy
		fax cell cellphone`)
	phoneWords = table.WordSet(`phone phones telephone tel telefon telefonnummer telefono teléfono téléphone telefoon
		telefone mobile mobil handy móvil movil cellulare cellphone fax puhelin handynummer rufnummer`)

	personNames = table.WordSet(`name names surname firstname lastname fullname givenname familyname forename middlename
		patientname vorname nachname familienname nom prenom prénom nombre apellido vezetéknév keresztnév név
		physician doctor arzt fname lname initials`)
	// "name" itself is not included: drug name, hospital name, file name.
	personWords = table.WordSet(`surname surnames forename forenames firstname lastname fullname givenname familyname
		middlename maidenname patientname vorname vornamen nachname nachnamen familienname geburtsname zuname prenom
		prénom prenoms prénoms apellido apellidos cognome sobrenome apelido achternaam voornaam efternamn förnamn
		fornavn etternavn efternavn sukunimi etunimi nazwisko imię imie příjmení prijmeni jméno priezvisko meno
		vezetéknév vezeteknev keresztnév keresztnev prezime фамилия имя отчество kin`)

	birthNames = table.WordSet(`dob birth birthdate birthday dateofbirth born geburtsdatum geburtstag gebdat gebdatum
		naissance datedenaissance szuletesidatum születésidátum nacimiento nascita nascimento geboortedatum
		födelsedatum fødselsdato syntymäaika`)
	birthWords = table.WordSet(`dob birthdate birthday geburtsdatum geburtstag gebdat gebdatum naissance nacimiento
		nascita nascimento geboortedatum födelsedatum fødselsdato syntymäaika`)

	postcodeNames = table.WordSet(`zip zipcode postcode postalcode plz postleitzahl postal codepostal irányítószám
		postnummer cap cp kodpocztowy`)
	postcodeWords = table.WordSet(`zip zipcode postcode postcodes postalcode plz postleitzahl codepostal
		irányítószám postnummer`)

	addressNames = table.WordSet(`address street strasse straße adresse addresse wohnort adress cím`)
	addressWords = table.WordSet(`address addresses street strasse straße adresse addresse anschrift wohnort adress
		direccion dirección indirizzo endereco endereço adres adresa domicile domicilio calle rue hausnummer`)

	recordNames = table.WordSet(`mrn ssn nhs nhsno nhsnumber medicalrecordnumber medicalrecord
		socialsecuritynumber insurancenumber insuranceno versichertennummer versicherungsnummer passport passportno
		taj`)
	recordWords = table.WordSet(`mrn ssn nhs nhsno nhsnumber versichertennummer versicherungsnummer krankenkassennummer
		passport codicefiscale bsn cpf dni nif personnummer pesel`)

	streetWords = table.WordSet(`street st road rd avenue ave lane ln drive dr boulevard blvd court ct place way
		close crescent terrace square rue chemin allée via viale piazza corso calle avenida plaza paseo rua ulica ul
		utca út straat laan plein weg platz gasse allee vej gade gatan väg`)
	streetEnds = []string{"strasse", "straße", "str", "weg", "platz", "gasse", "allee", "straat", "laan", "gracht",
		"plein", "gatan", "vägen", "vej", "gade", "utca", "katu"}
	nameParticles = table.WordSet(`van von der den de del della di da dos du la le el al bin ibn ter ten zu y e
		mr mr. mrs mrs. ms ms. miss dr dr. prof prof. jr jr. sr sr. frau herr mme m.`)

	ageNames = table.WordSet(`age alter âge edad életkor ageyears agey patientage ageatdiagnosis`)

	leakNames = table.WordSet(`time times days months followup fup fu futime futimes los surv survival start stop
		tstart tstop tstop1 discharge result results cause outcome endpoint exitus dod died dead deceased death
		died30 tod`)
	leakWords = table.WordSet(`death died dead deceased mortality autopsy postmortem discharge discharged survival
		followup fup futime futimes relapse recurrence readmission readmitted censor censored censoring cause exitus
		tod entlassung entlassungs entlassart todesursache todesdatum verstorben dod los`)
)

// leakName reports whether the header names something known only after the outcome: follow-up time,
// death, discharge, cause.
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

// looksLikeID reports whether a column identifies rows or people: by type, or by header if it has many
// values.
func looksLikeID(t *table.Table, c *table.Column) bool {
	switch c.Type {
	case table.Identifier:
		return true
	case table.Number, table.Date, table.Constant, table.Boolean:
		return false
	}
	return table.NamesRows(c.Name) && c.Distinct > 10 && 20*c.Distinct > t.Rows
}
