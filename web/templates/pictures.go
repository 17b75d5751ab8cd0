package templates

// Pictures are what the judged rows of a kept run draw, and how its fit went.
type Pictures struct {
	Told      []Slot // ROC, calibration
	Confusion *Table
	PerClass  *Table
	Way       []Slot // convergence, choice of γ
	GiveUp    *Slot
	Kernel    []Fact
	Starts    *Starts
}

// Starts says where the starts of a fit led; More asks for many at random.
type Starts struct {
	Table Table
	More  string // URL, "" without
	Many  *Chart // where those led
	Note  string
}
