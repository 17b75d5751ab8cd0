package httpio

import (
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"taper/internal/cache"
	"taper/internal/engine/cost"
)

// Answers caches answers by their ETag: the same ETag means the same answer. A page is then rendered once for all
// visitors, for example for a class that opens what the lecturer shows. Answers are stored as the handler wrote
// them, before addresses are rewritten and bytes compressed.
type Answers struct {
	mu   sync.Mutex
	kept *cache.Cache[answer]
}

type answer struct {
	kind, disposition string
	policy            string // what the page may load: a handler may set one of its own
	body              []byte
}

const headerPolicy = "Content-Security-Policy"

// mostAnswers and longestAnswer limit the cache, in addition to its size in bytes.
const (
	mostAnswers   = 1000
	longestAnswer = 1 << 20
)

// NewAnswers makes a cache of at most this many bytes, which is dropped when others need the memory; nil, which
// stores nothing, for 0.
func NewAnswers(bytes int, memory cost.Memory) *Answers {
	if bytes <= 0 {
		return nil
	}
	k := &Answers{kept: cache.NewSized[answer](bytes, mostAnswers).Within(memory.Caches)}
	memory.GiveWay(k.drop)
	return k
}

func (k *Answers) get(tag string) (answer, bool) {
	if k == nil {
		return answer{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept.Get(tag)
}

func (k *Answers) drop() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept.Drop("")
}

func (a answer) send(c echo.Context, tag string) error {
	keep(c, tag)
	if a.policy != "" {
		c.Response().Header().Set(headerPolicy, a.policy)
	}
	if a.disposition != "" {
		c.Response().Header().Set(echo.HeaderContentDisposition, a.disposition)
	}
	return c.Blob(http.StatusOK, a.kind, a.body)
}

// record runs the handler and stores its answer if this has the tag and is complete.
func (k *Answers) record(c echo.Context, tag string, next echo.HandlerFunc) error {
	if k == nil {
		return next(c)
	}
	res := c.Response()
	plain := res.Writer
	w := &recorder{ResponseWriter: plain}
	res.Writer = w
	defer func() { res.Writer = plain }()
	if err := next(c); err != nil {
		return err
	}
	h := res.Header()
	if res.Status != http.StatusOK || h.Get("ETag") != tag || w.failed || len(w.body) > longestAnswer {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept.Put(tag, answer{h.Get(echo.HeaderContentType), h.Get(echo.HeaderContentDisposition), h.Get(headerPolicy),
		w.body}, cap(w.body))
	return nil
}

// recorder copies an answer while it is written, up to one byte more than is stored.
type recorder struct {
	http.ResponseWriter
	body   []byte
	failed bool
}

func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) Write(p []byte) (int, error) {
	if room := longestAnswer + 1 - len(w.body); room > 0 {
		w.body = append(w.body, p[:min(room, len(p))]...)
	}
	n, err := w.ResponseWriter.Write(p)
	w.failed = w.failed || err != nil
	return n, err
}
