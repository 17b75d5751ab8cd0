package httpio

import (
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"taper/internal/cache"
	"taper/internal/engine/cost"
)

// Answers are those given last, by their ETag. What has the same ETag is the same answer,
// so a page that one visitor has seen costs nothing for the next, as where a class opens
// what the lecturer shows. They are kept as the handler wrote them, before addresses are
// moved and bytes are compressed.
type Answers struct {
	mu   sync.Mutex
	kept *cache.Cache[answer]
}

type answer struct {
	kind, disposition string
	body              []byte
}

// mostAnswers and longestAnswer bound what is kept besides its bytes.
const (
	mostAnswers   = 1000
	longestAnswer = 1 << 20
)

// NewAnswers keeps answers of so many bytes together, as long as nobody needs the memory; nil, which
// keeps none, for 0.
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
	if a.disposition != "" {
		c.Response().Header().Set(echo.HeaderContentDisposition, a.disposition)
	}
	return c.Blob(http.StatusOK, a.kind, a.body)
}

// record makes an answer and keeps it if it has its tag and is whole.
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
	k.kept.Put(tag, answer{h.Get(echo.HeaderContentType), h.Get(echo.HeaderContentDisposition), w.body}, cap(w.body))
	return nil
}

// recorder copies an answer on its way, up to one byte more than is kept.
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
