package audit

import (
	"encoding/binary"
	"errors"
	"math"
)

// A ranking is stored as one blob, a fixed width for each row, so that 100,000
// of them read in milliseconds:
//
//	"TA1\n"                                             magic with the version
//	int32 row · uint8 fold · uint8 label · uint8 other · uint8 0
//	float64 probability, margin, weight, score          NaN where there is none
//	16 bytes key of the row
//
// All numbers are little-endian. Classes are at most 50, so a byte holds them.
const (
	magic = "TA1\n"
	width = 8 + 4*8 + KeyBytes
)

// Encode encodes rows with their keys.
func Encode(rows []Row, keys []Key) []byte {
	b := append(make([]byte, 0, len(magic)+width*len(rows)), magic...)
	for i := range rows {
		r := &rows[i]
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(r.Row)))
		b = append(b, byte(r.Fold), byte(r.Label), byte(r.Other), 0)
		for _, v := range [4]float64{r.Probability, r.Margin, r.Weight, r.Score} {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		b = append(b, keys[i][:]...)
	}
	return b
}

// Encoded returns the number of rows in a blob of this size.
func Encoded(bytes int64) int { return max(int(bytes)-len(magic), 0) / width }

var errRanking = errors.New("the stored ranking is damaged")

// Decode reverses Encode.
func Decode(b []byte) ([]Row, []Key, error) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic || (len(b)-len(magic))%width != 0 {
		return nil, nil, errRanking
	}
	b = b[len(magic):]
	rows, keys := make([]Row, len(b)/width), make([]Key, len(b)/width)
	for i := range rows {
		p := b[i*width : (i+1)*width]
		f := func(k int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(p[8+8*k:])) }
		rows[i] = Row{Row: int(int32(binary.LittleEndian.Uint32(p))), Fold: int(p[4]), Label: int(p[5]), Other: int(p[6]),
			Probability: f(0), Margin: f(1), Weight: f(2), Score: f(3)}
		keys[i] = Key(p[width-KeyBytes:])
	}
	return rows, keys, nil
}
