package mathml

import (
	"encoding/xml"
	"testing"
)

// TestNesting: a formula is well-formed for all texts.
func TestNesting(t *testing.T) {
	got := Display(Mi("ℓ<b>"), Paren(Hat("p"), Mo("<"), Msub(Word("log"), Mn("2 & 3"))), Mfrac(Msup(Mi("z"), Mn("2")), Munder("max", Mi("k"))))
	var root struct {
		XMLName xml.Name
		Display string `xml:"display,attr"`
		Row     struct {
			Name string `xml:"mi"`
			Frac struct {
				Sides []struct{} `xml:"mrow"`
			} `xml:"mfrac"`
		} `xml:"mrow"`
	}
	if err := xml.Unmarshal([]byte(got), &root); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if root.XMLName.Local != "math" || root.Display != "block" || root.Row.Name != "ℓ<b>" || len(root.Row.Frac.Sides) != 2 {
		t.Errorf("%+v of %s", root, got)
	}
}
