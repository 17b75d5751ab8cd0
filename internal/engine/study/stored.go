package study

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
)

//go:embed results
var results embed.FS

// Stored is a result that ships with the program: a preset as it ran once. It
// holds no times.
type Stored struct {
	Preset  string `json:"preset"`
	Size    Size   `json:"size"`
	Seed    uint64 `json:"seed"`
	Version string `json:"version"`
	Date    string `json:"date"` // 2006-01-02
	Values  Values `json:"units"`
}

// StoredResult returns the stored result of a preset; false when none ships.
func StoredResult(id string) (Stored, bool, error) {
	raw, err := results.ReadFile("results/" + id + ".json.gz")
	if errors.Is(err, fs.ErrNotExist) {
		return Stored{}, false, nil
	}
	if err != nil {
		return Stored{}, false, fmt.Errorf("open stored result: %w", err)
	}
	s, err := ReadStored(bytes.NewReader(raw))
	return s, err == nil, err
}

// Plan is the plan whose units the values are.
func (s Stored) Plan() (Plan, error) {
	return NewPlan(Spec{Preset: s.Preset, Size: s.Size, Seed: s.Seed}, nil)
}

// ReadStored reads what WriteStored wrote.
func ReadStored(r io.Reader) (s Stored, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return s, fmt.Errorf("read stored result: %w", err)
	}
	if err := json.NewDecoder(z).Decode(&s); err != nil {
		return s, fmt.Errorf("read stored result: %w", err)
	}
	return s, nil
}

// WriteStored writes a result; the same result gives the same bytes.
func WriteStored(w io.Writer, s Stored) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(z).Encode(s); err != nil {
		return fmt.Errorf("write stored result: %w", err)
	}
	return z.Close()
}

// MarshalJSON writes null for what does not exist.
func (v Values) MarshalJSON() ([]byte, error) {
	units := make(map[string][]*float64, len(v))
	for id, values := range v {
		units[id] = make([]*float64, 0, len(values))
		for _, x := range values {
			units[id] = append(units[id], number(x))
		}
	}
	return json.Marshal(units)
}

// UnmarshalJSON reads null as NaN.
func (v *Values) UnmarshalJSON(b []byte) error {
	var units map[string][]*float64
	if err := json.Unmarshal(b, &units); err != nil {
		return err
	}
	*v = make(Values, len(units))
	for id, values := range units {
		all := make([]float64, len(values))
		for i, x := range values {
			if all[i] = math.NaN(); x != nil {
				all[i] = *x
			}
		}
		(*v)[id] = all
	}
	return nil
}
