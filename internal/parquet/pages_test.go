package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// coded has a column for each kind and encoding.
type coded struct {
	B        *bool            `parquet:"b,optional"`
	Bits     bool             `parquet:"bits"`
	I32      *int32           `parquet:"i32,optional"`
	I32Delta int32            `parquet:"i32delta,optional,delta"`
	I32Dict  int32            `parquet:"i32dict,dict"`
	I32Split int32            `parquet:"i32split,split"`
	I64      int64            `parquet:"i64"`
	I64Delta int64            `parquet:"i64delta,delta"`
	I64Dict  *int64           `parquet:"i64dict,optional,dict"`
	F32      float32          `parquet:"f32"`
	F32Split float32          `parquet:"f32split,optional,split"`
	F32Dict  float32          `parquet:"f32dict,dict"`
	F64      *float64         `parquet:"f64,optional"`
	F64Split float64          `parquet:"f64split,split"`
	F64Dict  *float64         `parquet:"f64dict,optional,dict"`
	S        *string          `parquet:"s,optional"`
	SDelta   string           `parquet:"sdelta,delta"`
	SBytes   []byte           `parquet:"sbytes,optional,delta"`
	SDict    *string          `parquet:"sdict,optional,dict"`
	ID       [16]byte         `parquet:"id,uuid"`
	IDDict   [16]byte         `parquet:"iddict,uuid,dict"`
	IDDelta  [16]byte         `parquet:"iddelta,uuid,delta"`
	IDSplit  [16]byte         `parquet:"idsplit,uuid,split"`
	Moment   deprecated.Int96 `parquet:"moment"`
	Never    int64            `parquet:"never,optional,delta"`
}

func maybe[T any](r *rand.Rand, v T) *T {
	if r.IntN(4) == 0 {
		return nil
	}
	return &v
}

func codedRows(r *rand.Rand, n int) []coded {
	rows := make([]coded, n)
	for i := range rows {
		word := fmt.Sprint("größer ", r.IntN(1<<r.IntN(20)))
		level := []string{"", "mild", "severe"}[r.IntN(3)]
		var id [16]byte
		for j := range id {
			id[j] = byte(r.Uint32() >> r.IntN(32))
		}
		f := math.Float64frombits(r.Uint64())
		rows[i] = coded{maybe(r, r.IntN(2) == 0), r.IntN(9) == 0, maybe(r, int32(r.Uint32())), int32(r.Uint32() >> r.IntN(32)),
			int32(r.IntN(5)), int32(r.Uint32()), int64(r.Uint64()), int64(r.Uint64() >> r.IntN(64)), maybe(r, int64(r.IntN(300))),
			math.Float32frombits(r.Uint32()), float32(f), float32(r.IntN(3)), maybe(r, f), f, maybe(r, float64(r.IntN(40))/4),
			maybe(r, word), word, []byte(level), maybe(r, level), id, [16]byte{byte(r.IntN(3))}, id, id,
			deprecated.Int96{r.Uint32(), r.Uint32(), r.Uint32()}, 0}
	}
	return rows
}

// TestPages reads what the library reads, to the bit: every kind in every encoding, with missing values and without.
func TestPages(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Uncompressed), parquet.Compression(&parquet.Snappy),
		parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Zstd)} {
		for version := 1; version <= 2; version++ {
			for _, rows := range []int{1, 9, 700} {
				file := written(t, codedRows(r, rows), 300, codec, parquet.DataPageVersion(version), parquet.PageBufferSize(900))
				whole, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
				if err != nil {
					t.Fatal(err)
				}
				m := whole.Metadata()
				for g, group := range whole.RowGroups() {
					for i, column := range group.ColumnChunks() {
						meta := &m.RowGroups[g].Columns[i].MetaData
						want := libraryValues(t, column)
						got := make([]value, 0, len(want))
						err := chunkOf(bytes.NewReader(file), meta, formOf(&m.Schema[1+i])).read(len(want), func(v value) error {
							v.bytes = bytes.Clone(v.bytes)
							got = append(got, v)
							return nil
						})
						if err != nil || !slices.EqualFunc(want, got, equalValues) {
							t.Fatalf("%v, version %d, %d rows, column %s: %v %v, want %v", meta.Codec, version, rows, m.Schema[1+i].Name,
								err, got, want)
						}
					}
				}
			}
		}
	}
}

func equalValues(a, b value) bool {
	return a.missing == b.missing && a.bits == b.bits && bytes.Equal(a.bytes, b.bytes)
}

func libraryValues(t *testing.T, column parquet.ColumnChunk) (all []value) {
	t.Helper()
	pages := column.Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		read := make([]parquet.Value, page.NumValues())
		if _, err := page.Values().ReadValues(read); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for _, v := range read {
			all = append(all, valueOf(v))
		}
	}
}

func valueOf(v parquet.Value) value {
	if v.IsNull() {
		return value{missing: true}
	}
	switch format.Type(v.Kind()) {
	case format.Boolean:
		if v.Boolean() {
			return value{bits: 1}
		}
		return value{}
	case format.Int32:
		return value{bits: uint64(int64(v.Int32()))}
	case format.Int64:
		return value{bits: v.Uint64()}
	case format.Float:
		return value{bits: uint64(math.Float32bits(v.Float()))}
	case format.Double:
		return value{bits: math.Float64bits(v.Double())}
	}
	return value{bytes: append([]byte{}, v.Bytes()...)}
}
