package templates

// Given is the form for given predictions.
type Given struct {
	URL, Back                string
	Problem                  string // why the last ones were refused
	Column, Scale, Direction Choice
	Formula                  string
}
