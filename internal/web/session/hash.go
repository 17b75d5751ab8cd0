// Package session compares passwords with their hash, and limits the number of attempts.
package session

import (
	"fmt"
	"regexp"

	"github.com/alexedwards/argon2id"

	"taper/internal/engine/usererr"
)

// Hash is an argon2id hash in the PHC string format,
// $argon2id$v=19$m=65536,t=3,p=2$<salt>$<key>, base64 without padding.
type Hash string

// hashForm is the only accepted notation of a hash. The library accepts others too: with leading zeros, line
// breaks, or text before the first and after the last cost.
var hashForm = regexp.MustCompile(
	`^\$argon2id\$v=19\$m=(0|[1-9]\d*),t=(0|[1-9]\d*),p=(0|[1-9]\d*)(\$[A-Za-z0-9+/]+){2}$`)

// hashCost is the cost of new hashes: the second recommendation of RFC 9106, 64 MiB and three passes.
var hashCost = argon2id.Params{Memory: 64 << 10, Iterations: 3, Parallelism: 4, SaltLength: 16, KeyLength: 32}

const minPassword = 12

// ParseHash reads a PHC string. It refuses costs that give no protection or that would exhaust the machine; the
// library panics on zero passes or threads.
func ParseHash(text string) (Hash, error) {
	bad := usererr.New(usererr.Invalid, "TAPER_PASSWORD_HASH is not an argon2id hash like "+
		"$argon2id$v=19$m=65536,t=3,p=4$…$…. The command taper password makes one.")
	if !hashForm.MatchString(text) {
		return "", bad
	}
	cost, salt, key, err := argon2id.DecodeHash(text)
	switch {
	case err != nil || len(salt) < 8 || len(key) < 16 || len(key) > 1024:
		return "", bad
	case cost.Iterations < 1 || cost.Iterations > 64 || cost.Parallelism < 1 || cost.Memory < 8<<10 || cost.Memory > 4<<20:
		return "", usererr.New(usererr.Invalid,
			"The costs in TAPER_PASSWORD_HASH are out of range: memory 8 MiB to 4 GiB, 1 to "+
				"64 passes, 1 thread or more.")
	}
	return Hash(text), nil
}

// Matches reports whether the password has this hash, in constant time. Hashes from ParseHash cannot fail.
func (h Hash) Matches(password string) bool {
	same, err := argon2id.ComparePasswordAndHash(password, string(h))
	return same && err == nil
}

// NewHash returns the hash of a password with a random salt.
func NewHash(password string) (string, error) {
	if len(password) < minPassword {
		return "", usererr.New(usererr.Invalid, "A password needs %d characters or more.", minPassword)
	}
	h, err := argon2id.CreateHash(password, &hashCost)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return h, nil
}
