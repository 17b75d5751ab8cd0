package httpio

import (
	"mime"

	"github.com/labstack/echo/v4"
)

// Attach makes the answer a download.
func Attach(c echo.Context, kind, name string) {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, kind)
	h.Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}

// FileAnswer makes the answer a download when its first byte is written, so that earlier errors are answered as
// errors.
type FileAnswer struct {
	C          echo.Context
	Kind, Name string
	begun      bool
}

func (a *FileAnswer) Write(p []byte) (int, error) {
	if !a.begun {
		Attach(a.C, a.Kind, a.Name)
		a.begun = true
	}
	return a.C.Response().Write(p)
}
