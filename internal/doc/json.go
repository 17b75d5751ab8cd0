package doc

import (
	"encoding/json"
	"fmt"
	"reflect"

	"taper/internal/doc/mask"
)

// kinds maps names in JSON to the nodes that a masked document can contain. Views, forms, and
// nodes removed by Mask have none.
var kinds = map[string]reflect.Type{
	"verdict": reflect.TypeFor[Verdict](), "note": reflect.TypeFor[Note](), "say": reflect.TypeFor[Say](),
	"list": reflect.TypeFor[List](), "code": reflect.TypeFor[Code](), "facts": reflect.TypeFor[Facts](),
	"figure": reflect.TypeFor[Figure](), "figures": reflect.TypeFor[Figures](), "pair": reflect.TypeFor[Pair](),
	"block": reflect.TypeFor[Block](), "curves": reflect.TypeFor[Curves](), "flow": reflect.TypeFor[Flow](),
	"section": reflect.TypeFor[Section](), "group": reflect.TypeFor[Group](), "highlights": reflect.TypeFor[Highlights](),
	"icons": reflect.TypeFor[Icons](), "drawing": reflect.TypeFor[Drawing](), "table": reflect.TypeFor[Table](),
}

// storedNode is a node as JSON.
type storedNode struct {
	Kind string          `json:"kind"`
	Node json.RawMessage `json:"node"`
}

// MarshalJSON writes each node with its kind.
func (all Nodes) MarshalJSON() ([]byte, error) {
	stored := make([]storedNode, 0, len(all))
	for _, n := range all {
		kind := ""
		for name, t := range kinds {
			if t == reflect.TypeOf(n) {
				kind = name
			}
		}
		if kind == "" {
			return nil, fmt.Errorf("doc: a %T cannot be stored", n)
		}
		text, err := json.Marshal(n)
		if err != nil {
			return nil, fmt.Errorf("encode a %s: %w", kind, err)
		}
		stored = append(stored, storedNode{kind, text})
	}
	return json.Marshal(stored)
}

// UnmarshalJSON reverses MarshalJSON.
func (all *Nodes) UnmarshalJSON(text []byte) error {
	var stored []storedNode
	if err := json.Unmarshal(text, &stored); err != nil {
		return err
	}
	*all = nil
	for _, s := range stored {
		t, known := kinds[s.Kind]
		if !known {
			return fmt.Errorf("doc: no node of kind %q", s.Kind)
		}
		n := reflect.New(t)
		if err := json.Unmarshal(s.Node, n.Interface()); err != nil {
			return fmt.Errorf("decode a %s: %w", s.Kind, err)
		}
		*all = append(*all, n.Elem().Interface().(Node))
	}
	return nil
}

// Block and Curves have the type of Nodes but not its methods.

// MarshalJSON writes the nodes.
func (b Block) MarshalJSON() ([]byte, error) { return Nodes(b).MarshalJSON() }

// UnmarshalJSON reads the nodes.
func (b *Block) UnmarshalJSON(text []byte) error { return (*Nodes)(b).UnmarshalJSON(text) }

// MarshalJSON writes the nodes.
func (c Curves) MarshalJSON() ([]byte, error) { return Nodes(c).MarshalJSON() }

// UnmarshalJSON reads the nodes.
func (c *Curves) UnmarshalJSON(text []byte) error { return (*Nodes)(c).UnmarshalJSON(text) }

// storedValue is the JSON of a cell's value: at most one field is set.
type storedValue struct {
	Text   *string    `json:"text,omitempty"`
	Count  *int       `json:"count,omitempty"`
	Number *float64   `json:"number,omitempty"`
	Counts *mask.Span `json:"counts,omitempty"`
	Range  *Range     `json:"range,omitempty"`
}

// cell is a Cell without its methods.
type cell Cell

// MarshalJSON writes a value with its type, so that a count stays a count.
func (c Cell) MarshalJSON() ([]byte, error) {
	var v storedValue
	switch value := c.Value.(type) {
	case nil:
	case string:
		v.Text = &value
	case int:
		v.Count = &value
	case float64:
		v.Number = &value
	case *float64:
		v.Number = value
	case mask.Span:
		v.Counts = &value
	case Range:
		v.Range = &value
	default:
		return nil, fmt.Errorf("doc: a cell with a %T cannot be stored", value)
	}
	if c.View != nil {
		return nil, fmt.Errorf("doc: a cell with a view cannot be stored")
	}
	if c.Value = nil; v != (storedValue{}) {
		c.Value = v
	}
	return json.Marshal(cell(c))
}

// UnmarshalJSON reverses MarshalJSON.
func (c *Cell) UnmarshalJSON(text []byte) error {
	var v storedValue
	stored := cell{Value: &v}
	if err := json.Unmarshal(text, &stored); err != nil {
		return err
	}
	switch *c = Cell(stored); {
	case v.Text != nil:
		c.Value = *v.Text
	case v.Count != nil:
		c.Value = *v.Count
	case v.Number != nil:
		c.Value = *v.Number
	case v.Counts != nil:
		c.Value = *v.Counts
	case v.Range != nil:
		c.Value = *v.Range
	default:
		c.Value = nil
	}
	return nil
}
