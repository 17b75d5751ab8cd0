package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// column is a column with the way its values become text.
type column struct {
	name string
	form form
	text func(dst []byte, v value) ([]byte, error)
}

// columnsOf returns the columns of a table that is not nested.
func columnsOf(m *format.FileMetaData) (all []column, err error) {
	for i := range m.Schema[1:] {
		e := &m.Schema[i+1]
		if e.NumChildren.Valid && e.NumChildren.V > 0 || !e.Type.Valid {
			return nil, refuse(leaveOut, "Column %q of the Parquet file is a list, a map or a group of columns.", e.Name)
		}
		if e.RepetitionType.V == format.Repeated {
			return nil, refuse(leaveOut, "Column %q of the Parquet file has several values per row.", e.Name)
		}
		for _, g := range m.RowGroups {
			if i >= len(g.Columns) {
				break // checkShape refuses it
			}
			if c := g.Columns[i]; c.CryptoMetadata.Value != nil || c.EncryptedColumnMetadata != nil {
				return nil, refuse(decrypt, "Column %q of the Parquet file is encrypted.", e.Name)
			}
		}
		text := textOf(e)
		if text == nil {
			return nil, refuse(leaveOut, "Column %q of the Parquet file has the type %s, which is neither a number nor a "+
				"text nor a time.", e.Name, described(e))
		}
		all = append(all, column{e.Name, formOf(e), text})
	}
	return all, nil
}

func described(e *format.SchemaElement) string {
	if e.LogicalType.Value != nil {
		return e.LogicalType.String()
	}
	return e.Type.V.String()
}

// simple makes a conversion that cannot fail.
func simple(text func(dst []byte, v value) []byte) func([]byte, value) ([]byte, error) {
	return func(dst []byte, v value) ([]byte, error) { return text(dst, v), nil }
}

// textOf returns the conversion of a column's values, or nil for a type that a table cannot hold. The older converted
// type counts where there is no logical one.
func textOf(e *format.SchemaElement) func(dst []byte, v value) ([]byte, error) {
	converted := deprecated.ConvertedType(-1)
	if e.ConvertedType.Valid && e.LogicalType.Value == nil {
		converted = e.ConvertedType.V
	}
	number := e.Type.V == format.Int32 || e.Type.V == format.Int64
	switch l := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		return decimal(e.Type.V, l.Scale)
	case *format.DateType:
		converted = deprecated.Date
	case *format.TimestampType:
		if number {
			return timestamp(unit(l.Unit))
		}
	case *format.TimeType:
		if number {
			return clock(unit(l.Unit))
		}
	case *format.IntType:
		if number && !l.IsSigned {
			converted = deprecated.Uint64
		}
	case *format.StringType, *format.EnumType, *format.JsonType:
		converted = deprecated.UTF8
	case *format.UUIDType:
		if e.Type.V == format.FixedLenByteArray && e.TypeLength.V == 16 {
			return func(dst []byte, v value) ([]byte, error) {
				id, err := uuid.FromBytes(v.bytes)
				return append(dst, id.String()...), err
			}
		}
		return nil
	case *format.Float16Type:
		if e.Type.V == format.FixedLenByteArray && e.TypeLength.V == 2 {
			return simple(func(dst []byte, v value) []byte {
				return float(dst, half(binary.LittleEndian.Uint16(v.bytes)), 32)
			})
		}
		return nil
	case *format.NullType: // whose values mean nothing
		return simple(func(dst []byte, _ value) []byte { return dst })
	case nil:
	default:
		return nil
	}
	switch converted {
	case deprecated.Decimal:
		return decimal(e.Type.V, e.Scale.V)
	case deprecated.Date:
		if number {
			return simple(func(dst []byte, v value) []byte {
				return time.Unix(int64(v.bits)*24*60*60, 0).UTC().AppendFormat(dst, time.DateOnly)
			})
		}
		return nil
	case deprecated.TimestampMillis, deprecated.TimestampMicros:
		if number {
			return timestamp(map[bool]int64{true: 1e3, false: 1e6}[converted == deprecated.TimestampMillis])
		}
	case deprecated.TimeMillis, deprecated.TimeMicros:
		if number {
			return clock(map[bool]int64{true: 1e3, false: 1e6}[converted == deprecated.TimeMillis])
		}
	case deprecated.UTF8, deprecated.Enum, deprecated.Json:
		if e.Type.V == format.ByteArray || e.Type.V == format.FixedLenByteArray {
			return words
		}
		return nil
	case deprecated.Bson, deprecated.Interval:
		return nil
	}
	unsigned := slices.Contains([]deprecated.ConvertedType{deprecated.Uint8, deprecated.Uint16, deprecated.Uint32,
		deprecated.Uint64}, converted)
	return physical(e.Type.V, unsigned)
}

// physical converts values that have their physical type.
func physical(kind format.Type, unsigned bool) func(dst []byte, v value) ([]byte, error) {
	switch kind {
	case format.Boolean:
		return simple(func(dst []byte, v value) []byte { return strconv.AppendBool(dst, v.bits != 0) })
	case format.Int32:
		if unsigned {
			return simple(func(dst []byte, v value) []byte { return strconv.AppendUint(dst, v.bits&math.MaxUint32, 10) })
		}
		return simple(func(dst []byte, v value) []byte { return strconv.AppendInt(dst, int64(v.bits), 10) })
	case format.Int64:
		if unsigned {
			return simple(func(dst []byte, v value) []byte { return strconv.AppendUint(dst, v.bits, 10) })
		}
		return simple(func(dst []byte, v value) []byte { return strconv.AppendInt(dst, int64(v.bits), 10) })
	case format.Int96: // nanoseconds of the day, then the Julian day: how Impala and Spark wrote times
		return simple(func(dst []byte, v value) []byte {
			const epoch = 2440588 // Julian day of 1970-01-01
			nanos, day := binary.LittleEndian.Uint64(v.bytes), binary.LittleEndian.Uint32(v.bytes[8:])
			return moment(dst, time.Unix((int64(day)-epoch)*24*60*60, int64(nanos)))
		})
	case format.Float:
		return simple(func(dst []byte, v value) []byte {
			return float(dst, float64(math.Float32frombits(uint32(v.bits))), 32)
		})
	case format.Double:
		return simple(func(dst []byte, v value) []byte { return float(dst, math.Float64frombits(v.bits), 64) })
	case format.ByteArray: // Impala and older writers of Hive and Spark do not say that texts are texts
		return bare
	}
	return nil
}

// half is the value of a number of 16 bits (IEEE 754 binary16).
func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&0x3ff)
	x := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	}
	if bits&0x8000 != 0 {
		return -x
	}
	return x
}

// float writes the shortest number that reads back, and nothing for NaN.
func float(dst []byte, x float64, bits int) []byte {
	if math.IsNaN(x) {
		return dst
	}
	return strconv.AppendFloat(dst, x, 'g', -1, bits)
}

func words(dst []byte, v value) ([]byte, error) {
	if !utf8.Valid(v.bytes) {
		return dst, errors.New("is not UTF-8")
	}
	return append(dst, v.bytes...), nil
}

// bare converts bytes that no type describes: they are taken as a text if they can be one.
func bare(dst []byte, v value) ([]byte, error) {
	control := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) }
	if b := v.bytes; !utf8.Valid(b) || bytes.ContainsFunc(b, control) {
		return dst, errors.New("consists of bytes that are not a text")
	}
	return append(dst, v.bytes...), nil
}

// unit is how many of a time unit a second has.
func unit(u format.TimeUnit) int64 {
	switch u.Value.(type) {
	case *format.MicroSeconds:
		return 1e6
	case *format.NanoSeconds:
		return 1e9
	}
	return 1e3
}

func timestamp(perSecond int64) func(dst []byte, v value) ([]byte, error) {
	return simple(func(dst []byte, v value) []byte {
		n := int64(v.bits)
		return moment(dst, time.Unix(n/perSecond, n%perSecond*(1e9/perSecond)))
	})
}

// moment writes a time as the date reader takes it, with a fraction if there is one.
func moment(dst []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(dst, "2006-01-02 15:04:05.999999999")
}

func clock(perSecond int64) func(dst []byte, v value) ([]byte, error) {
	return simple(func(dst []byte, v value) []byte {
		n := int64(v.bits)
		t := time.Unix(n/perSecond, n%perSecond*(1e9/perSecond))
		return t.UTC().AppendFormat(dst, "15:04:05.999999999")
	})
}

// decimal writes all digits. As bytes the number is a big-endian two's complement.
func decimal(kind format.Type, scale int32) func(dst []byte, v value) ([]byte, error) {
	if scale < 0 || scale > 100 {
		return nil
	}
	return simple(func(dst []byte, v value) []byte {
		n := new(big.Int)
		switch kind {
		case format.Int32:
			n.SetInt64(int64(v.bits))
		case format.Int64:
			n.SetInt64(int64(v.bits))
		default:
			b := v.bytes
			n.SetBytes(b)
			if len(b) > 0 && b[0]&0x80 != 0 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		}
		if n.Sign() < 0 {
			dst = append(dst, '-')
		}
		digits := new(big.Int).Abs(n).String()
		if missing := int(scale) + 1 - len(digits); missing > 0 {
			digits = strings.Repeat("0", missing) + digits
		}
		point := len(digits) - int(scale)
		dst = append(dst, digits[:point]...)
		if scale > 0 {
			dst = append(append(dst, '.'), digits[point:]...)
		}
		return dst
	})
}
