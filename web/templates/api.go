package templates

// APIView is the readable page of the OpenAPI description.
type APIView struct {
	About  string
	Groups []APIGroup
}

// APIGroup is the calls of one tag.
type APIGroup struct {
	Name, About string
	Calls       []APICall
}

// APICall is one method on one path.
type APICall struct {
	Method, Path, Summary, About string
	Parameters                   []APIItem
	Answers                      []APIItem
}

// APIItem is a parameter or an answer.
type APIItem struct{ Name, Kind, About string }
