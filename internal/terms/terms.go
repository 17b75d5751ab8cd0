// Package terms lists phrases that texts for readers must not contain, each with the field's
// standard term. Tests check the sources and the rendered pages.
package terms

import (
	"fmt"
	"regexp"
)

// banned lists the phrases, texts in which each is allowed, and the replacement.
var banned = []struct {
	phrase, but, instead string
}{
	// Internal codes. Papers are cited by authors and year.
	{`papers? 00\d`, ``, "authors and year"},
	{`(^|[^\d.,])00[0-4](,| §|$| and| or)`, ``, "authors and year"},
	{`\berrat(um|a) 00\d`, ``, "what the paper prints and what holds"},
	{`reference-numbers`, ``, "authors and year"},
	// One term for one thing.
	{`\bdata sets?\b`, ``, "dataset"},
	{`\bpull(s|ed|ing)?\b`, ``, "gradient, influence, weight"},
	{`\b(g[ia]ve[sn]?|giving)( \w+)? up\b|\bgive-up\b`, `smoothly giving up`, "redescends, down-weights"},
	{`\bspoil(s|t|ed|ing)?\b`, ``, "flip, corrupt"},
	{`\bjudg(e|es|ed|ing)\b`, `(few|small) [^.]*to judge|to judge[.:]`, "evaluate, test"},
	{`\b(told|tells?|telling) (\w+ )*apart\b`, ``, "discriminate, differ significantly"},
	{`\btold\b`, ``, "say what is shown"},
	{`\bborders?\b`, ``, "decision boundary"},
	{`\b(events?|class \d|others) found\b|^found, |\bright when called\b`, ``, "sensitivity (recall), PPV (precision)"},
	{`\bcalled\b`, `so-called`, "predicted, classified as, named"},
	{`\btilt(s|ed)?\b`, ``, "stationarity function"},
	{`\blet(s|ting)? go\b`, ``, "down-weights, holds up"},
	{`\bpromis(e|es|ed|ing)\b`, ``, "gives, the band’s limits"},
	{`\b(one|a) (row|column|line) an? `, ``, "per"},
	{`\b(one|row|slider|column|file|number|value|model|class|term) an? (row|line|patient|column|boundary|person|class)\b`,
		``, "per"},
	{`\bworth of\b`, ``, "the amount"},
	{`\bon purpose\b`, ``, "injected, added"},
	{`\bby hand\b`, ``, "nomogram, manually"},
	{`\btoo good\b`, ``, "optimistic"},
	{`\bno merit\b`, ``, "not desirable in itself"},
	{`\banew\b`, ``, "again"},
	{`\brivals?\b`, ``, "comparison loss, baseline"},
	{`\babsurd\b`, ``, "far on the wrong side, mislabelled"},
	{`\bst(ands?|anding|ood) in for\b|\bstands in$`, ``, "replaces, target loss"},
	{`\bbumps?\b`, ``, "RBF basis functions"},
	{`\bkin\b`, `next of kin|surname.*`, "counterpart"},
	{`\blikeness\b`, ``, "similarity"},
	{`\btimid\b`, ``, "not extreme enough"},
	{`\bprice list\b`, ``, "cost matrix"},
	{`\bhold what they\b`, ``, "are inside or compatible with their limits"},
	{`\bsteer(s|ed|ing)?\b`, `data-steer|ln steer|is-steer`, "current, change"},
	{`\bsurest\b`, ``, "most confident"},
	{`\bleft to chance\b|\bleaves the difference to\b`, ``, "not significant"},
	{`\bwhat came of\b|\bcame of\b`, ``, "result"},
	{`\bbefore you\b.*\brisk off\b|\bread (a )?risks? off\b`, ``, "use"},
	{`\bholds 0\b`, ``, "includes 0"},
	{`\bparted by\b`, ``, "separated by"},
	{`\bscore leads\b|\bif it leads by\b|\b(the|its|where the) lead (of|is)\b`, ``, "margin over the next class"},
	{`\brisks? (were|was|are|is) moved\b|\bmoves? the risks?\b|\bmoved risks\b`, ``, "recalibrate"},
	{`\bfewer were there\b`, ``, "more than there are"},
	{`\boff by \S+ classes\b`, ``, "the mean error, in classes"},
	{`\bnever split on\b`, ``, "not used in any split"},
	{`\bcome by\b|\bcan be had\b`, ``, "computed, available"},
	{`\bno clear difference\b`, ``, "no significant difference"},
	{`\b(be|is) chance\b`, ``, "due to chance"},
	{`\binterval classifier\b|\bprobability intervals\b`, ``, "interval surrogate, interval model"},
	{`\be\^\(?−`, ``, "exp(−…)"},
	{`\b(four|five|three) at least\b`, ``, "at least four"},
	{`\bweighs? most\b`, ``, "has the largest effect"},
	{`\bstands? at (its|their)\b`, ``, "is fixed at"},
	{`\bcommonest\b`, ``, "most common"},
	{`\bpoints from the diagonal\b`, `percentage points from the diagonal`, "percentage points"},
	{`\bin doubt\b`, ``, "there are no questions"},
	{`\bway here\b`, ``, "breadcrumb"},
	{`\bstudie\b`, ``, "study"},
	{`\bmade-up\b`, ``, "simulated"},
	{`\bby being empty or not\b`, ``, "is empty in some rows, and that alone predicts"},
	// A question is a complete sentence that the reader can answer.
	{`(^|\. )(missing|a (code|level)( for ‘missing’)?|codes, not numbers|another one|an identifier)\?`, ``,
		"a whole question: Is 999 a code for a missing value?"},
}

type rule struct {
	*regexp.Regexp
	but     *regexp.Regexp // nil = allowed nowhere
	instead string
}

var rules = func() (all []rule) {
	for _, b := range banned {
		r := rule{regexp.MustCompile(`(?i)` + b.phrase), nil, b.instead}
		if b.but != "" {
			r.but = regexp.MustCompile(`(?is)` + b.but)
		}
		all = append(all, r)
	}
	return all
}()

// Banned lists the banned phrases in a text, with their replacements.
func Banned(text string) (found []string) {
	for _, r := range rules {
		rest := text
		if r.but != nil {
			rest = r.but.ReplaceAllString(text, "")
		}
		if hit := r.FindString(rest); hit != "" {
			found = append(found, fmt.Sprintf("‘%s’: %s", hit, r.instead))
		}
	}
	return found
}
