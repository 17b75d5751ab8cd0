package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"taper/internal/engine"
)

// Scored rows are one blob, column after column, so that 100,000 of them read
// in milliseconds:
//
//	"TR1\n"            magic with the version
//	uvarint n          rows
//	dictionary, codes  outcome: uvarint count, each uvarint length and bytes; then uint32 each row
//	dictionary, codes  split
//	int32  row         each row; likewise below
//	int32  stratum
//	uint8  flags       1 has a probability, 2 has a weight, 4 flipped
//	float64 score, probability, weight (0 where the flag is off)
//
// Rows of several classes ("TR2\n") go on:
//
//	uvarint k          classes
//	uint8  probable    1 where rows have probabilities
//	int32  predicted   each row
//	float64 scores     k each row; then the probabilities, if there are any
//
// Floats keep every bit. All numbers are little-endian.
const (
	rowsMagic      = "TR1\n"
	classRowsMagic = "TR2\n"
)

const (
	hasProbability = 1 << iota
	hasWeight
	isFlipped
)

// rowMemory estimates the bytes of a row after reading, including what pages and reports compute from it.
const rowMemory = 400

// rowsMemory bounds the bytes for reading rows from a blob with this head and size: the blob, its
// numbers, and the rows.
func rowsMemory(head []byte, size int64) int64 {
	if len(head) <= len(rowsMagic) {
		return 0
	}
	n, _ := binary.Uvarint(head[len(rowsMagic):])
	return 3*size + rowMemory*int64(min(n, uint64(size)))
}

func encodeRows(rows []engine.RowScore) []byte {
	magic, k := rowsMagic, 0
	if len(rows) > 0 && rows[0].Scores != nil {
		magic, k = classRowsMagic, len(rows[0].Scores)
	}
	b := append(make([]byte, 0, 64+(45+16*k)*len(rows)), magic...)
	b = binary.AppendUvarint(b, uint64(len(rows)))
	b = appendTexts(b, rows, func(r *engine.RowScore) string { return r.Outcome })
	b = appendTexts(b, rows, func(r *engine.RowScore) string { return r.Split })
	for i := range rows {
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(rows[i].Row)))
	}
	for i := range rows {
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(rows[i].Stratum)))
	}
	for i := range rows {
		b = append(b, flags(&rows[i]))
	}
	b = appendFloats(b, rows, func(r *engine.RowScore) *float64 { return &r.Score })
	b = appendFloats(b, rows, func(r *engine.RowScore) *float64 { return r.Probability })
	b = appendFloats(b, rows, func(r *engine.RowScore) *float64 { return r.Weight })
	if magic == classRowsMagic {
		b = appendClasses(b, rows, k)
	}
	return b
}

func appendClasses(b []byte, rows []engine.RowScore, k int) []byte {
	b = binary.AppendUvarint(b, uint64(k))
	probable := rows[0].Probabilities != nil
	if probable {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	for i := range rows {
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(rows[i].Predicted)))
	}
	for c := range k {
		b = appendFloats(b, rows, func(r *engine.RowScore) *float64 { return &r.Scores[c] })
	}
	for c := range k {
		if probable {
			b = appendFloats(b, rows, func(r *engine.RowScore) *float64 { return &r.Probabilities[c] })
		}
	}
	return b
}

func flags(r *engine.RowScore) (f byte) {
	if r.Probability != nil {
		f |= hasProbability
	}
	if r.Weight != nil {
		f |= hasWeight
	}
	if r.Flipped {
		f |= isFlipped
	}
	return f
}

func appendTexts(b []byte, rows []engine.RowScore, get func(*engine.RowScore) string) []byte {
	index := map[string]uint32{}
	var texts []string
	codes := make([]uint32, len(rows))
	for i := range rows {
		s := get(&rows[i])
		k, ok := index[s]
		if !ok {
			k = uint32(len(texts))
			index[s], texts = k, append(texts, s)
		}
		codes[i] = k
	}
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, s := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	for _, k := range codes {
		b = binary.LittleEndian.AppendUint32(b, k)
	}
	return b
}

func appendFloats(b []byte, rows []engine.RowScore, get func(*engine.RowScore) *float64) []byte {
	for i := range rows {
		v := 0.0
		if p := get(&rows[i]); p != nil {
			v = *p
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

var errRows = errors.New("scored rows are damaged")

// decodeRows reads what encodeRows wrote.
func decodeRows(blob []byte) ([]engine.RowScore, error) {
	d := rowReader{b: blob}
	magic := string(d.take(len(rowsMagic)))
	if magic != rowsMagic && magic != classRowsMagic {
		return nil, fmt.Errorf("%w: unknown format", errRows)
	}
	n := d.count()
	if n > len(d.b) { // before allocating for it: a row takes at least 41 bytes
		return nil, errRows
	}
	outcome, split := d.texts(n), d.texts(n)
	row, stratum, flag := d.take(4*n), d.take(4*n), d.take(n)
	score, prob, weight := d.take(8*n), d.take(8*n), d.take(8*n)
	if d.bad || magic == rowsMagic && len(d.b) != 0 {
		return nil, errRows
	}
	rows := make([]engine.RowScore, n)
	if magic == classRowsMagic && !d.classes(rows) {
		return nil, errRows
	}
	for i := range rows {
		r := &rows[i]
		r.Row, r.Outcome, r.Split = int(int32(binary.LittleEndian.Uint32(row[4*i:]))), outcome[i], split[i]
		r.Score, r.Stratum = *float(score, i), int(int32(binary.LittleEndian.Uint32(stratum[4*i:])))
		r.Flipped = flag[i]&isFlipped != 0
		if flag[i]&hasProbability != 0 {
			rows[i].Probability = float(prob, i)
		}
		if flag[i]&hasWeight != 0 {
			rows[i].Weight = float(weight, i)
		}
	}
	return rows, nil
}

// classes reads what appendClasses wrote; false if it is damaged.
func (d *rowReader) classes(rows []engine.RowScore) bool {
	n, k := len(rows), d.count()
	probable := d.take(1)
	predicted := d.take(4 * n)
	if d.bad || n == 0 || k == 0 || k > len(d.b)/(8*n) || probable[0] > 1 {
		return false
	}
	blocks := k * (1 + int(probable[0]))
	if len(d.b) != 8*n*blocks {
		return false
	}
	for i := range rows {
		rows[i].Predicted = int(int32(binary.LittleEndian.Uint32(predicted[4*i:])))
		for c := range blocks {
			v := *float(d.b, c*n+i)
			if c < k {
				rows[i].Scores = append(rows[i].Scores, v)
			} else {
				rows[i].Probabilities = append(rows[i].Probabilities, v)
			}
		}
	}
	return true
}

func float(b []byte, i int) *float64 {
	v := math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	return &v
}

// rowReader takes pieces off the front of b; after an error it returns nothing more.
type rowReader struct {
	b   []byte
	bad bool
}

func (d *rowReader) take(n int) []byte {
	if d.bad || n < 0 || n > len(d.b) {
		d.bad = true
		return nil
	}
	piece := d.b[:n]
	d.b = d.b[n:]
	return piece
}

func (d *rowReader) count() int {
	v, k := binary.Uvarint(d.b)
	if d.bad || k <= 0 || v > math.MaxInt32 {
		d.bad = true
		return 0
	}
	d.b = d.b[k:]
	return int(v)
}

// texts returns the text of each of n rows.
func (d *rowReader) texts(n int) []string {
	k := d.count()
	if k > len(d.b) { // each takes at least one byte
		d.bad = true
		return nil
	}
	dict := make([]string, k)
	for i := range dict {
		dict[i] = string(d.take(d.count()))
	}
	codes := d.take(4 * n)
	if d.bad {
		return nil
	}
	out := make([]string, n)
	for i := range out {
		c := binary.LittleEndian.Uint32(codes[4*i:])
		if uint64(c) >= uint64(len(dict)) {
			d.bad = true
			return nil
		}
		out[i] = dict[c]
	}
	return out
}
