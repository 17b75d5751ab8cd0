package main

import (
	"testing"
)

// TestExplorePages looks at every family and view of the loss explorer, and at
// the help, in every look.
func TestExplorePages(t *testing.T) {
	p := start(t, "")
	b := newTab(t, p.base)
	for name, path := range map[string]string{
		"explorer": "/", "explorer-pinned": "/?pin=alpha:3", "explorer-t-logistic": "/?family=t-logistic", "explorer-alpha": "/?family=alpha",
		"explorer-interval": "/?family=interval", "explorer-adversarial": "/?family=adversarial", "explorer-two-classes": "/?family=adversarial&k=2&metric=abstain",
		"explorer-functions": "/?view=functions", "explorer-landscape": "/?family=alpha&view=landscape&alpha=2", "explorer-slope": "/?family=alpha&view=slope",
		"explorer-points": "/?family=interval&view=points", "explorer-matrices": "/?family=adversarial&view=matrices", "help": "/help", "help-alpha": "/help/alpha",
	} {
		everyLook(b, name, path)
	}
}
