// Package bundle writes a run as one ZIP file that others can check: the spec, how the file was
// parsed, the results, the model and the masked report. Everything in it can be recomputed from
// the data; no row is in it, unless the data file was asked for.
//
// A bundle from elsewhere is not trusted: unknown file names are refused, sizes are known
// before anything is unpacked, and nothing is written to disk. It has no signature or hashes,
// because whoever changes a number could change those too. A changed number is found by
// recomputing it, and the check names it.
package bundle

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/strict"
)

// Format identifies the format; a file of another format is refused by name.
const Format = "taper-bundle/1"

// The files of a bundle, in this order.
const (
	aboutName   = "about.json"
	readMeName  = "README.txt"
	specName    = "spec.json"
	changesName = "changes.json"
	readingName = "reading.json"
	ResultName  = "result.json"
	ModelName   = "model.json"
	ReportName  = "report.html"
	noticesName = "NOTICES.txt"
	dataName    = "data"
)

var names = []string{aboutName, readMeName, specName, changesName, readingName, ResultName, ModelName, ReportName,
	noticesName, dataName}

// optional reports whether a bundle can be without the file of this name.
func optional(name string) bool { return name == changesName || name == dataName }

// Size limits of the files, in bytes. The largest models, of a thousand trees, take some
// megabytes. The files that are decoded have a lower limit, because a decoded list of empty
// objects takes up to decodedTimes the memory of its text. Changed labels, which can be as many
// as rows, are lists of numbers and take up to changesTimes the memory of theirs.
const (
	mostText      = 64 << 20
	mostDecoded   = 1 << 20
	decodedTimes  = 50
	changesTimes  = 20
	mostDirectory = 16 << 10
	mostSentence  = 300 // characters of the reason why a file is refused
)

// decoded reports whether Read decodes the file of this name.
func decoded(name string) bool { return name == aboutName || name == specName || name == readingName }

// most is the limit of a file.
func most(name string, mostData int64) int64 {
	switch {
	case name == dataName:
		return mostData
	case decoded(name):
		return mostDecoded
	}
	return mostText
}

// About describes the origin of a bundle.
type About struct {
	Format  string    `json:"format"`
	Run     string    `json:"run"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`

	Version string   `json:"version"`          // of the program that computed the run
	Engine  string   `json:"engine,omitempty"` // its build; "" if the run does not have it
	Class   string   `json:"class,omitempty"`  // of the processor
	Modules []string `json:"modules"`          // of the program that wrote the bundle, with versions

	Data Data `json:"data"`
}

// Data identifies the file of the run.
type Data struct {
	Name      string `json:"name"`
	SHA256    string `json:"sha256"`
	Rows      int    `json:"rows"`
	Simulated bool   `json:"simulated,omitempty"`
}

// Bundle is the content of a bundle.
type Bundle struct {
	About   About
	Spec    runspec.Spec
	Reading table.Options
	Result  []byte // JSON
	Model   []byte // JSON
	Report  []byte // HTML
	Notices []byte // licences of the program and its libraries

	// Data opens the data file; nil if it is not included.
	Data func() (io.ReadCloser, error)
}

// Write writes the bundle. Equal bundles give equal bytes: files have a fixed order and no
// times. Everything that can be refused is checked before the first byte, because a download
// that has begun cannot become an error.
func (b *Bundle) Write(w io.Writer) error {
	type file struct {
		name string
		of   any
	}
	spec, changes, err := splitSpec(b.Spec)
	if err != nil {
		return err
	}
	files := []file{{aboutName, b.About}, {readMeName, b.readMe(changes != nil)}, {specName, spec}}
	if changes != nil {
		files = append(files, file{changesName, changes})
	}
	files = append(files, file{readingName, b.Reading}, file{ResultName, b.Result}, file{ModelName, b.Model},
		file{ReportName, b.Report}, file{noticesName, b.Notices})
	for i, f := range files {
		text, ok := f.of.([]byte)
		if !ok {
			if text, err = indented(f.name, f.of); err != nil {
				return err
			}
		}
		if limit := most(f.name, 0); int64(len(text)) > limit {
			return usererr.New(usererr.TooLarge, "The file %s of the bundle would be larger than %d MB, the limit.", f.name,
				limit>>20)
		}
		files[i].of = bytes.NewReader(text)
	}
	if b.Data != nil {
		data, err := b.Data()
		if err != nil {
			return err
		}
		defer data.Close()
		files = append(files, file{dataName, data})
	}
	z := zip.NewWriter(w)
	for _, f := range files {
		if err := add(z, f.name, f.of.(io.Reader)); err != nil {
			return err
		}
	}
	return z.Close()
}

func indented(name string, of any) ([]byte, error) {
	text, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return append(text, '\n'), nil
}

// anyDay is the date of all files, so that a run has one bundle: the first that ZIP can write. Without one the date
// would be the 0th of month 0.
var anyDay = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func add(z *zip.Writer, name string, from io.Reader) error {
	to, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: anyDay})
	if err == nil {
		_, err = io.Copy(to, from)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (b *Bundle) readMe(changes bool) []byte {
	how := "taper verify BUNDLE.zip -data FILE\n\nFILE is " + b.About.Data.Name + ", with the SHA-256\n" +
		b.About.Data.SHA256
	if b.Data != nil {
		how = "taper verify BUNDLE.zip\n\nThe file `data` contains the data themselves. Treat this bundle with the same care."
	}
	about := ""
	if changes {
		about = "changes.json  the rows whose labels were reviewed, from 0, and the level of each; -1: left out\n"
	}
	return []byte("A run of Taper " + b.About.Version + ", to be checked.\n\n" + how + "\n\n" +
		"spec.json     the settings of the run\n" + about +
		"reading.json  how the file was read\n" +
		"result.json   the results, without numbers that would reveal groups of 1 to 9 rows\n" +
		"model.json    the model, without data of single rows\n" +
		"report.html   the report, with counts of 1 to 9 masked\n" +
		"about.json    versions, and the hash of the data\n" +
		"NOTICES.txt   licences of the program and its libraries\n\n" +
		"The check reads the file as reading.json says, fits what spec.json says, and compares every number of\n" +
		"result.json and model.json and every word of report.html with what it computed.\n")
}

// notABundle is the error for a file that Write did not make.
func notABundle(format string, a ...any) error {
	return usererr.New(usererr.Invalid, "The file is not a complete bundle made by Taper: %s. taper bundle RUN writes "+
		"one.", usererr.Sprintf(format, a...))
}

// Read reads a bundle with at most mostData bytes of data. The data are unpacked only when Data
// is called.
func Read(file []byte, mostData int64) (*Bundle, error) {
	parts, err := open(file, mostData)
	if err != nil {
		return nil, err
	}
	var b Bundle
	for _, name := range names[:len(names)-1] {
		part := parts[name]
		if part == nil && optional(name) {
			continue
		}
		if part == nil {
			return nil, notABundle("%s is missing", name)
		}
		text, err := read(part)
		if err != nil {
			return nil, err
		}
		switch name {
		case aboutName:
			err = b.readAbout(text)
		case specName:
			err = strict.Decode(text, &b.Spec)
		case changesName:
			err = readChanges(text, b.Spec.Review)
		case readingName:
			err = strict.Decode(text, &b.Reading)
		case ResultName:
			b.Result = text
		case ModelName:
			b.Model = text
		case ReportName:
			b.Report = text
		case noticesName:
			b.Notices = text
		}
		if e, ok := usererr.As(err); ok && e.Code == usererr.Invalid {
			return nil, notABundle("%s: %s", name, phrase.Shorten(strings.TrimSuffix(e.Detail, "."), mostSentence))
		}
		if err != nil {
			return nil, err
		}
	}
	if data := parts[dataName]; data != nil {
		b.Data = func() (io.ReadCloser, error) {
			text, err := read(data)
			return io.NopCloser(bytes.NewReader(text)), err
		}
	}
	return &b, nil
}

func (b *Bundle) readAbout(text []byte) error {
	var named struct{ Format string }
	if err := json.Unmarshal(text, &named); err == nil && named.Format != Format && named.Format != "" {
		return usererr.New(usererr.Conflict, "The bundle has the format %.40q; this Taper reads %q.", named.Format, Format)
	}
	if err := strict.Decode(text, &b.About); err != nil {
		return err
	}
	if b.About.Format != Format {
		return usererr.New(usererr.Invalid, "it has no format")
	}
	return nil
}

// The end record of a ZIP file without comment: its signature, and the offsets of the number of
// entries, the length of the directory and its position.
const (
	endBytes     = 22
	endSignature = 0x06054b50
)

// open lists the files of a ZIP. It checks the directory first, because the library allocates
// an entry per record and a file of 200 MB can have millions. If the number of records is
// 0xFFFF, the library reads the directory from a ZIP64 record instead, which is not checked here.
func open(file []byte, mostData int64) (map[string]*zip.File, error) {
	if len(file) < endBytes {
		return nil, notABundle("it is too short")
	}
	end := file[len(file)-endBytes:]
	if binary.LittleEndian.Uint32(end) != endSignature {
		return nil, notABundle("it is not a ZIP file, or was changed")
	}
	if n := max(binary.LittleEndian.Uint16(end[8:]), binary.LittleEndian.Uint16(end[10:])); int(n) > len(names) {
		return nil, notABundle("it lists more than %d files", len(names))
	}
	length, place := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	if length > mostDirectory || place+length+endBytes != int64(len(file)) {
		return nil, notABundle("it is not a ZIP file, or was changed")
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, notABundle("it is not a ZIP file, or was changed")
	}
	parts := map[string]*zip.File{}
	for _, f := range z.File {
		limit := most(f.Name, mostData)
		switch {
		case !known(f.Name):
			return nil, notABundle("it contains %.40q, which is not part of a bundle", f.Name)
		case parts[f.Name] != nil:
			return nil, notABundle("%s is in it twice", f.Name)
		case f.UncompressedSize64 > uint64(limit):
			return nil, notABundle("%s is larger than %d MB", f.Name, limit>>20)
		case f.Method != zip.Deflate && f.Method != zip.Store, f.Flags&1 != 0:
			return nil, notABundle("%s is encrypted or packed in another way", f.Name)
		}
		parts[f.Name] = f
	}
	return parts, nil
}

func known(name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// Memory is an upper bound on the memory for unpacking and decoding a bundle.
func Memory(file []byte, mostData int64) (int64, error) {
	parts, err := open(file, mostData)
	sum := int64(0)
	for _, p := range parts {
		size := int64(p.UncompressedSize64)
		switch sum += size; {
		case decoded(p.Name):
			sum += decodedTimes * size
		case p.Name == changesName:
			sum += changesMemory(size)
		}
	}
	return sum, err
}

// read unpacks a file into the size that its header states, and fails if there is more.
func read(f *zip.File) ([]byte, error) {
	from, err := f.Open()
	if err != nil {
		return nil, notABundle("%s is damaged", f.Name)
	}
	defer from.Close()
	text := make([]byte, f.UncompressedSize64)
	if _, err := io.ReadFull(from, text); err != nil {
		return nil, notABundle("%s is damaged", f.Name)
	}
	if _, err := from.Read(make([]byte, 1)); !errors.Is(err, io.EOF) { // the checksum is verified at EOF
		return nil, notABundle("%s is damaged", f.Name)
	}
	return text, nil
}
