package parquet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// TestOtherPrograms reads files that DuckDB, Polars and Arrow for Rust wrote (testdata/others/README.md), by their
// defaults and with pages of version 2.
func TestOtherPrograms(t *testing.T) {
	const duck = `i8,i16,i32,i64,u8,u64,huge,f32,f64,dec4,dec18,dec38,text,bool,date,ts,ts_s,ts_ms,ts_ns,tstz,time,uuid,json
1,2,3,-9223372036854775807,200,18446744073709551615,1.7014118346046923e+38,0.1,0.1,12.50,1234567.891,-1.2,mild,true,` +
		`2024-02-29,2024-02-29 13:04:05.123456,2024-02-29 13:04:05,2024-02-29 13:04:05.123,` +
		`2024-02-29 13:04:05.123456789,2024-02-29 12:04:05.123456,01:02:03.004,` +
		`6ba7b810-9dad-11d1-80b4-00c04fd430c8,"{""a"":1}"
,,,,,,,,,,,,,,,,,,,,,,
-1,-2,-3,4,5,6,-7,1e-07,1.5e+300,-0.05,0.000,0.0,"größer, ""x""",false,1899-12-30,1969-12-31 23:59:59.999999,` +
		`1901-01-01 00:00:00,1969-12-31 23:59:59.999,1969-12-31 23:59:59.999999999,2024-02-29 00:00:00,` +
		`23:59:59.999999,00000000-0000-0000-0000-000000000000,[]
`
	// Parquet has no times in seconds, and this program writes them as integers without a type.
	const arrow = `i8,u16,i64,u64,f16,f32,f64,bool,text,large,dict,date32,ms,ms_utc,s,empty
1,60000,9007199254740993,18446744073709551615,0.5,0.1,0.1,true,"größer, ""x""",a,mild,2024-02-29,` +
		`2024-02-29 13:04:05.123,2024-02-29 13:04:05.123,1709211845,
,,,,,,,,,,,,,,,
-1,1,-4,6,-65504,1e-07,,false,,b,severe,1899-12-30,1969-12-31 23:59:59.999,1969-12-31 23:59:59.999,` +
		`-1,
`
	for name, want := range map[string]string{
		"duckdb":           duck,
		"duckdb-v2-zstd":   duck,
		"arrow-rs":         arrow,
		"arrow-rs-v2-zstd": arrow, // in two row groups
		// Blobs, which older Impala and Spark wrote for texts.
		"duckdb-bytes": "b,n\ngrößer,1\n,2\nmild,3\n",
		"polars": `i,x,s,b,d,i32,date,us,ns,cat
1,0.5,"größer, ""x""",true,2024-02-29 13:04:05.123,1,2024-02-29,2024-02-29 13:04:05.123,2024-02-29 13:04:05.123,"größer, ""x"""
,,,,,,,,,
-3,,,false,1969-12-31 23:59:59.999,-3,1969-12-31,1969-12-31 23:59:59.999,1969-12-31 23:59:59.999,
`,
	} {
		t.Run(name, func(t *testing.T) {
			file, err := os.ReadFile(filepath.Join("testdata", "others", name+".parquet"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := text(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestBytes: bytes without a type are a text if they can be one; otherwise the place is named.
func TestBytes(t *testing.T) {
	type row struct {
		B []byte `parquet:"b,optional"`
	}
	for name, c := range map[string]struct{ value, want string }{
		"not UTF-8":    {"\xff", "consists of bytes that are not a text"},
		"with control": {"PNG\x00", "consists of bytes that are not a text"},
		"text":         {"a\tb\r\nc", ""},
	} {
		t.Run(name, func(t *testing.T) {
			rows := make([]row, 2*batch+3)
			for i := range rows {
				if i%7 > 0 {
					rows[i].B = []byte("größer")
				}
			}
			rows[len(rows)-1].B = []byte(c.value)
			// Two row groups: the place counts from the first.
			got, err := text(written(t, rows, batch+1, parquet.Compression(&parquet.Snappy)))
			switch {
			case c.want == "" && (err != nil || !strings.HasSuffix(got, "größer\n\"a\tb\r\nc\"\n")):
				t.Errorf("%q %v", got[max(0, len(got)-40):], err)
			case c.want != "" && (err == nil || err.Error() != `Column ‘b’ of the Parquet file cannot be read: its value in row 1027 `+
				c.want+". Leave this column out of the file, or save the table as CSV UTF-8."):
				t.Error(err)
			}
		})
	}
}

// TestHalf: numbers of 16 bits at the ends of their ranges.
func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]string{0: "0", 0x8000: "-0", 1: "5.9604645e-08", 0x3ff: "6.097555e-05", 0x400: "6.1035156e-05",
		0x3555: "0.33325195", 0x3c00: "1", 0x7bff: "65504", 0x7c00: "+Inf", 0xfc00: "-Inf", 0x7e00: ""} {
		if got := string(float(nil, half(bits), 32)); got != want {
			t.Errorf("%#x: %s, want %s", bits, got, want)
		}
	}
}
