package main

import (
	"bufio"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/argon2"

	"taper/internal/engine/errs"
)

// hash is an argon2id hash in the PHC string format,
// $argon2id$v=19$m=65536,t=3,p=2$<salt>$<key>, base64 without padding.
type hash struct {
	memory, time uint32
	threads      uint8
	salt, key    []byte
}

// The cost of a new hash: RFC 9106's second choice, 64 MiB and three passes.
const (
	hashMemory  = 64 << 10 // KiB
	hashTime    = 3
	hashThreads = 4
	minPassword = 12
)

// parseHash reads a PHC string and refuses costs that would be no protection
// or would stop the machine.
func parseHash(text string) (hash, error) {
	bad := errs.New(errs.Invalid, "TAPER_PASSWORD_HASH is not an argon2id hash like $argon2id$v=19$m=65536,t=3,p=4$…$…. The command taper password makes one.")
	part := strings.Split(text, "$")
	if len(part) != 6 || part[0] != "" || part[1] != "argon2id" || part[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return hash{}, bad
	}
	var h hash
	if n, err := fmt.Sscanf(part[3], "m=%d,t=%d,p=%d", &h.memory, &h.time, &h.threads); n != 3 || err != nil {
		return hash{}, bad
	}
	var err1, err2 error
	h.salt, err1 = base64.RawStdEncoding.DecodeString(part[4])
	h.key, err2 = base64.RawStdEncoding.DecodeString(part[5])
	switch {
	case err1 != nil || err2 != nil || len(h.salt) < 8 || len(h.key) < 16 || len(h.key) > 1024:
		return hash{}, bad
	case h.time < 1 || h.time > 64 || h.threads < 1 || h.memory < 8<<10 || h.memory > 4<<20:
		return hash{}, errs.New(errs.Invalid, "The costs in TAPER_PASSWORD_HASH are out of range: memory 8 MiB to 4 GiB, 1 to 64 passes, 1 thread or more.")
	case h.String() != text: // other numerals for the same costs
		return hash{}, bad
	}
	return h, nil
}

// matches reports whether the password has this hash, in constant time.
func (h hash) matches(password string) bool {
	key := argon2.IDKey([]byte(password), h.salt, h.time, h.memory, h.threads, uint32(len(h.key)))
	return subtle.ConstantTimeCompare(key, h.key) == 1
}

func (h hash) String() string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.time, h.threads, b64(h.salt), b64(h.key))
}

// makePassword reads a password from a line of r and writes its hash.
func makePassword(r io.Reader, w io.Writer) error {
	line, err := bufio.NewReader(r).ReadString('\n')
	password := strings.TrimRight(line, "\r\n")
	if err != nil && err != io.EOF {
		return fmt.Errorf("read password: %w", err)
	}
	if len(password) < minPassword {
		return errs.New(errs.Invalid, "A password needs %d characters or more.", minPassword)
	}
	h := hash{memory: hashMemory, time: hashTime, threads: hashThreads, salt: make([]byte, 16)}
	rand.Read(h.salt)
	h.key = argon2.IDKey([]byte(password), h.salt, h.time, h.memory, h.threads, 32)
	_, err = fmt.Fprintln(w, h)
	return err
}
