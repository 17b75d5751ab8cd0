package httpio

import (
	"io"
	"mime"
	"mime/multipart"
	"path/filepath"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app/datasets"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// FileForm are the form fields sent with the file.
type FileForm struct {
	File   string
	Fields map[string]string
}

// Receive streams the multipart part "file" into the data folder. Other parts are short fields, in any order. The
// caller must abort the upload unless it is used.
func Receive(c echo.Context, data *datasets.Service) (up *store.Upload, form FileForm, err error) {
	form.Fields = map[string]string{}
	defer func() {
		if err != nil && up != nil {
			up.Abort()
		}
	}()
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return nil, form, errNoForm()
	}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return up, form, BrokenUpload(err)
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
			form.File = fileName(part)
			if up, err = data.Upload(part); err != nil {
				return nil, form, BrokenUpload(err)
			}
		}
	}
	if up == nil {
		return nil, form, usererr.BadField("file", "is missing: choose a CSV or Excel file")
	}
	return up, form, nil
}

// ReceiveFiles streams the multipart parts with these names into the data folder. Empty parts, which forms send
// where no file was chosen, are ignored. The first name is required. The caller must abort the uploads.
func ReceiveFiles(c echo.Context, data *datasets.Service, names ...string) (all map[string]*store.Upload, err error) {
	all = map[string]*store.Upload{}
	defer func() {
		if err != nil {
			AbortFiles(all)
		}
	}()
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return all, usererr.New(usererr.Invalid,
			"The request must be multipart/form-data with a file in each of the parts %s.", strings.Join(names, ", "))
	}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return all, BrokenUpload(err)
		}
		name := part.FormName()
		if !slices.Contains(names, name) || all[name] != nil {
			return all, usererr.BadField(name, "is not a part of this request, or is there twice: %s are its parts",
				strings.Join(names, ", "))
		}
		up, err := data.Upload(part)
		if err != nil {
			return all, BrokenUpload(err)
		}
		if all[name] = up; up.Size() == 0 {
			if err := up.Abort(); err != nil {
				return all, err
			}
			delete(all, name)
		}
	}
	if all[names[0]] == nil {
		return all, usererr.BadField(names[0], "is missing: choose a file")
	}
	return all, nil
}

// AbortFiles deletes the uploads of ReceiveFiles that were not used.
func AbortFiles(all map[string]*store.Upload) {
	for _, up := range all {
		up.Abort()
	}
}

// File is the multipart part "file" as a stream; missing is the error message without one.
func File(c echo.Context, missing string) (io.Reader, error) {
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return nil, errNoForm()
	}
	for {
		part, err := parts.NextPart()
		switch {
		case err == io.EOF:
			return nil, usererr.BadField("file", "is missing: %s", missing)
		case err != nil:
			return nil, BrokenUpload(err)
		case part.FormName() == "file":
			return part, nil
		}
	}
}

func errNoForm() error {
	return usererr.New(usererr.Invalid, `The request must be multipart/form-data with the file in the part ‘file’.`)
}

func BrokenUpload(err error) error {
	if _, ok := usererr.As(err); ok {
		return err
	}
	return &usererr.Error{Code: usererr.Invalid, Detail: "The upload broke off, or its form is damaged. " +
		"Send it again.", Cause: err}
}

// maxField is the largest size of a form field sent with the file, in bytes.
const maxField = 64 << 10

func (f *FileForm) take(part *multipart.Part) error {
	b, err := io.ReadAll(io.LimitReader(part, maxField+1))
	if err != nil {
		return BrokenUpload(err)
	}
	if len(b) > maxField || len(f.Fields) > 50 {
		return usererr.New(usererr.TooLarge, "The form fields beside the file are too large.")
	}
	f.Fields[part.FormName()] = string(b)
	return nil
}

// fileName is the base name of the client's file name, in Unix or Windows notation.
func fileName(part *multipart.Part) string {
	_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	name := strings.ReplaceAll(params["filename"], `\`, "/")
	name = strings.TrimSpace(filepath.Base(strings.ToValidUTF8(name, "")))
	if name == "." || name == ".." || name == "/" || name == "" {
		return "data.csv"
	}
	if r := []rune(name); len(r) > 200 {
		name = string(r[:200])
	}
	return name
}

func (f FileForm) Title() string {
	if name := strings.TrimSpace(f.Fields["name"]); name != "" {
		return name
	}
	return f.File
}
