package testdata_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"taper/internal/engine/synth"

	"golang.org/x/text/encoding/charmap"
)

// heartClinicDirty writes the simulated heart clinic as such files arrive:
// Windows-1252 and CRLF, a title above the header, semicolons and decimal
// commas, −9 and a dot for missing, "<0,01" below the limit of detection, a
// patient number that repeats, a date, a free-text note, a site that never
// varies, spellings that differ by a blank, and a discharge code that gives the
// answer away.
func heartClinicDirty(seed uint64) ([]byte, error) {
	rng := rand.New(rand.NewPCG(seed, synth.Stream("heart-clinic-dirty")))
	var b bytes.Buffer
	b.WriteString("Herzambulanz Köln – Auszug vom 05.01.2026\r\n")
	out := csv.NewWriter(&b)
	out.Comma, out.UseCRLF = ';', true
	records := [][]string{{"patient", "visit", "site", "age", "sex", "größe", "cp", "trestbps", "chol", "fbs",
		"thalach", "exang", "oldpeak", "ca", "troponin", "smoker", "note", "discharge_code", "disease"}}
	for _, v := range heartVisits(seed) {
		records = append(records, v.dirty(rng))
	}
	if err := out.WriteAll(records); err != nil {
		return nil, fmt.Errorf("write heart clinic: %w", err)
	}
	return charmap.Windows1252.NewEncoder().Bytes(b.Bytes())
}

// heartClinic writes the first visit of each patient as one would wish for: the
// same measurements, plain commas, an empty cell for missing.
func heartClinic(seed uint64) ([]byte, error) {
	rng := rand.New(rand.NewPCG(seed, synth.Stream("heart-clinic-dirty")))
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	records := [][]string{{"age", "sex", "height", "cp", "trestbps", "chol", "fbs", "thalach", "exang", "oldpeak",
		"troponin", "smoker", "disease"}}
	for _, v := range heartVisits(seed) {
		if d := v.dirty(rng); v.first {
			records = append(records, v.clean(d))
		}
	}
	if err := out.WriteAll(records); err != nil {
		return nil, fmt.Errorf("write heart clinic: %w", err)
	}
	return b.Bytes(), nil
}

// dirty is the row with everything that is awkward about it.
func (v visit) dirty(rng *rand.Rand) []string {
	return []string{
		fmt.Sprintf("P%d", 1000+v.patient), v.day.Format("02.01.2006"), "Köln",
		strconv.Itoa(v.age), word(v.male, "m", "f"), strconv.Itoa(v.height), strconv.Itoa(v.pain),
		missing(rng, .02, "-9", strconv.Itoa(v.pressure)), missing(rng, .07, "-9", strconv.Itoa(v.chol)),
		word(v.sugar, "1", "0"), missing(rng, .03, ".", strconv.Itoa(v.rate)), word(v.angina, "yes", "no"),
		comma(v.st, 1), missing(rng, .99, "", strconv.Itoa(rng.IntN(4))), v.trop(),
		v.smoking(rng), remark(rng), v.discharge(rng), word(v.disease, "yes", "no"),
	}
}

// clean is the row without identifiers, text and leak; d is its dirty form,
// which says what is missing.
func (v visit) clean(d []string) []string {
	known := func(cell string) string { return word(cell == "-9" || cell == ".", "", cell) }
	return []string{
		d[3], d[4], d[5], d[6], known(d[7]), known(d[8]), d[9], known(d[10]), d[11],
		strconv.FormatFloat(v.st, 'f', 1, 64), strconv.FormatFloat(max(v.troponin, .01), 'f', 2, 64),
		word(v.smoker, "yes", "no"), d[18],
	}
}

func (v visit) trop() string {
	if v.troponin < .01 {
		return "<0,01"
	}
	return comma(v.troponin, 2)
}

// smoking spells the answer in several ways.
func (v visit) smoking(rng *rand.Rand) string {
	i := choose(rng, .8, .12, .08)
	if v.smoker {
		return []string{"Yes", "Yes", "yes"}[i]
	}
	return []string{"No", "No ", "no."}[i]
}

// discharge is coded after the diagnosis is known, and once in a hundred rows
// for something else.
func (v visit) discharge(rng *rand.Rand) string {
	return word(v.disease != (rng.Float64() < .01), "I20", "Z01")
}

func missing(rng *rand.Rand, share float64, code, value string) string {
	return word(rng.Float64() < share, code, value)
}

func word(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}

func comma(v float64, digits int) string {
	return strings.Replace(strconv.FormatFloat(v, 'f', digits, 64), ".", ",", 1)
}

// remark is a sentence of a letter; semicolons, quotes and accents included.
func remark(rng *rand.Rand) string {
	when := fmt.Sprintf("%d %s", 1+rng.IntN(12), []string{"Wochen", "Monaten", "Tagen"}[rng.IntN(3)])
	return []string{
		"Kontrolle in " + when + " – stabil",
		"müde seit " + when,
		"Belastung gut; Wiedervorstellung in " + when,
		"klagt über \"Stechen\" seit " + when,
		"Überwiesen, Rückruf in " + when,
	}[rng.IntN(5)]
}
