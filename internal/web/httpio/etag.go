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

// Tagger gives an ETag to answers that are determined by their address, by what a page shows of its visitor, and by
// a revision. These are known before the work, so a request for an answer that the browser already has costs
// nothing (RFC 9110, 13.1.2). The tags are weak, since the same answer may be compressed or not.
type Tagger struct {
	Start   string                    // time of the program's start, which makes its tags unique
	Visitor func(echo.Context) string // what pages show of cookies; nil: nothing
	Answers *Answers                  // cache of answers; nil: none
}

// Revision identifies what an answer depends on besides its address and visitor. ok is false for answers that must
// not be stored, such as those that show progress.
type Revision func(echo.Context) (revision string, ok bool)

// Constant is the revision of answers that depend on nothing else.
func Constant(echo.Context) (string, bool) { return "", true }

// OfPatients marks answers that show single patients: rows, points of a chart, or a model that is a sum over rows.
// Browsers must not write them to disk, where they would survive a sign-out and a deletion. The tag still saves the
// work when a script asks again.
func OfPatients(of Revision) Revision {
	return func(c echo.Context) (string, bool) {
		c.Set(ofPatients, true)
		return of(c)
	}
}

// By tags the answers to GET or HEAD with a revision. Clients may store them, except for those that show single
// patients, but must revalidate each time. Answers without a tag must not be stored.
func (t Tagger) By(revision Revision) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if m := c.Request().Method; m != http.MethodGet && m != http.MethodHead {
				return next(c)
			}
			now, ok := revision(c)
			// An answer that sets a cookie is for this visitor only.
			if h := c.Response().Header(); !ok || h.Get(echo.HeaderSetCookie) != "" {
				return next(c)
			}
			tag := t.tag(c, now)
			if has(c.Request(), tag) {
				keep(c, tag)
				c.Response().Header().Del(headerPolicy) // the browser would put it in the place of the page's own
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

// The context keys set by Passing and OfPatients.
const (
	passing    = "passing"
	ofPatients = "of patients"
)

// Passing marks an answer that can change although nothing in its tag changes, so that no browser stores it.
func Passing(c echo.Context) { c.Set(passing, true) }

// Forgetting asks the browser to clear its cache, and clears ours, after a sign-out or a deletion of data.
func (t Tagger) Forgetting(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set("Clear-Site-Data", `"cache"`)
		defer t.Answers.drop()
		return next(c)
	}
}

// keep sets the tag of an answer and who may store it.
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

// tag hashes all that an answer depends on. Accept and Host are part of it: they choose between HTML and JSON, and
// the addresses shown.
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

// has reports whether the client already has an answer. Only the file server of net/http interprets If-None-Match,
// so we let it serve an empty file. "*" matches any answer, which is not known to exist before the work, so such a
// request is answered in full.
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

// verdict records only the status of an answer.
type verdict struct {
	header http.Header
	status int
}

func (v *verdict) Header() http.Header         { return v.header }
func (v *verdict) WriteHeader(status int)      { v.status = status }
func (v *verdict) Write(p []byte) (int, error) { return len(p), nil }
