package reach

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// What is too long for a message goes in parts, each an answer to a request that names its number.
const partBytes = 512 << 10

// parts is how many parts a text has; at least one.
func parts(text []byte) int { return max(1, (len(text)+partBytes-1)/partBytes) }

// partOf is a part of a text.
func partOf(text []byte, number int) []byte {
	from := number * partBytes
	return text[from:min(from+partBytes, len(text))]
}

// partsHeader says in an answer how many parts there are.
const partsHeader = "Taper-Parts"

// answerPart answers a request for a part of a text; seal encrypts it first, where it is not nil.
func answerPart(m *nats.Msg, text []byte, seal func(part []byte, number int) []byte) {
	number := 0
	if len(m.Data) > 0 {
		var err error
		if number, err = strconv.Atoi(string(m.Data)); err != nil {
			return
		}
	}
	n := parts(text)
	if number < 0 || number >= n {
		return
	}
	part := partOf(text, number)
	if seal != nil {
		part = seal(part, number)
	}
	a := nats.NewMsg(m.Reply)
	a.Header.Set(partsHeader, strconv.Itoa(n))
	a.Data = part
	_ = m.RespondMsg(a) // who does not hear it asks again
}

// fetch asks for all parts of a text; open decrypts them, where it is not nil.
func fetch(ctx context.Context, nc *nats.Conn, subject string, most int,
	open func(part []byte, number int) ([]byte, error)) (text []byte, err error) {
	for number, n := 0, 1; number < n; number++ {
		asked, stop := context.WithTimeout(ctx, 10*beat)
		m, err := nc.RequestWithContext(asked, subject, strconv.AppendInt(nil, int64(number), 10))
		stop()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNoRecipe, err)
		}
		if n, err = strconv.Atoi(m.Header.Get(partsHeader)); err != nil || n < 1 || n > most/partBytes+1 {
			return nil, fmt.Errorf("%s has %q parts", subject, m.Header.Get(partsHeader))
		}
		part := m.Data
		if open != nil {
			if part, err = open(part, number); err != nil {
				return nil, err
			}
		}
		if number == 0 {
			text = make([]byte, 0, n*partBytes) // never grown: no copy is left behind
		}
		text = append(text, part...)
		clear(part)
	}
	return text, nil
}

// mostFetched bounds what a worker takes of a text.
const mostFetched = 2 << 30

// vault encrypts what belongs to a job that has rows: these, the recipe, which names columns, and the
// answers, which tell of rows. Each job has a key, and each worker gets it for its own curve key. So who
// runs the queue reads nothing of it.
type vault struct {
	aead cipher.AEAD

	mu    sync.Mutex
	key   []byte // nil: closed
	curve nkeys.KeyPair
}

func newVault() (*vault, error) {
	v := &vault{key: make([]byte, 32)}
	_, err := rand.Read(v.key)
	if err == nil {
		v.aead, err = newAEAD(v.key)
	}
	if err == nil {
		v.curve, err = nkeys.CreateCurveKeys()
	}
	if err != nil {
		return nil, fmt.Errorf("encrypt rows: %w", err)
	}
	return v, nil
}

// newAEAD is AES-256-GCM, which draws a nonce for each part.
func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// bound ties an encrypted part to its place in what it is of.
func bound(of string, number int) []byte { return fmt.Appendf(nil, "%s %d", of, number) }

// sealer encrypts the parts of a text; nil where nothing is encrypted.
func (v *vault) sealer(of string) func(part []byte, number int) []byte {
	if v == nil {
		return nil
	}
	return func(part []byte, number int) []byte { return v.aead.Seal(nil, nil, part, bound(of, number)) }
}

// close forgets the key.
func (v *vault) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.key)
	v.key = nil
	v.curve.Wipe()
}

// asksKey is a worker that wants to read rows, and sealedKey what it gets.
type asksKey struct {
	Machine string `json:"machine"`
	Curve   string `json:"curve"` // public
}

type sealedKey struct {
	Curve string `json:"curve"` // public, of the sender
	Key   []byte `json:"key"`   // only the worker's curve key opens it
}

// give answers a request for the key, and names the machine that has it now.
func (v *vault) give(m *nats.Msg) (machine string, err error) {
	var a asksKey
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return "", err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.key == nil {
		return "", errors.New("the job has ended")
	}
	sealed, err := v.curve.Seal(v.key, a.Curve)
	if err != nil {
		return "", err
	}
	public, err := v.curve.PublicKey()
	if err != nil {
		return "", err
	}
	return a.Machine, m.Respond(encode(sealedKey{public, sealed}))
}

// key asks for the key of a job.
func (w *Worker) key(ctx context.Context, id string) (cipher.AEAD, error) {
	curve, err := nkeys.CreateCurveKeys()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	defer curve.Wipe()
	public, err := curve.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	asked, stop := context.WithTimeout(ctx, 10*beat)
	defer stop()
	m, err := w.nc.RequestWithContext(asked, keyOf(id), encode(asksKey{w.Maker.Machine, public}))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoRecipe, err)
	}
	var sealed sealedKey
	if err := json.Unmarshal(m.Data, &sealed); err != nil {
		return nil, fmt.Errorf("read the key of the job: %w", err)
	}
	key, err := curve.Open(sealed.Key, sealed.Curve)
	if err != nil {
		return nil, fmt.Errorf("open the key of the job: %w", err)
	}
	defer clear(key)
	aead, err := newAEAD(key)
	if err != nil {
		return nil, fmt.Errorf("use the key of the job: %w", err)
	}
	return aead, nil
}

// opener decrypts the parts of a text; nil where nothing is encrypted. A key that does not fit is one of
// before the program of the job was started again.
func opener(aead cipher.AEAD, of string) func(part []byte, number int) ([]byte, error) {
	if aead == nil {
		return nil
	}
	return func(part []byte, number int) ([]byte, error) {
		text, err := aead.Open(nil, nil, part, bound(of, number))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNoRecipe, err)
		}
		return text, nil
	}
}

// rows fetches the rows of a job and decrypts them.
func (w *Worker) rows(ctx context.Context, id string, aead cipher.AEAD, want string) ([]byte, error) {
	text, err := fetch(ctx, w.nc, rowsOf(id), mostFetched, opener(aead, want))
	if err != nil {
		return nil, err
	}
	if digest(text) != want {
		clear(text)
		return nil, errors.New("the rows are not those of the recipe")
	}
	return text, nil
}

// What else is encrypted is bound to these names.
const (
	recipeText = "recipe"
	answerText = "answer"
)
