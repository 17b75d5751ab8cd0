package web

import (
	"encoding/json"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app/datasets"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// uploadForm is what came beside the file.
type uploadForm struct {
	file   string
	fields map[string]string
}

// receive streams the multipart part "file" into the data folder. Other parts
// are short fields, in any order. The caller aborts the upload.
func (s *Server) receive(c echo.Context) (up *store.Upload, form uploadForm, err error) {
	form.fields = map[string]string{}
	defer func() {
		if err != nil && up != nil {
			up.Abort()
		}
	}()
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return nil, form, usererr.New(usererr.Invalid,
			`The request must be multipart/form-data with the file in the part "file".`)
	}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return up, form, brokenUpload(err)
		}
		switch {
		case part.FormName() != "file":
			if err := form.take(part); err != nil {
				return up, form, err
			}
		case up != nil:
			return up, form, usererr.New(usererr.Invalid,
				`The request holds more than one part "file": upload one file at a time.`)
		default:
			form.file = fileName(part)
			if up, err = s.datasets.Upload(part); err != nil {
				return nil, form, brokenUpload(err)
			}
		}
	}
	if up == nil {
		return nil, form, usererr.BadField("file", "is missing: choose a CSV or Excel file")
	}
	return up, form, nil
}

func brokenUpload(err error) error {
	if _, ok := usererr.As(err); ok {
		return err
	}
	return &usererr.Error{Code: usererr.Invalid, Detail: "The upload broke off. Nothing was stored.", Cause: err}
}

// maxField bounds a form field beside the file.
const maxField = 64 << 10

func (f *uploadForm) take(part *multipart.Part) error {
	b, err := io.ReadAll(io.LimitReader(part, maxField+1))
	if err != nil {
		return brokenUpload(err)
	}
	if len(b) > maxField || len(f.fields) > 50 {
		return usererr.New(usererr.TooLarge, "The form fields beside the file are too large.")
	}
	f.fields[part.FormName()] = string(b)
	return nil
}

// fileName is the last element of the name the client gave, in whatever
// notation.
func fileName(part *multipart.Part) string {
	_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	name := strings.ReplaceAll(params["filename"], `\`, "/")
	name = strings.TrimSpace(filepath.Base(strings.ToValidUTF8(name, "")))
	if name == "." || name == "/" || name == "" {
		return "data.csv"
	}
	if r := []rune(name); len(r) > 200 {
		name = string(r[:200])
	}
	return name
}

func (f uploadForm) title() string {
	if name := strings.TrimSpace(f.fields["name"]); name != "" {
		return name
	}
	return f.file
}

// uploadFields are the form fields of POST /api/v1/datasets beside the file.
var uploadFields = []string{"name", "delimiter", "decimal", "encoding", "header_row", "missing"}

// check reports a field that the API does not know, and a name too long.
func (f uploadForm) check() error {
	for _, name := range slices.Sorted(maps.Keys(f.fields)) {
		if !slices.Contains(uploadFields, name) {
			return usererr.BadField(name, "is not a field of an upload: file, %s are", strings.Join(uploadFields, ", "))
		}
	}
	if n := len(strings.TrimSpace(f.fields["name"])); n > datasets.MaxName {
		return usererr.BadField("name", "must hold at most %d bytes (got %d)", datasets.MaxName, n)
	}
	return nil
}

// dialect reads the optional fields of the upload.
func (f uploadForm) dialect() (table.Dialect, error) {
	d := table.Dialect{Delimiter: f.fields["delimiter"], Decimal: f.fields["decimal"], Encoding: f.fields["encoding"]}
	if d.Delimiter == `\t` || d.Delimiter == "tab" {
		d.Delimiter = "\t"
	}
	if row := f.fields["header_row"]; row != "" {
		n, err := strconv.Atoi(row)
		if err != nil || n < 0 {
			return d, usererr.BadField("header_row", "must be a line of the file, from 1, or 0 for none (got %.40q)", row)
		}
		d.HeaderRow = &n
	}
	if m, ok := f.fields["missing"]; ok {
		d.Missing = missingCodes(m)
	}
	return d, nil
}

// missingCodes reads a list of codes: JSON, or separated by commas.
func missingCodes(text string) []string {
	var codes []string
	if json.Unmarshal([]byte(text), &codes) == nil {
		return codes
	}
	for code := range strings.SplitSeq(text, ",") {
		codes = append(codes, strings.TrimSpace(code))
	}
	return codes
}
