package bundle

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

func example() *Bundle {
	return &Bundle{About: About{Format: Format, Run: "r1", Name: "one", Created: time.Unix(1e9, 0).UTC(), Modules: []string{},
		Data: Data{Name: "f.csv", SHA256: strings.Repeat("0", 64)}}, Spec: runspec.Spec{Outcome: "died"},
		Result: []byte(`{"auc":0.75}`), Model: []byte(`{"weights":[1,2]}`), Report: []byte("<p>AUC 0.75</p>"), Notices: []byte("none"),
		Data: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a,b\n1,2\n")), nil }}
}

func written(t *testing.T, b *Bundle) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := b.Write(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestWriteRead: a written bundle reads back equal, and equal bundles have equal bytes.
func TestWriteRead(t *testing.T) {
	file := written(t, example())
	if !bytes.Equal(file, written(t, example())) {
		t.Error("another file the second time")
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if day := f.Modified.UTC().Format(time.DateOnly); day != "1980-01-01" {
			t.Errorf("%s has the date %s", f.Name, day)
		}
	}
	b, err := Read(file, 8)
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.Data()
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := io.ReadAll(data); string(text) != "a,b\n1,2\n" || b.Spec.Outcome != "died" || b.About.Run != "r1" {
		t.Errorf("%q %+v", text, b)
	}
	if !bytes.Equal(written(t, b), file) {
		t.Error("what was read is written as another file")
	}
	if sum, err := Memory(file, 8); err != nil || sum < 10e3 || sum > 200e3 {
		t.Errorf("%d bytes, %v", sum, err)
	}
}

// TestWriteRefused: nothing is written of a bundle that cannot be written completely.
func TestWriteRefused(t *testing.T) {
	lost, long := example(), example()
	lost.Data = func() (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }
	long.Reading.Settled = []string{strings.Repeat("x", mostDecoded)}
	for name, b := range map[string]*Bundle{"no data": lost, "a long reading": long} {
		b.Model = make([]byte, 20_000) // more than the buffer of a ZIP, also when packed
		for i := range b.Model {
			b.Model[i] = byte(rand.Uint32())
		}
		var file bytes.Buffer
		if err := b.Write(&file); err == nil || file.Len() > 0 {
			t.Errorf("%s: %d bytes, %v", name, file.Len(), err)
		}
	}
}

// reviewed is a bundle of a run with so many changed labels.
func reviewed(n int) *Bundle {
	b := example()
	b.Spec.Review = &runspec.Review{ID: "v1", Parent: "r0", Changes: make([]runspec.Relabel, n)}
	for i := range n {
		b.Spec.Review.Changes[i] = runspec.Relabel{Row: 2 * i, To: []string{"", "no", "yes, \"sure\"", "nö\r\n"}[i%4]}
	}
	return b
}

// TestManyChanges: all rows of the largest dataset may have a changed label. Few changes stay in the spec, where
// versions of Taper before this one look for them.
func TestManyChanges(t *testing.T) {
	for _, n := range []int{3, 30_000} {
		b := reviewed(n)
		file := written(t, b)
		if got := bytes.Contains(file, []byte(changesName)); got != (n > 1000) {
			t.Errorf("%d changes: %s is in it: %v", n, changesName, got)
		}
		got, err := Read(file, 8)
		if err != nil {
			t.Fatalf("%d changes: %v", n, err)
		}
		if !reflect.DeepEqual(got.Spec.Review, b.Spec.Review) || len(b.Spec.Review.Changes) != n {
			t.Errorf("%d changes: other ones were read", n)
		}
		if !bytes.Equal(written(t, got), file) {
			t.Errorf("%d changes: what was read is written as another file", n)
		}
	}
	all, read := reviewed(table.DefaultLimits.Rows).Spec.Review, runspec.Review{ID: "v1", Parent: "r0"}
	_, text, err := splitSpec(runspec.Spec{Review: all})
	if err == nil {
		err = readChanges(text, &read)
	}
	if err != nil || len(text) > mostText || !reflect.DeepEqual(&read, all) {
		t.Errorf("all rows: %d bytes, %v", len(text), err)
	}
	many := reviewed(30)
	for i := range many.Spec.Review.Changes {
		many.Spec.Review.Changes[i].To = strings.Repeat("x", mostDecoded/20) + strconv.Itoa(i)
	}
	var file bytes.Buffer
	if err := many.Write(&file); !usererr.Is(err, usererr.TooLarge) || file.Len() > 0 {
		t.Errorf("long names of classes: %v", err)
	}
}

// TestChangesMemory: what changes take when they are read is known before.
func TestChangesMemory(t *testing.T) {
	for name, text := range map[string]string{
		"rows":    `{"levels":["a"],"rows":[` + strings.Repeat("0,", 500_000) + `0],"to":[` + strings.Repeat("0,", 500_000) + `0]}`,
		"classes": `{"levels":[` + strings.Repeat(`"",`, 300_000) + `""],"rows":[],"to":[]}`,
		"texts":   `{"levels":[` + strings.Repeat(`"a",`, 200_000) + `""],"rows":[],"to":[]}`,
	} {
		file := packed(t, changesName, text)
		need, err := Memory(file, 8)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var r runspec.Review
		if err := readChanges([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		took := int64(after.TotalAlloc - before.TotalAlloc)
		t.Logf("%s: %d bytes, %d allocated, %d foreseen", name, len(text), took, need)
		if took > need || took < need/50 {
			t.Errorf("%s: %d bytes were allocated, and %d foreseen", name, took, need)
		}

	}
}

// packed is a ZIP of these files; text[0] is the name of the first.
func packed(t testing.TB, text ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for i := 0; i+1 < len(text); i += 2 {
		w, err := z.Create(text[i])
		if err == nil {
			_, err = io.WriteString(w, text[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// parts are the names and texts of a bundle's files.
func parts(t testing.TB, b *Bundle) (all []string) {
	t.Helper()
	var file bytes.Buffer
	if err := b.Write(&file); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		text, err := read(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f.Name, string(text))
	}
	return all
}

// withChanges is a bundle of a review with this file of changes.
func withChanges(t testing.TB, text string) []byte {
	t.Helper()
	return packed(t, append(parts(t, reviewed(0)), changesName, text)...)
}

// with is a bundle with the text of one file replaced; "" leaves the file out.
func with(t testing.TB, name, text string) []byte {
	t.Helper()
	var now []string
	all := parts(t, example())
	for i := 0; i < len(all); i += 2 {
		was := all[i+1]
		if all[i] == name {
			was = text
		}
		if len(was) > 0 {
			now = append(now, all[i], was)
		}
	}
	return packed(t, now...)
}

// TestRefused: a file that is not a bundle is refused with the reason, before it takes memory
// or disk space.
func TestRefused(t *testing.T) {
	good := written(t, example())
	lying := bytes.Clone(good) // the directory claims a size that differs from the file's
	at := bytes.LastIndex(lying, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lying[at+24:], 7)
	long := bytes.Clone(good)
	binary.LittleEndian.PutUint32(long[len(long)-endBytes+12:], 1<<30)
	zip64 := func(disk, all uint16) []byte { // its ZIP64 record, which the library prefers, has a long directory
		var directory, tail []byte
		for range 100_000 { // records without a name
			record := make([]byte, 46)
			binary.LittleEndian.PutUint32(record, 0x02014b50)
			directory = append(directory, record...)
		}
		tail = binary.LittleEndian.AppendUint32(tail, 0x06064b50)
		tail = binary.LittleEndian.AppendUint64(tail, 44)
		tail = append(tail, make([]byte, 12)...)
		tail = binary.LittleEndian.AppendUint64(tail, 100_000)
		tail = binary.LittleEndian.AppendUint64(tail, 100_000)
		tail = binary.LittleEndian.AppendUint64(tail, uint64(len(directory)))
		tail = binary.LittleEndian.AppendUint64(tail, 0)
		tail = binary.LittleEndian.AppendUint32(tail, 0x07064b50)
		tail = binary.LittleEndian.AppendUint32(tail, 0)
		tail = binary.LittleEndian.AppendUint64(tail, uint64(len(directory)))
		tail = binary.LittleEndian.AppendUint32(tail, 1)
		end := make([]byte, endBytes)
		binary.LittleEndian.PutUint32(end, endSignature)
		binary.LittleEndian.PutUint16(end[8:], disk)
		binary.LittleEndian.PutUint16(end[10:], all)
		binary.LittleEndian.PutUint32(end[16:], uint32(len(directory)+len(tail)))
		return append(append(directory, tail...), end...)
	}
	bent := bytes.Clone(good)
	bent[50] ^= 0x10
	for _, test := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "too short"},
		{"no ZIP", []byte(strings.Repeat("a,b\n", 20)), "not a ZIP file"},
		{"cut off", good[:len(good)-7], "not a ZIP file"},
		{"with a tail", append(bytes.Clone(good), make([]byte, 30)...), "not a ZIP file"},
		{"a long directory", long, "not a ZIP file"},
		{"a ZIP64 directory", zip64(0xffff, 0xffff), "more than 10 files"},
		{"a ZIP64 directory by one number", zip64(0, 0xffff), "more than 10 files"},
		{"a path", packed(t, "../../etc/passwd", "x"), "‘../../etc/passwd’"},
		{"a folder", packed(t, "data/", ""), "‘data/’"},
		{"twice", packed(t, aboutName, "{}", aboutName, "{}"), "about.json is in it twice"},
		{"a size that is none", lying, "damaged"},
		{"a bit", bent, "damaged"},
		{"too much data", with(t, dataName, "123456789"), "data is larger"},
		{"no model", with(t, ModelName, ""), "model.json is missing"},
		{"changes of no review", packed(t, append(parts(t, example()), changesName, `{"rows":[1],"to":[-1]}`)...),
			"changes.json: it belongs to a review"},
		{"changes twice", packed(t, append(parts(t, reviewed(3)), changesName, `{"rows":[1],"to":[-1]}`)...),
			"changes.json: it belongs to a review"},
		{"a change of no class", withChanges(t, `{"levels":["a"],"rows":[1],"to":[1]}`),
			"changes.json: to[0] must be a class of the 1 in levels, from 0, or -1 to leave the row out (got 1)"},
		{"a change of a negative class", withChanges(t, `{"levels":["a"],"rows":[1],"to":[-2]}`), "to[0] must be"},
		{"changes without classes", withChanges(t, `{"levels":["a"],"rows":[1,2],"to":[0]}`),
			"changes.json: rows has 2 and to 1"},
		{"a change to a text", withChanges(t, `{"levels":["a"],"rows":[1],"to":["a"]}`), "to must be a whole number"},
		{"long classes", withChanges(t, `{"levels":["`+strings.Repeat("a", mostDecoded)+`"],"rows":[],"to":[]}`),
			"changes.json: levels is larger than 1 MB"},
		{"classes of a number", withChanges(t, `{"levels":[1],"rows":[],"to":[]}`), "changes.json: levels must be a list"},
		{"long changes", packed(t, changesName, strings.Repeat(" ", mostText+1)), "changes.json is larger than 64 MB"},
		{"an unknown field", with(t, specName, `{"outcomes":"died"}`), "spec.json: outcomes is not a field"},
		{"a long spec", with(t, specName, `{"splines":`+strings.Repeat(" ", mostDecoded)+"{}}"), "spec.json is larger than 1 MB"},
		{"a long reading", with(t, readingName, strings.Repeat(" ", mostDecoded)+"{}"), "reading.json is larger than 1 MB"},
		{"a long origin", with(t, aboutName, strings.Repeat(" ", mostDecoded)+"{}"), "about.json is larger than 1 MB"},
		{"a long unknown field", with(t, specName, `{"`+strings.Repeat("a", 1e5)+`":1}`), "a…"},
		{"no format", with(t, aboutName, `{}`), "about.json: it has no format"},
		{"a later format", with(t, aboutName, `{"format":"taper-bundle/2"}`), "this Taper reads ‘taper-bundle/1’"},
	} {
		b, err := Read(test.file, 8)
		if err == nil && b.Data != nil {
			_, err = b.Data()
		}
		if e, ok := usererr.As(err); !ok || !strings.Contains(e.Detail, test.want) || len(e.Detail) > 600 {
			t.Errorf("%s: %.300v, want %q", test.name, err, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(with(f, "", ""))
	f.Add(with(f, dataName, ""))
	f.Add(with(f, readingName, `{"dialect":{"delimiter":";"}}`))
	f.Add(packed(f, "../x", "y"))
	f.Add(withChanges(f, `{"levels":["a","b"],"rows":[1,3],"to":[0,-1]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		need, err := Memory(file, 1<<16)
		if err == nil && need > (mostText*int64(len(names))) {
			t.Errorf("%d bytes for a file of %d", need, len(file))
		}
		if need > 1<<24 {
			return // valid, and slow to compare here
		}
		b, err := Read(file, 1<<16)
		if err != nil {
			if _, ok := usererr.As(err); !ok {
				t.Errorf("no sentence: %v", err)
			}
			return
		}
		if b.Data != nil {
			if _, err := b.Data(); err != nil {
				return
			}
		}
		var again bytes.Buffer
		if err := b.Write(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(again.Bytes(), 1<<16); err != nil {
			t.Errorf("what was written is not read: %v", err)
		}
	})
}

// TestCompareJSON: the first difference is named by its path, and relative differences of
// numbers are measured.
func TestCompareJSON(t *testing.T) {
	const was = `{"a":{"b":[1,2.5,{"c":null}]},"d":"x","e":[],"f":1e-12}`
	skip := func(path string) bool { return path == "d" }
	for _, test := range []struct {
		name, now                 string
		differing, beyond, values int
		path, theirs, ours        string
	}{
		{"the same", was, 0, 0, 5, "", "", ""},
		{"written otherwise", strings.Replace(was, "2.5", "2.50", 1), 1, 0, 5, "a.b[1]", "2.5", "2.50"},
		{"a bit", strings.Replace(was, "2.5", "2.5000000000000004", 1), 1, 0, 5, "a.b[1]", "2.5", "2.5000000000000004"},
		{"a number", strings.Replace(was, "2.5", "2.6", 1), 1, 1, 5, "a.b[1]", "2.5", "2.6"},
		{"a tiny number", strings.Replace(was, "1e-12", "2e-12", 1), 1, 1, 5, "f", "1e-12", "2e-12"},
		{"no number", strings.Replace(was, "2.5", "null", 1), 1, 1, 5, "a.b[1]", "2.5", "null"},
		{"far beats near", strings.NewReplacer("[1,", "[1.0,", "null", "0").Replace(was), 2, 1, 5, "a.b[2].c", "null", "0"},
		{"one more", strings.Replace(was, "1,2.5", "1,2.5,9", 1), 3, 3, 4, "a.b[2].c", "null", absent},
		{"one less", strings.Replace(was, `,"e":[]`, "", 1), 1, 1, 4, "e", "[]", absent},
		{"passed over", strings.Replace(was, `"x"`, `"y"`, 1), 0, 0, 5, "", "", ""},
	} {
		c, err := CompareJSON("r.json", []byte(was), []byte(test.now), skip)
		if err != nil || c.Differing != test.differing || c.Beyond != test.beyond || c.Values != test.values {
			t.Errorf("%s: %+v %v", test.name, c, err)
			continue
		}
		if f := c.First; test.path == "" && f != nil || test.path != "" &&
			(f == nil || *f != Difference{"r.json", test.path, test.theirs, test.ours}) {
			t.Errorf("%s: %+v", test.name, f)
		}
	}
	for _, broken := range []string{"", "{", `{"a":1}{}`, strings.Repeat("[", 1<<20), "nul"} {
		if _, err := CompareJSON("r.json", []byte(broken), []byte("{}"), nil); !usererr.Is(err, usererr.Invalid) {
			t.Errorf("%.20q: %v", broken, err)
		}
	}
}

// TestCompareLong: a file that would take far more memory than the recomputed one is refused, and
// the texts of a difference are cut.
func TestCompareLong(t *testing.T) {
	key := strings.Repeat("k", 1000)
	for name, text := range map[string]string{
		"long paths":  `{"` + key + `":[0` + strings.Repeat(",0", 2000) + `]}`,
		"many values": `{"":0` + strings.Repeat(`,"":0`, 40_000) + `}`,
		"a long text": `"` + strings.Repeat("<", 300_000) + `"`,
		"spaces":      strings.Repeat(" ", room+100) + "1",
	} {
		if _, err := CompareJSON("r.json", []byte(text), []byte("1"), nil); !usererr.Is(err, usererr.Invalid) ||
			!strings.Contains(err.Error(), "r.json is more than twice as large") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := CompareHTML("r.html", make([]byte, room+100), []byte("1"), false); !usererr.Is(err, usererr.Invalid) {
		t.Error(err)
	}
	c, err := CompareJSON("r.json", []byte(`{"`+key+`":"`+key+`"}`), []byte(`{"`+key+`":"b`+key+`"}`), nil)
	if err != nil || len(c.First.Path) > 300 || len(c.First.Bundle) > 300 || len(c.First.Refit) > 300 {
		t.Errorf("%+v %v", c.First, err)
	}
	if c, err = CompareHTML("r.html", []byte(key), []byte("b"+key), false); err != nil || len(c.First.Bundle) > 300 {
		t.Errorf("%+v %v", c.First, err)
	}
}

func TestCompareHTML(t *testing.T) {
	const was = `<style>p{}</style><p>AUC <b>0.75</b> of 400 rows</p><svg><text>ROC</text></svg>`
	for _, test := range []struct {
		now    string
		exact  bool
		beyond int
		path   string
	}{
		{was, true, 0, ""},
		{strings.Replace(was, "0.75", "0.76", 1), false, 1, "… AUC"},
		{strings.Replace(was, "ROC", "PR", 1), true, 1, "… AUC 0.75 of 400 rows"},
		{strings.Replace(was, " rows", " rows more", 1), true, 1, "… AUC 0.75 of 400 rows"},
		{strings.Replace(was, "p{}", "p{color:red}", 1), false, 0, ""},
		{strings.Replace(was, "p{}", "p{color:red}", 1), true, 1, "What is not text"},
	} {
		c, err := CompareHTML("report.html", []byte(was), []byte(test.now), test.exact)
		if err != nil || c.Beyond != test.beyond || c.Values < 5 && test.beyond == 0 || test.beyond > 0 && c.First.Path != test.path {
			t.Errorf("%s: %+v %+v", test.now, c, c.First)
		}
	}
}
