package bundle

import (
	"encoding/json"
	"fmt"

	"taper/internal/engine/runspec"
	"taper/internal/engine/usererr"
	"taper/internal/strict"
)

// changes are the changed labels of a review as changes.json has them, by row. As part of the spec each would take 60
// bytes and more, and the memory of an object before anything of it is known.
type changes struct {
	Levels json.RawMessage `json:"levels"` // a list of texts, of mostDecoded bytes
	Rows   []int32         `json:"rows"`
	To     []int32         `json:"to"` // place in the list, or -1: left out
}

// changesMemory is an upper bound on the memory for decoding so many bytes of changes.
func changesMemory(size int64) int64 { return changesTimes*size + decodedTimes*min(size, mostDecoded) }

// leastChange are the bytes of a change in spec.json.
const leastChange = 40

// splitSpec moves the changed labels out of a spec that would be too long with them. Other specs stay as they are, and
// an earlier Taper can verify them.
func splitSpec(s runspec.Spec) (spec, labels []byte, err error) {
	if s.Review == nil || len(s.Review.Changes) <= mostDecoded/leastChange {
		spec, err = indented(specName, s)
		if err != nil || len(spec) <= mostDecoded || s.Review == nil || len(s.Review.Changes) == 0 {
			return spec, nil, err
		}
	}
	var c changes
	levels, place := []string{}, map[string]int32{"": -1}
	for _, r := range s.Review.Changes {
		to, known := place[r.To]
		if !known {
			to = int32(len(levels))
			place[r.To], levels = to, append(levels, r.To)
		}
		c.Rows, c.To = append(c.Rows, int32(r.Row)), append(c.To, to)
	}
	if c.Levels, err = json.Marshal(levels); err == nil && len(c.Levels) > mostDecoded {
		return nil, nil, usererr.New(usererr.TooLarge, "The classes in the file %s of the bundle would be larger than %d "+
			"MB, the limit.", changesName, mostDecoded>>20)
	}
	if err == nil {
		labels, err = json.Marshal(c)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("encode %s: %w", changesName, err)
	}
	alone := *s.Review
	alone.Changes, s.Review = []runspec.Relabel{}, &alone
	spec, err = indented(specName, s)
	return spec, append(labels, '\n'), err
}

// readChanges adds the changes of changes.json to a review.
func readChanges(text []byte, to *runspec.Review) error {
	if to == nil || len(to.Changes) > 0 {
		return usererr.New(usererr.Invalid, "it belongs to a review whose changes are not in spec.json")
	}
	var c changes
	if err := strict.Decode(text, &c); err != nil {
		return err
	}
	if len(c.Levels) > mostDecoded {
		return usererr.New(usererr.Invalid, "levels is larger than %d MB", mostDecoded>>20)
	}
	var levels []string
	if err := json.Unmarshal(c.Levels, &levels); c.Levels != nil && err != nil {
		return usererr.New(usererr.Invalid, "levels must be a list of texts")
	}
	if len(c.Rows) != len(c.To) {
		return usererr.New(usererr.Invalid, "rows has %d and to %d numbers", len(c.Rows), len(c.To))
	}
	to.Changes = make([]runspec.Relabel, len(c.Rows))
	for i, k := range c.To {
		to.Changes[i].Row = int(c.Rows[i])
		switch {
		case k < -1 || int(k) >= len(levels):
			return usererr.New(usererr.Invalid, "to[%d] must be a class of the %d in levels, from 0, or -1 to leave the row "+
				"out (got %d)", i, len(levels), k)
		case k >= 0:
			to.Changes[i].To = levels[k]
		}
	}
	return nil
}
