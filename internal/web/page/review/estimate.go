package review

import (
	"fmt"
	"math"
	"strings"

	"taper/internal/engine/audit"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// wholeRows rounds an estimated number of rows.
func wholeRows(v float64) int { return int(math.Round(v)) }

// disagree gives the estimated number of labels that confidently disagree with the model.
func disagree(e *audit.Estimate) string {
	verb := "disagree"
	if wholeRows(e.Wrong) == 1 {
		verb = "disagrees"
	}
	return fmt.Sprintf("An estimated %s of %s labels %s confidently", phrase.Int(wholeRows(e.Wrong)), phrase.Int(e.Rows),
		verb)
}

// disagreement gives the number of labels that disagree, the number expected without label errors, and the
// conclusion.
func disagreement(e *audit.Estimate) (strong, rest string) {
	n, x := wholeRows(e.Wrong), e.Expected
	switch {
	case n == 0:
		return fmt.Sprintf("No label of %s disagrees confidently with the model.", phrase.Int(e.Rows)), ""
	case x == nil:
		return disagree(e) + " with the model.", "Re-rank the labels to see how many would be expected from overlapping " +
			"classes alone. "
	}
	strong = fmt.Sprintf("%s with the model; %s would be expected from overlapping classes alone.", disagree(e),
		phrase.Int(wholeRows(x.Mean)))
	if e.Against() == 1 {
		return strong, fmt.Sprintf("About %s more than the overlap of the classes explains. ",
			phrase.Int(n-wholeRows(x.Mean)))
	}
	return strong, "There is no excess; errors at random look like overlap, so they cannot be ruled out. "
}

// jointFacts explain how the two numbers are computed.
func jointFacts(e *audit.Estimate, classes []string) []templates.Fact {
	facts := []templates.Fact{{Label: "Confident disagreement",
		Value: fmt.Sprintf("%s, confident joint (Northcutt et al. 2021), %s of rows; 95%s%% interval %s, percentiles "+
			"of %d bootstrap draws", phrase.Count(wholeRows(e.Wrong), "row"), viz.Percent(e.Share, 1)+format.Pc,
			phrase.NBSP, rowRange(e.Low, e.High), e.Draws)}}
	x := e.Expected
	if x == nil {
		return facts
	}
	value := fmt.Sprintf("%s, 95%s%% of %d draws %s: the same count on labels drawn from the model’s probabilities, "+
		"refitted to the labels", phrase.Count(wholeRows(x.Mean), "row"), phrase.NBSP, x.Draws, rowRange(x.Low, x.High))
	if len(x.Rates) == len(classes) && len(x.Rates) > 0 {
		var each []string
		for j, rate := range x.Rates {
			each = append(each, viz.Percent(rate, 1)+format.Pc+" of "+classes[j])
		}
		value += "; the fit takes " + strings.Join(each, ", ") + " to be recorded as another class (Copas 1988)"
	}
	return append(facts, templates.Fact{Label: "Expected from overlap alone", Value: value})
}

func rowRange(low, high float64) string {
	return viz.Range(phrase.Int(wholeRows(low)), phrase.Count(wholeRows(high), "row"))
}

// alike warns against reading label errors into a number that class overlap explains.
const alike = "Where classes overlap, wrong labels cannot be recognised: a count that overlap explains does not " +
	"mean that all labels are right. A higher count can also come from rows on which the model itself is wrong."
