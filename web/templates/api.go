package templates

// APIView is the readable page of the OpenAPI description.
type APIView struct {
	Description string
	Groups      []APIGroup
}

// APIGroup is the calls of one tag.
type APIGroup struct {
	Name, Description string
	Calls             []APICall
}

// APICall is one method on one path.
type APICall struct {
	Method, Path, Summary, Description string
	Parameters                         []APIItem
	Answers                            []APIItem
}

// APIItem is a parameter or an answer.
type APIItem struct{ Name, Kind, Description string }
