package loss

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"taper/internal/engine/usererr"
)

// ParseJSON reads the parameters of an API request as JSON numbers, lists and matrices. Unlike Parse it
// refuses unknown names. field is the name of the object in the request.
func (f Family) ParseJSON(field string, raw map[string]json.RawMessage) (Values, error) {
	q := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		i := slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == name })
		if i < 0 {
			return nil, usererr.BadField(field+"."+name, "is not a parameter of %s, which takes %s", f.ID, f.names())
		}
		text, err := f.Params[i].text(field+"."+name, raw[name])
		if err != nil {
			return nil, err
		}
		q.Set(name, text)
	}
	return f.parse(field+".", q)
}

func (f Family) names() string {
	if len(f.Params) == 0 {
		return "none"
	}
	names := make([]string, len(f.Params))
	for i, p := range f.Params {
		names[i] = p.Name
	}
	return strings.Join(names, " and ")
}

// text converts a JSON value to the notation of a query.
func (p Param) text(field string, raw json.RawMessage) (string, error) {
	switch p.Type {
	case Number:
		return numberText(field, raw)
	case List:
		return listText(field, raw, ",", numberText)
	case Matrix:
		return listText(field, raw, "/", func(field string, raw json.RawMessage) (string, error) {
			return listText(field, raw, ",", numberText)
		})
	}
	var s string
	if json.Unmarshal(raw, &s) != nil || strings.TrimSpace(s) == "" {
		return "", usererr.BadField(field, "must be one of %s (got %s)", strings.Join(p.Options, ", "), received(raw))
	}
	return s, nil
}

// numberText reads a JSON number, or the string "inf".
func numberText(field string, raw json.RawMessage) (string, error) {
	text := string(raw)
	switch {
	case text == `"inf"`, text == `"-inf"`:
		return text[1 : len(text)-1], nil
	case strings.Trim(text, "0123456789.+-eE") == "":
		return text, nil
	}
	return "", usererr.BadField(field, "must be a number (got %s)", received(raw))
}

// received quotes a JSON value in a sentence: a text in typographic quotes, anything else as it stands in the request.
func received(raw json.RawMessage) string {
	var word string
	if string(raw) != "null" && json.Unmarshal(raw, &word) == nil {
		return "the text ‘" + clip(word) + "’"
	}
	return clip(string(raw))
}

func listText(field string, raw json.RawMessage, sep string,
	item func(string, json.RawMessage) (string, error)) (string, error) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) == 0 {
		return "", usererr.BadField(field, "must be a list that is not empty (got %s)", received(raw))
	}
	texts := make([]string, len(items))
	for i, r := range items {
		var err error
		if texts[i], err = item(indexed(field, i), r); err != nil {
			return "", err
		}
	}
	return strings.Join(texts, sep), nil
}
