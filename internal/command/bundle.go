package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"taper/internal/app"
	"taper/internal/engine/usererr"
)

// Bundle writes a run as one file that others can verify.
func (s *Session) Bundle(ctx context.Context, run, to string, withData bool) error {
	path := "/api/v1/runs/" + run + "/bundle.zip"
	if withData {
		path += "?data=1"
	}
	return s.save(ctx, to, path)
}

// Unverified reports that a verification found a difference. The program's exit status
// distinguishes it from a failure.
type Unverified struct{ Sentence string }

func (u *Unverified) Error() string { return u.Sentence }

// Verify recomputes the run of a bundle and compares. data is the file of the run, "" if the
// bundle contains it.
func (s *Session) Verify(ctx context.Context, bundle, data string) error {
	body, to := io.Pipe()
	form := multipart.NewWriter(to)
	files := map[string]*os.File{}
	parts := []string{"bundle"}
	if data != "" {
		parts = append(parts, "data")
	}
	for i, part := range parts {
		name := []string{bundle, data}[i]
		f, err := os.Open(name)
		if err != nil {
			return fileError(name, err)
		}
		defer f.Close()
		files[part] = f
	}
	go func() { // ends when the request closes the body
		err := error(nil)
		for _, part := range parts {
			var w io.Writer
			if err == nil {
				w, err = form.CreateFormFile(part, filepath.Base(files[part].Name()))
			}
			if err == nil {
				_, err = io.Copy(w, files[part])
			}
		}
		to.CloseWithError(errors.Join(err, form.Close()))
	}()
	defer body.Close()
	w, err := s.ask(ctx, "POST", "/api/v1/verifications", form.FormDataContentType(), body)
	if e, ok := usererr.As(err); ok && data == "" && slices.ContainsFunc(e.Fields, func(f usererr.Field) bool {
		return f.Field == "data"
	}) { // -data before the command names the folder of Taper, so that naming the flag alone would send the reader there
		return NewMisuse("The bundle does not hold the file that the run was made from. Name that file after the command: "+
			"taper verify -data FILE %s.", bundle)
	}
	if err != nil {
		return flagged(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		return err
	}
	var v app.Verification
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if err := s.print(text, func(w *tabwriter.Writer) { verificationTable(w, v) }); err != nil {
		return err
	}
	if v.Verdict == app.Differs {
		return &Unverified{v.Sentence}
	}
	return nil
}
