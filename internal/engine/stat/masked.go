package stat

import "encoding/json"

// MarshalJSON writes the counts of a masked stratum as null.
func (s Stratum) MarshalJSON() ([]byte, error) {
	type plain Stratum
	if !s.Masked {
		return json.Marshal(plain(s))
	}
	return json.Marshal(struct {
		plain
		N      *int `json:"n"`
		Events *int `json:"events"`
	}{plain: plain(s)})
}
