package odds

import (
	"math"
	"testing"
)

// TestTails: what the formulas give where plain ones overflow or take log 0.
func TestTails(t *testing.T) {
	inf, tiny := math.Inf(1), math.Exp(-700)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"softplus of 1000", Softplus(1000), 1000}, {"softplus of −700", Softplus(-700), tiny},
		{"log σ of −1000", LogSigmoid(-1000), -1000}, {"log σ of 700", LogSigmoid(700), -tiny},
		{"σ of −1000", Sigmoid(-1000), 0}, {"σ of −700", Sigmoid(-700), tiny}, {"σ of 1000", Sigmoid(1000), 1},
		{"σ of 0", Sigmoid(0), 0.5},
		{"σ of −½", Sigmoid(-.5), 0.3775406687981454}, {"σ of ½", Sigmoid(.5), 0.6224593312018546},
		{"σ of −2", Sigmoid(-2), 0.11920292202211755}, {"σ of 2", Sigmoid(2), 0.8807970779778825},
		{"softplus of −1", Softplus(-1), 0.3132616875182228}, {"softplus of 1", Softplus(1), 1.3132616875182228},
		{"logit of ¾", Logit(0.75), math.Log(3)},
		{"logit of 0", Logit(0), -inf}, {"logit of 1", Logit(1), inf}, {"logit of ½", Logit(0.5), 0},
		{"−log 0", NegLog(0), 1022 * math.Ln2}, {"−log 1", NegLog(1), 0},
		{"within 0", Within(0), 0x1p-1022}, {"within 1", Within(1), 1 - 0x1p-53}, {"within ½", Within(0.5), 0.5},
	} {
		if c.got != c.want && !(math.Abs(c.got-c.want) <= 1e-14*math.Abs(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if got, want := Within(1), math.Nextafter(1, 0); got != want {
		t.Errorf("certainty is taken for 1 − %v, not for 1 − %v", 1-got, 1-want)
	}
}
