package web

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"taper/internal/web/httpio"
)

// TestCutOff: an answer that fails after its first byte is no complete download, on a connection and in a command,
// and its cause is logged.
func TestCutOff(t *testing.T) {
	s, log := testServer(t, Config{})
	s.echo.Any("/api/v1/broken", func(c echo.Context) error {
		file := &httpio.FileAnswer{C: c, Kind: "application/zip", Name: "a.zip"}
		if _, err := io.WriteString(file, "the first part"); err != nil {
			return err
		}
		return errors.New("the disk broke")
	})
	server := httptest.NewServer(s)
	defer server.Close()
	for name, program := range map[string]http.RoundTripper{"connection": http.DefaultTransport, "command": &Local{s: s}} {
		for _, method := range []string{"GET", "HEAD"} {
			r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/v1/broken", nil)
			if err != nil {
				t.Fatal(err)
			}
			w, err := program.RoundTrip(r)
			var text []byte
			if err == nil {
				text, err = io.ReadAll(w.Body)
				w.Body.Close()
			}
			if failed := err != nil; failed != (method == "GET") {
				t.Errorf("%s, %s: %q %v", name, method, text, err)
			}
			if name == "command" && method == "GET" && (err == nil || !strings.Contains(err.Error(), "ended too early")) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if said := log.String(); strings.Count(said, "answer cut off") != 2 || !strings.Contains(said, "the disk broke") ||
		strings.Count(said, "msg=request") != 4 {
		t.Error(said)
	}
}
