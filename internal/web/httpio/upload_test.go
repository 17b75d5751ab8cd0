package httpio

import (
	"bytes"
	"mime/multipart"
	"strings"
	"testing"
)

func TestFileName(t *testing.T) {
	for sent, want := range map[string]string{
		"visits.csv": "visits.csv", "../../visits.csv": "visits.csv", `C:\data\visits.csv`: "visits.csv",
		"..": "data.csv", `a\..`: "data.csv", ".": "data.csv", "/": "data.csv", "": "data.csv",
		strings.Repeat("é", 300): strings.Repeat("é", 200),
	} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		if _, err := form.CreateFormFile("file", sent); err != nil {
			t.Fatal(err)
		}
		form.Close()
		part, err := multipart.NewReader(&body, form.Boundary()).NextPart()
		if err != nil {
			t.Fatal(err)
		}
		if got := fileName(part); got != want {
			t.Errorf("%q became %q, want %q", sent, got, want)
		}
	}
}
