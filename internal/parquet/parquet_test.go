package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"taper/internal/engine/table"
)

// all has a column of every type that is read.
type all struct {
	Bool    bool             `parquet:"bool"`
	I32     int32            `parquet:"i32"`
	I64     int64            `parquet:"i64"`
	I8      int8             `parquet:"i8"`
	U32     uint32           `parquet:"u32"`
	U64     uint64           `parquet:"u64"`
	F32     float32          `parquet:"f32"`
	F64     float64          `parquet:"f64"`
	Missing *float64         `parquet:"missing,optional"`
	Text    string           `parquet:"text"`
	Dict    string           `parquet:"dict,dict"`
	Enum    string           `parquet:"enum,enum"`
	JSON    string           `parquet:"json,json"`
	ID      uuid.UUID        `parquet:"id,uuid"`
	Date    int32            `parquet:"date,date"`
	Milli   int64            `parquet:"ms,timestamp(millisecond)"`
	Micro   int64            `parquet:"us,timestamp(microsecond)"`
	Nano    time.Time        `parquet:"ns,timestamp(nanosecond)"`
	Clock   int32            `parquet:"clock,time(millisecond)"`
	Impala  deprecated.Int96 `parquet:"impala"`
	Dec32   int32            `parquet:"dec32,decimal(2:9)"`
	Dec64   int64            `parquet:"dec64,decimal(3:18)"`
	Dec16   [16]byte         `parquet:"dec16,decimal(1:38)"`
}

func allRows() []all {
	half := .5
	var minus [16]byte
	for i := range minus {
		minus[i] = 0xff
	}
	minus[15] = 0xf4 // −12
	at := time.Date(2024, 2, 29, 13, 4, 5, 123456789, time.UTC)
	julian := uint32(at.Unix()/86400 + 2440588)
	nanos := uint64(at.Sub(at.Truncate(24 * time.Hour)))
	return []all{
		{true, -7, math.MinInt64, -8, math.MaxUint32, math.MaxUint64, .1, .1, &half, `say "a, b"`, "mild", "x", `{"a":1}`,
			uuid.MustParse("6ba7b810-9dad-11d1-80b4-00c04fd430c8"), 19782, 1709211845120, -1, at, 3723004,
			deprecated.Int96{uint32(nanos), uint32(nanos >> 32), julian}, -5, 1234567, minus},
		{Nano: time.Unix(0, 0), F32: 1e-7, F64: math.NaN(), Dict: "mild", Text: "größer"},
		{Nano: time.Unix(0, 0), F32: float32(math.Inf(1)), F64: 1.5e300, Dict: "severe", Text: " two\nlines"},
	}
}

const allText = `bool,i32,i64,i8,u32,u64,f32,f64,missing,text,dict,enum,json,id,date,ms,us,ns,clock,impala,dec32,dec64,dec16
true,-7,-9223372036854775808,-8,4294967295,18446744073709551615,0.1,0.1,0.5,"say ""a, b""",mild,x,"{""a"":1}",` +
	`6ba7b810-9dad-11d1-80b4-00c04fd430c8,2024-02-29,2024-02-29 13:04:05.12,1969-12-31 23:59:59.999999,` +
	`2024-02-29 13:04:05.123456789,01:02:03.004,2024-02-29 13:04:05.123456789,-0.05,1234.567,-1.2
false,0,0,0,0,0,1e-07,,,größer,mild,,,00000000-0000-0000-0000-000000000000,1970-01-01,1970-01-01 00:00:00,` +
	`1970-01-01 00:00:00,1970-01-01 00:00:00,00:00:00,-4713-11-24 00:00:00,0.00,0.000,0.0
false,0,0,0,0,0,+Inf,1.5e+300,," two
lines",severe,,,00000000-0000-0000-0000-000000000000,1970-01-01,1970-01-01 00:00:00,` +
	`1970-01-01 00:00:00,1970-01-01 00:00:00,00:00:00,-4713-11-24 00:00:00,0.00,0.000,0.0
`

// written is a Parquet file of rows, with a row group after every few.
func written[T any](t testing.TB, rows []T, group int, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	for i, r := range rows {
		if _, err := w.Write([]T{r}); err != nil {
			t.Fatal(err)
		}
		if (i+1)%group == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func text(file []byte) (string, error) {
	b, err := CSV(context.Background(), bytes.NewReader(file), int64(len(file)), table.DefaultLimits)
	return string(b), err
}

// TestCSV reads every type, in one row group and in several, compressed in every way, in pages of both versions.
func TestCSV(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []parquet.WriterOption
	}{
		{"plain", nil},
		{"snappy", []parquet.WriterOption{parquet.Compression(&parquet.Snappy)}},
		{"gzip", []parquet.WriterOption{parquet.Compression(&parquet.Gzip)}},
		{"zstd", []parquet.WriterOption{parquet.Compression(&parquet.Zstd)}},
		{"pages of version 1", []parquet.WriterOption{parquet.DataPageVersion(1), parquet.Compression(&parquet.Snappy)}},
	} {
		for _, group := range []int{1, 2, 9} {
			t.Run(fmt.Sprint(c.name, ", groups of ", group), func(t *testing.T) {
				got, err := text(written(t, allRows(), group, c.options...))
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(allText, got); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// TestManyRows reads more rows than a batch and a page hold, with missing values in between.
func TestManyRows(t *testing.T) {
	type row struct {
		X *int64 `parquet:"x,optional"`
		D int64  `parquet:"d,delta"`
		S string `parquet:"s,dict"`
	}
	rows := make([]row, 3*batch+7)
	var want strings.Builder
	want.WriteString("x,d,s\n")
	for i := range rows {
		n := int64(i * i)
		if rows[i].S = fmt.Sprint("level ", i%3); i%5 > 0 {
			rows[i].X = &n
			fmt.Fprint(&want, n)
		}
		rows[i].D = -n
		fmt.Fprintf(&want, ",%d,%s\n", -n, rows[i].S)
	}
	got, err := text(written(t, rows, 1000, parquet.PageBufferSize(256), parquet.Compression(&parquet.Zstd)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.String(), got); d != "" {
		t.Error(d)
	}
	// A row of one missing value is no empty line.
	type one struct {
		X *int64 `parquet:"x,optional"`
	}
	if got, err := text(written(t, make([]one, 2), 9)); err != nil || got != "x\n\"\"\n\"\"\n" {
		t.Errorf("%q %v", got, err)
	}
}

// TestRefused: a sentence names the column and what to do.
func TestRefused(t *testing.T) {
	type inner struct{ A int }
	whole := written(t, allRows(), 9)
	changed := func(change func(b []byte)) []byte {
		b := bytes.Clone(whole)
		change(b)
		return b
	}
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"list", "‘xs’", written(t, []struct {
			Xs []int `parquet:"xs"`
		}{{[]int{1}}}, 1)},
		{"list type", "‘xs’", written(t, []struct {
			Xs []int `parquet:"xs,list"`
		}{{[]int{1}}}, 1)},
		{"group", "‘g’", written(t, []struct {
			G inner `parquet:"g"`
		}{{}}, 1)},
		{"fixed bytes", "‘b’", written(t, []struct {
			B [4]byte `parquet:"b"`
		}{{}}, 1)},
		{"not UTF-8", `‘s’ of the Parquet file cannot be read: its value in row 1 is not UTF-8`, written(t, []struct {
			S string `parquet:"s"`
		}{{"\xff"}}, 1)},
		{"codec", "is compressed with LZ4_RAW", written(t, allRows(), 9, parquet.Compression(&parquet.Lz4Raw))},
		{"encrypted", "encrypted", changed(func(b []byte) { copy(b[len(b)-4:], "PARE") })},
		{"short", "cut short", whole[:len(whole)-3]},
		{"nothing", "cut short", []byte("PAR1")},
		{"footer", "footer claims 4\u202f294\u202f967\u202f295 bytes", changed(func(b []byte) {
			binary.LittleEndian.PutUint32(b[len(b)-8:], math.MaxUint32)
		})},
		{"list of a footer", "a list claims", append(append([]byte("PAR1\x19\xfc\xff\xff\xff\xff\x07"), 7, 0, 0, 0), "PAR1"...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := text(c.file)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "as CSV UTF-8") || got != "" {
				t.Errorf("%q %v", got, err)
			}
		})
	}
}

// TestLimits: rows, columns and bytes of the text are those of any file.
func TestLimits(t *testing.T) {
	file := written(t, allRows(), 9)
	for _, c := range []struct {
		lim  table.Limits
		want string
	}{
		{table.Limits{Bytes: 100, Rows: 10, Columns: 50}, "the limit is 100"},
		{table.Limits{Bytes: 1 << 20, Rows: 2, Columns: 50}, "3 rows: the limit is 2"},
		{table.Limits{Bytes: 1 << 20, Rows: 10, Columns: 22}, "23 columns: the limit is 22"},
	} {
		_, err := CSV(t.Context(), bytes.NewReader(file), int64(len(file)), c.lim)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.lim, err)
		}
	}
	type row struct {
		S string `parquet:"s,dict"`
	}
	long := make([]row, 2000)
	for i := range long {
		long[i].S = strings.Repeat("x", 1000)
	}
	file = written(t, long, 9000)
	_, err := CSV(t.Context(), bytes.NewReader(file), int64(len(file)), table.Limits{Bytes: 1 << 20, Rows: 9000, Columns: 9})
	if len(file) > 1<<16 || err == nil || !strings.Contains(err.Error(), "more than 1\u202f048\u202f576 bytes as CSV") {
		t.Errorf("%d bytes: %v", len(file), err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := CSV(ended, bytes.NewReader(file), int64(len(file)), table.DefaultLimits); err == nil {
		t.Error("it goes on after its end")
	}
}

// TestLongDictionary: a value that many rows of a batch share is not copied beyond the limit.
func TestLongDictionary(t *testing.T) {
	type row struct {
		S string `parquet:"s,dict"`
	}
	rows := make([]row, batch)
	for i := range rows {
		rows[i].S = strings.Repeat("x", 10_000)
	}
	file := written(t, rows, batch, parquet.Compression(&parquet.Zstd))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := CSV(t.Context(), bytes.NewReader(file), int64(len(file)), table.Limits{Bytes: 1 << 20, Rows: 9000, Columns: 9})
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "bytes as CSV") {
		t.Errorf("%d bytes: %v", len(file), err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 20<<20 {
		t.Errorf("%d bytes were allocated for a limit of 1 MB", took)
	}
}

// FuzzParquet: any bytes give CSV of as many rows as the footer has, or a sentence.
func FuzzParquet(f *testing.F) {
	for _, o := range []parquet.WriterOption{parquet.Compression(&parquet.Uncompressed), parquet.Compression(&parquet.Snappy),
		parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1)} {
		f.Add(written(f, allRows(), 2, o))
	}
	for _, file := range hostileFiles(f) {
		if len(file) < 1<<12 {
			f.Add(file)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		lim := table.Limits{Bytes: 1 << 20, Rows: 1000, Columns: 50}
		got, err := CSV(context.Background(), bytes.NewReader(file), int64(len(file)), lim)
		if err != nil && !strings.Contains(err.Error(), "as CSV") && !strings.Contains(err.Error(), "the limit is") {
			t.Fatalf("no remedy: %v", err)
		}
		if err == nil && (len(got) == 0 || got[len(got)-1] != '\n' || int64(len(got)) > lim.Bytes) {
			t.Fatalf("%d bytes", len(got))
		}
	})
}

// BenchmarkCSV reads 150,000 rows of 6 columns (docs/performance.md).
func BenchmarkCSV(b *testing.B) {
	type row struct {
		Age   float64  `parquet:"age"`
		Dose  *float64 `parquet:"dose,optional"`
		Count int32    `parquet:"count"`
		Day   int32    `parquet:"day,date"`
		Sex   string   `parquet:"sex,dict"`
		ID    string   `parquet:"id"`
	}
	rows := make([]row, 150_000)
	for i := range rows {
		x := math.Sqrt(float64(i))
		rows[i] = row{x, &x, int32(i * i), int32(i % 20_000), []string{"f", "m"}[i%2], fmt.Sprint("patient ", i)}
		if i%7 == 0 {
			rows[i].Dose = nil
		}
	}
	file := written(b, rows, 50_000, parquet.Compression(&parquet.Zstd))
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := text(file); err != nil {
			b.Fatal(err)
		}
	}
}
