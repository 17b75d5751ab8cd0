package engine

import "testing"

// TestLinkText: results of older versions, whose formulas have powers with a caret, are printed as those of today.
func TestLinkText(t *testing.T) {
	for _, c := range []struct{ id, stored, want string }{
		{"logistic", "P = 1/(1 + e^−f)", "P = 1/(1 + exp(−f))"},
		{"logistic-scaled", "P = 1/(1 + e^(−0.25·f))", "P = 1/(1 + exp(−0.25·f))"},
		{"softmax", "P_c = e^f_c / Σ e^f_j", "Pₖ = exp(fₖ) / Σⱼ exp(fⱼ)"},
		{"escort", "P = p^t₁ / (p^t₁ + (1−p)^t₁), p the model’s own probability",
			"logit P = t₁ · logit p, p the model’s own probability"},
		{"escort", "P_c = p_c^t₁ / Σ p_j^t₁, p the model’s own probabilities",
			"Pₖ ∝ exp(t₁ · log pₖ), p the model’s own probabilities"},
		{"logistic", "P = 1/(1 + exp(−f))", "P = 1/(1 + exp(−f))"}, {"none", "", ""},
	} {
		if got := (LinkWords{ID: c.id, Formula: c.stored}).Text(); got != c.want {
			t.Errorf("%s: %q, want %q", c.stored, got, c.want)
		}
	}
}
