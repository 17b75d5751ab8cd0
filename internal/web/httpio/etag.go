package httpio

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// Tagger gives an ETag to answers that follow from their address, what a page shows of
// the visitor, and a revision. All of that is known before the work, so an answer that a
// browser has already costs none of it (RFC 9110, 13.1.2). The tags are weak: the same
// answer may come compressed.
type Tagger struct {
	Start   string                    // of the program: another one has other tags
	Visitor func(echo.Context) string // what pages show of cookies; nil: nothing
	Answers *Answers                  // those that were given; nil: each is made when asked for
}

// Revision is what an answer depends on besides its address and the visitor; false where
// it is none to keep: it shows how far something is.
type Revision func(echo.Context) (revision string, ok bool)

// Constant is the revision of what depends on nothing else.
func Constant(echo.Context) (string, bool) { return "", true }

// OfPatients marks answers that show single patients: their rows, a mark for each in a chart, or a model
// that is a sum over them. No browser writes these to its disk, which outlives a session and a
// deletion; the tag still spares the work for a script that asks again.
func OfPatients(of Revision) Revision {
	return func(c echo.Context) (string, bool) {
		c.Set(ofPatients, true)
		return of(c)
	}
}

// By tags the answers of a GET or HEAD by a revision. Who has the answer may keep it, unless it
// shows single patients, and has to ask each time whether it still holds; what is not tagged is not
// to be kept.
func (t Tagger) By(revision Revision) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if m := c.Request().Method; m != http.MethodGet && m != http.MethodHead {
				return next(c)
			}
			now, ok := revision(c)
			// An answer with a cookie is that visitor's alone, this time.
			if h := c.Response().Header(); !ok || h.Get(echo.HeaderSetCookie) != "" {
				return next(c)
			}
			tag := t.tag(c, now)
			if has(c.Request(), tag) {
				keep(c, tag)
				return c.NoContent(http.StatusNotModified)
			}
			if a, ok := t.Answers.get(tag); ok {
				return a.send(c, tag)
			}
			c.Response().Before(func() {
				if c.Response().Status == http.StatusOK && c.Get(passing) == nil {
					keep(c, tag)
				}
			})
			return t.Answers.record(c, tag, next)
		}
	}
}

// The keys of the marks of Passing and OfPatients.
const (
	passing    = "passing"
	ofPatients = "of patients"
)

// Passing says of an answer that it will be another one though nothing it is tagged by
// changes: no browser is to keep it.
func Passing(c echo.Context) { c.Set(passing, true) }

// Forgetting asks the browser to drop what it kept, and drops the answers that are kept here, once
// somebody has signed out or data have gone.
func (t Tagger) Forgetting(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set("Clear-Site-Data", `"cache"`)
		defer t.Answers.drop()
		return next(c)
	}
}

// keep says of an answer which it is, and who may keep it.
func keep(c echo.Context, tag string) {
	h := c.Response().Header()
	h.Set("ETag", tag)
	h.Set(echo.HeaderCacheControl, "private, no-cache")
	if c.Get(ofPatients) != nil {
		h.Set(echo.HeaderCacheControl, "no-store")
	}
	h.Add(echo.HeaderVary, echo.HeaderAccept)
	h.Add(echo.HeaderVary, echo.HeaderCookie)
}

// tag hashes all that an answer depends on. Accept and Host choose between HTML and JSON,
// and the addresses that a page shows.
func (t Tagger) tag(c echo.Context, revision string) string {
	r, visitor := c.Request(), ""
	if t.Visitor != nil {
		visitor = t.Visitor(c)
	}
	sum := sha256.New()
	for _, part := range []string{t.Start, revision, visitor, r.Host, r.URL.RequestURI(),
		r.Header.Get(echo.HeaderAccept)} {
		sum.Write([]byte(strconv.Quote(part)))
	}
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:15]) + `"`
}

// has reports whether a request says that it has an answer. net/http reads If-None-Match
// where it serves files, and nowhere else; so it is asked for an empty one. Whether "*", any
// answer, is there is known only after the work: it gets the answer.
func has(r *http.Request, tag string) bool {
	tags := r.Header.Values("If-None-Match")
	if len(tags) == 0 || tags[0] == "*" {
		return false
	}
	w := verdict{header: http.Header{"Etag": {tag}, "Content-Type": {"text/plain"}}}
	file := &http.Request{Method: r.Method, Header: http.Header{"If-None-Match": {strings.Join(tags, ",")}}}
	http.ServeContent(&w, file, "", time.Time{}, strings.NewReader(""))
	return w.status == http.StatusNotModified
}

// verdict keeps the status of an answer and nothing else.
type verdict struct {
	header http.Header
	status int
}

func (v *verdict) Header() http.Header         { return v.header }
func (v *verdict) WriteHeader(status int)      { v.status = status }
func (v *verdict) Write(p []byte) (int, error) { return len(p), nil }
