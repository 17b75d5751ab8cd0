package templates

// Given asks for a score that was made elsewhere.
type Given struct {
	URL, Back                string
	Problem                  string // why the last one was refused
	Column, Scale, Direction Choice
	Formula                  string
}
