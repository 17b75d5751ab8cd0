// Package openapi describes the JSON API: it has the types by which calls are declared, and makes the OpenAPI 3.1
// document of them.
//
// Names, types and required fields follow from the Go types of requests and answers, so that the description cannot
// contradict the program. What Go types cannot express (descriptions, limits, allowed texts) is in a JSON file by
// type and field. An entry for a field that does not exist is an error, and so is a type for a field whose Go type
// is known.
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

// Operation is one call of the API: its description and its handler.
type Operation struct {
	Method, Path string // as for the router: GET, /api/v1/runs/:id
	ID, Tag      string
	Summary      string
	Description  string // "" where the summary is enough
	Query        []Query
	Body         *Body // nil without a body
	Answers      []Answer
	Errors       []int // statuses answered with problem+json

	Handler    echo.HandlerFunc
	Middleware []echo.MiddlewareFunc
	// Unchanged is the revision of the answer; ok is false where it is not known before the work. nil: the answer
	// has no ETag.
	Unchanged func(echo.Context) (revision string, ok bool)
}

// Query is a parameter in the address.
type Query struct {
	Name, Description string
	Required          bool
	Schema            *jsonschema.Schema
}

// Content maps media types to a value of the Go type that is read or written, or to a *jsonschema.Schema where
// there is no such type.
type Content map[string]any

// Body is the body of a request.
type Body struct {
	Description string
	Content     Content
}

// Answer is a successful answer.
type Answer struct {
	Status      int
	Description string
	Content     Content // nil without a body
}

// JSON is content of type application/json.
func JSON(v any) Content { return Content{"application/json": v} }

// Text is content without further structure.
func Text(kind string) Content { return Content{kind: &jsonschema.Schema{Type: "string"}} }

// NamedType is a reference to a named type.
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
	// Value has the Go type; nil where the JSON is written number by number.
	Value any
	// Hand says that the words file contains the whole schema, because the type has its own JSON encoding or does
	// not exist.
	Hand bool
	// Fields are described in addition to the words; those that the Go type does not have are written by its
	// encoder.
	Fields []Field
}

// Field describes a field of a type.
type Field struct {
	Name, Description string
	Value             any  // a value of its Go type, for a field that the type does not have
	Always            bool // the field is always present
}

// List are the allowed texts of a field with their meanings.
type List struct {
	Texts       []string
	Description string // "" where the field describes it
}

// API is the whole description.
type API struct {
	Title, Summary, Description string
	Tags                        []Tag
	// Types are placed under components; other types are inlined. "Problem" must be among them.
	Types []Type
	// Words are JSON: by name of a type and by path of a field ("" for the type itself), keywords of JSON Schema
	// and two of our own. null says whether a field may be null, where the Go type suggests otherwise: a list that
	// is always allocated is never null. list names one of Lists with the allowed texts.
	Words      []byte
	Lists      map[string]List
	Operations []Operation
}

var parameter = regexp.MustCompile(`:([a-z_]+)`)

// Document is the OpenAPI document.
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

// ProblemDescription describes all errors.
const ProblemDescription = "What is wrong with the value, and which values are valid"

// DocumentPath is the path as OpenAPI writes it: /runs/{id}.
func (op Operation) DocumentPath() string { return parameter.ReplaceAllString(op.Path, "{$1}") }

// singular is the singular of a collection's name: run for runs, study for studies.
func singular(plural string) string {
	if stem, ok := strings.CutSuffix(plural, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(plural, "s")
}

// Parameters are those of the path, then those of the query. The segment before an id names its collection.
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

// Parameter is a parameter in the path or query of a call.
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

// Texts is a schema of allowed texts.
func Texts[S ~string](of ...S) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, text := range of {
		s.Enum = append(s.Enum, string(text))
	}
	return s
}
