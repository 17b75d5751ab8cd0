package check

import (
	"cmp"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// A wrongly guessed outcome or event gives a model for another question, and nothing on the page would
// show it. So a guess only orders the choices offered. The event is taken without asking only where the
// levels name it unambiguously.

// goodWords name good outcomes, as a column or as a level. In such a column the levels do not say whether
// the good outcome or its opposite is the event.
var goodWords = table.WordSet(`survived survive survives surviving survivor survivors survival alive living healthy
	cured cure recovered recover recovery remission remitted responder responders improved improvement success
	successful free resolved überlebt überlebend überlebende überleben ueberlebt lebt lebend lebendig geheilt
	heilung genesen genesung gesund remissionen vivant vivante vivants survie survécu survivant guéri guérie gueri
	guerie guérison sain saine rémission rétabli vivo viva vivos vivas sobrevivió sobrevivio sobrevive sobreviviente
	superviviente supervivencia sano sana sanos curado curada curación remisión recuperado recuperada sobreviveu
	sobrevivente saudável saudavel cura remissão recuperação sopravvissuto sopravvissuta sopravvive sopravvivenza
	guarito guarita guarigione remissione levend overleefd genezen gezond levande överlevde överlevt frisk botad
	tilfreds elossa terve żyje żywy przeżył przeżyła zdrowy zdrowa wyleczony wyzdrowiał živý přežil zdravý
	vyléčen él túlélő túlélte gyógyult egészséges`)

// badWords name bad outcomes: in a column with such a name "yes" is the event.
var badWords = table.WordSet(`died dead death deaths deceased mortality disease diseased illness sick ill event
	relapse relapsed recurrence recurred progression progressed cancer tumor tumour malignant malignancy metastasis
	metastases diabetes diabetic readmitted readmission infection infected sepsis stroke infarction mi chd cvd
	failure complication complications caco case covid tod tot verstorben gestorben krank krankheit erkrankung
	rezidiv rückfall infarkt schlaganfall décès deces décédé mort morte maladie malade rechute récidive fallecido
	fallecida fallecimiento muerte muerto murió enfermedad enfermo recaída morto deceduto decesso malattia malato
	recidiva óbito obito doença overleden ziekte`)

// yesWords affirm what the column is about, and codes number the levels. Neither says whether that is the
// event.
var (
	yesWords = table.WordSet(`yes y ja j oui o si sí igen sim tak positive pos present`)
	codeText = table.WordSet(`1 true t + -1 0 2`)
)

// SpokenEvent returns the column as the outcome, with the event if its levels name it beyond doubt
// ("malignant" and "benign", or "yes" in a column "died"). Otherwise Positive is "": for 0/1, 1/2,
// true/false, for yes/no in a column that names no bad outcome, and for names of good outcomes.
func SpokenEvent(c *table.Column) table.OutcomeChoice {
	if !speaks(c) {
		return table.OutcomeChoice{Column: c.Name}
	}
	return suggestEvent(c)
}

// speaks reports whether name and levels determine the event beyond doubt.
func speaks(c *table.Column) bool {
	levels := c.Commonest()
	good := func(text string) bool {
		return goodWords[fold(text)] ||
			slices.ContainsFunc(table.HeaderWords(text), func(w string) bool { return goodWords[w] })
	}
	if good(c.Name) || slices.ContainsFunc(levels, func(l table.LevelCount) bool { return good(l.Level) }) {
		return false
	}
	event, none := spoken(levels)
	switch w := fold(event); {
	case event == "", codeText[w], len(levels) > 2 && none == "":
		return false
	case yesWords[w]:
		return slices.ContainsFunc(table.HeaderWords(c.Name), func(w string) bool { return badWords[w] })
	}
	return true
}

// mostOffered is the largest number of columns or levels offered as answers to a question.
const mostOffered = 6

// LikelyOutcomes returns at most six columns that look like an outcome, the most likely first; none if no
// column has few levels.
func LikelyOutcomes(t *table.Table) []string {
	type ranked struct{ at, score int }
	var all []ranked
	for j, c := range t.Columns {
		if s := outcomeScore(t, c, j); s > 0 {
			all = append(all, ranked{j, s})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	var names []string
	for _, r := range all[:min(len(all), mostOffered)] {
		names = append(names, t.Columns[r.at].Name)
	}
	return names
}

// MustNameOutcome words the error for a spec without an outcome and lists the likely columns.
func MustNameOutcome(t *table.Table) string {
	likely := LikelyOutcomes(t)
	if len(likely) == 0 {
		return "must name the column to predict"
	}
	quoted := make([]string, len(likely))
	for i, name := range likely {
		quoted[i] = phrase.Verbatim(name)
	}
	are := "the likely ones are "
	if len(likely) == 1 {
		are = "likely is "
	}
	return "must name the column to predict; " + are + phrase.List(quoted)
}

// MustNameEvent words the error for a spec without an event and lists the levels.
func MustNameEvent(levels []string) string {
	return "must name the event, one of " + QuoteNames(levels) + ", or a list of several"
}

// QuoteNames lists names for a sentence about a spec, at most a dozen.
func QuoteNames(names []string) string {
	var q []string
	for _, n := range names[:min(len(names), 12)] {
		q = append(q, phrase.Verbatim(n))
	}
	if more := len(names) - len(q); more > 0 {
		return strings.Join(q, ", ") + " and " + phrase.Int(more) + " more"
	}
	return strings.Join(q, ", ")
}

// whichOutcome asks for the outcome and offers the likely columns.
func (d *checker) whichOutcome() {
	var choices []table.Choice
	for _, name := range LikelyOutcomes(d.t) {
		o := SpokenEvent(d.t.Column(name))
		choices = append(choices, table.Choice{Label: name, Outcome: &o})
	}
	if len(choices) == 0 || len(d.t.Columns) == 1 {
		d.stop("no-outcome", "", d.noneLikely())
		return
	}
	d.out = append(d.out, table.Warning{Code: "which-outcome", Level: "ask", Choices: choices,
		Message: "No outcome is chosen yet. Which column is the outcome?"})
}

// noneLikely says why no column is offered as the outcome: the file has one column, the column that is named like an
// outcome never varies, or no column is named like one.
func (d *checker) noneLikely() string {
	if len(d.t.Columns) == 1 {
		return "One column was found, so there is nothing to predict from. Is the separator a semicolon, a comma or a tab? " +
			"If the file is no table, upload another."
	}
	for _, c := range d.t.Columns {
		if c.Type == table.Constant && len(c.Commonest()) == 1 && outcomeNames[fold(c.Name)] {
			return neverVaries(c, d.t.Rows)
		}
	}
	return "No column looks like the outcome: choose one."
}
