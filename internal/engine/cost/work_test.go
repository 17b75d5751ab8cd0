package cost

import (
	"strings"
	"testing"

	"taper/internal/engine/usererr"
)

func TestWork(t *testing.T) {
	one := Work{Fits: 1, Total: 2e9, Rows: 1000, Terms: 20}
	w := one.Times(5001)
	if err := w.Check("This run", w.Total); err != nil {
		t.Errorf("just the limit: %v", err)
	}
	err := w.Check("This run", 1e13-1)
	if !usererr.Is(err, usererr.Invalid) {
		t.Fatalf("more than the limit: %v", err)
	}
	for _, want := range []string{"This run would fit 5001 models", "1000 rows × 20 terms", "about 10¹³", "limit is 10¹³",
		"-max-work"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
	scoring := Work{Total: 2e9, Rows: 1000, Terms: 20} // without fits
	if err := scoring.Check("Scoring", 1e9); err == nil || !strings.Contains(err.Error(),
		"Scoring would take about 2 × 10⁹ multiply-adds for 1000 rows × 20 terms; the limit is 10⁹") {
		t.Errorf("work without a fit: %v", err)
	}
	if err := w.Check("This run", 1); err == nil {
		t.Error("a limit of 1 refuses nothing")
	}
	if err := w.Check("This run", 0); err != nil {
		t.Errorf("no limit refuses: %v", err)
	}
}

func TestPower(t *testing.T) {
	for x, want := range map[float64]string{3: "3", 9999: "9999", 1e4: "10⁴", 3.04e12: "3 × 10¹²", 9.99e9: "10¹⁰",
		2.5e20: "2.5 × 10²⁰"} {
		if got := power(x); got != want {
			t.Errorf("%g is %q, want %q", x, got, want)
		}
	}
}
