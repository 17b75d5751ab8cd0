// Package openapi describes the JSON API: it holds what a call is declared with, and makes
// the OpenAPI 3.1 document of all of them.
//
// The Go types of requests and answers give names, types and what is required, so that the
// description cannot disagree with the program. What a Go type has no place for (sentences,
// limits, lists of allowed texts) stands in a file of words by type and field; a word for a
// field that does not exist is an error, and so is a type given where the Go type has one.
package openapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/labstack/echo/v4"
)

// Operation is one call of the API: how it is described, and who answers it.
type Operation struct {
	Method, Path string // as the router takes them: GET, /api/v1/runs/:id
	ID, Tag      string
	Summary      string
	Description  string // "" where the summary says it all
	Query        []Query
	Body         *Body // nil: none
	Answers      []Answer
	Errors       []int // statuses that are answered with problem+json

	Handler    echo.HandlerFunc
	Middleware []echo.MiddlewareFunc
	// Unchanged is what the answer depends on besides its address, false where nothing can be
	// told before the work; nil: the answer has no ETag.
	Unchanged func(echo.Context) (revision string, ok bool)
}

// Query is a parameter in the address.
type Query struct {
	Name, Description string
	Required          bool
	Schema            *jsonschema.Schema
}

// Content is, by media type, a value of the Go type that is read or written, or a
// *jsonschema.Schema where there is no such type.
type Content map[string]any

// Body is what a call reads.
type Body struct {
	Description string
	Content     Content
}

// Answer is what a call answers when nothing is wrong.
type Answer struct {
	Status      int
	Description string
	Content     Content // nil: no body
}

// JSON is the content of most calls.
func JSON(v any) Content { return Content{"application/json": v} }

// Text is content that no schema looks into.
func Text(kind string) Content { return Content{kind: &jsonschema.Schema{Type: "string"}} }

// NamedType refers to one of the types with a name.
func NamedType(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

// Tag is a group of calls.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Type is a schema with a name.
type Type struct {
	Name string
	// Value is a value of the Go type; nil where the JSON has none, being written number by
	// number.
	Value any
	// Hand says that the words give the whole schema: the type writes its own JSON, or
	// there is none.
	Hand bool
	// Fields are described beside the words; those that the Go type lacks it writes by itself.
	Fields []Field
}

// Field describes a field of a type.
type Field struct {
	Name, Description string
	Value             any  // a value of its Go type, for a field that the type lacks
	Always            bool // it is always there
}

// List are the texts that a field may have, and what they mean.
type List struct {
	Texts       []string
	Description string // "" where the field says it
}

// API is everything that is described.
type API struct {
	Title, Summary, Description string
	Tags                        []Tag
	// Types get a place of their own under components; other types are written out where
	// they occur. "Problem" must be among them.
	Types []Type
	// Words are JSON: by name of a type and by path of a field ("" is the type itself),
	// keywords of JSON Schema, and two of our own. null says whether the field may be null
	// where the Go type says it wrongly: a list that is always made never is. list names one
	// of Lists, whose texts alone are allowed.
	Words      []byte
	Lists      map[string]List
	Operations []Operation
}

var parameter = regexp.MustCompile(`:([a-z_]+)`)

// Document writes the description.
func (a API) Document() ([]byte, error) {
	g, err := newSchemas(a)
	if err != nil {
		return nil, err
	}
	paths := map[string]map[string]any{}
	for _, op := range a.Operations {
		described, err := g.operation(op)
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", op.Method, op.Path, err)
		}
		path := op.DocumentPath()
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(op.Method)] = described
	}
	type object map[string]any
	return json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{"title": a.Title, "version": "1", "summary": a.Summary, "description": a.Description,
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"}},
		"servers": []object{{"url": "/"}},
		"tags":    a.Tags,
		"paths":   paths,
		"components": object{"schemas": g.components, "responses": object{"Problem": object{
			"description": ProblemDescription,
			"content":     object{"application/problem+json": object{"schema": NamedType("Problem")}}}}},
	})
}

// ProblemDescription describes every error.
const ProblemDescription = "What is wrong with the value, and which values are valid"

// DocumentPath is the path as OpenAPI writes it: /runs/{id}.
func (op Operation) DocumentPath() string { return parameter.ReplaceAllString(op.Path, "{$1}") }

// singular is the name of one of a collection: run of runs, study of studies.
func singular(plural string) string {
	if stem, ok := strings.CutSuffix(plural, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(plural, "s")
}

// Parameters are those of the path, then those of the query. What an id names, the segment
// before it says.
func (op Operation) Parameters() []Parameter {
	var all []Parameter
	for _, m := range parameter.FindAllStringSubmatchIndex(op.Path, -1) {
		before := strings.Split(strings.Trim(op.Path[:m[0]], "/"), "/")
		name, of := op.Path[m[2]:m[3]], singular(before[len(before)-1])
		description := "The " + name + " of the " + of
		all = append(all, Parameter{Name: name, In: "path", Description: description, Required: true,
			Schema: &jsonschema.Schema{Type: "string"}})
	}
	for _, q := range op.Query {
		all = append(all, Parameter{q.Name, "query", q.Description, q.Required, q.Schema})
	}
	return all
}

// Parameter is a value in the address of a call.
type Parameter struct {
	Name        string             `json:"name"`
	In          string             `json:"in"`
	Description string             `json:"description,omitempty"`
	Required    bool               `json:"required,omitempty"`
	Schema      *jsonschema.Schema `json:"schema"`
}

func (g *schemas) operation(op Operation) (map[string]any, error) {
	d := map[string]any{"tags": []string{op.Tag}, "operationId": op.ID, "summary": op.Summary}
	if op.Description != "" {
		d["description"] = op.Description
	}
	if p := op.Parameters(); len(p) > 0 {
		d["parameters"] = p
	}
	if op.Body != nil {
		content, err := g.content(op.Body.Content)
		if err != nil {
			return nil, err
		}
		body := map[string]any{"required": true, "content": content}
		if op.Body.Description != "" {
			body["description"] = op.Body.Description
		}
		d["requestBody"] = body
	}
	responses := map[string]any{}
	for _, a := range op.Answers {
		answer := map[string]any{"description": a.Description}
		if a.Content != nil {
			content, err := g.content(a.Content)
			if err != nil {
				return nil, err
			}
			answer["content"] = content
		}
		responses[strconv.Itoa(a.Status)] = answer
	}
	if op.Unchanged != nil {
		responses["304"] = map[string]any{"description": "Not modified: If-None-Match has the ETag of the " +
			"current answer"}
	}
	for _, status := range op.Errors {
		responses[strconv.Itoa(status)] = map[string]any{"$ref": "#/components/responses/Problem"}
	}
	d["responses"] = responses
	return d, nil
}

func (g *schemas) content(c Content) (map[string]any, error) {
	content := map[string]any{}
	for kind, v := range c {
		s, err := g.of(v)
		if err != nil {
			return nil, err
		}
		content[kind] = map[string]any{"schema": s}
	}
	return content, nil
}

// Texts is a schema that allows some texts.
func Texts[S ~string](of ...S) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, text := range of {
		s.Enum = append(s.Enum, string(text))
	}
	return s
}
