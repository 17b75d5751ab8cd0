package table

import (
	"math/rand/v2"
	"testing"
)

// TestCount compares the count of lines, eight characters at a time, with one by single characters.
func TestCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 20000 {
		text := make([]byte, rng.IntN(40))
		for i := range text {
			text[i] = "\"\n,a\x8a\xa2\x0b\x21"[rng.IntN(8)] // with bytes that differ from a quote and a line end by one bit
		}
		from := rng.IntN(len(text) + 1)
		for _, quotes := range []bool{true, false} {
			want, quoted := 0, false
			for _, c := range text[from:] {
				quoted = quoted != (c == '"' && quotes)
				want += btoi(c == '\n' && !quoted)
			}
			if n := len(text); n > from && (quoted || text[n-1] != '\n') {
				want++
			}
			l := &layout{g: grammar{',', '\n', quotes}, source: &source{text: text}}
			if got := l.count(place{from, len(text)}); got != want {
				t.Fatalf("%q from %d, quotes %t: %d lines, want %d", text, from, quotes, got, want)
			}
		}
	}
}
