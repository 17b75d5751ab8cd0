package table

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// toUTF8 decodes data; the result shares its memory when nothing changes. Bytes that cannot be decoded become
// U+FFFD.
func toUTF8(data []byte, encoding string) []byte {
	switch encoding {
	case "utf-16le":
		return fromUTF16(data, 0)
	case "utf-16be":
		return fromUTF16(data, 1)
	case "windows-1252":
		return fromCharmap(data, charmap.Windows1252)
	case "iso-8859-1":
		return fromCharmap(data, charmap.ISO8859_1)
	}
	if utf8.Valid(data) {
		return data
	}
	return bytes.ToValidUTF8(data, []byte("\ufffd"))
}

// fromUTF16 decodes UTF-16; big is 1 for big-endian text.
func fromUTF16(data []byte, big int) []byte {
	unit := func(i int) rune { return rune(data[i+1-big])<<8 | rune(data[i+big]) }
	size := 0
	each16(len(data)/2*2, unit, func(r rune) { size += utf8.RuneLen(r) })
	out := make([]byte, 0, size)
	each16(len(data)/2*2, unit, func(r rune) { out = utf8.AppendRune(out, r) })
	return out
}

// each16 calls f with the runes of n bytes of UTF-16.
func each16(n int, unit func(int) rune, f func(rune)) {
	for i := 0; i < n; i += 2 {
		r := unit(i)
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if i+2 < n {
				pair = utf16.DecodeRune(r, unit(i+2))
			}
			if r = pair; pair != utf8.RuneError {
				i += 2
			}
		}
		f(r)
	}
}

// fromCharmap decodes a one-byte encoding whose lower half is ASCII.
func fromCharmap(data []byte, m *charmap.Charmap) []byte {
	size := 0
	for _, c := range data {
		size++
		if c >= utf8.RuneSelf {
			size += utf8.RuneLen(m.DecodeByte(c)) - 1
		}
	}
	if size == len(data) {
		return data
	}
	out := make([]byte, 0, size)
	for _, c := range data {
		if c < utf8.RuneSelf {
			out = append(out, c)
		} else {
			out = utf8.AppendRune(out, m.DecodeByte(c))
		}
	}
	return out
}

// fromUTF8 appends text in the named encoding to dst; characters that the encoding lacks become question marks.
func fromUTF8(dst, text []byte, encoding string) []byte {
	switch encoding {
	case "utf-16le", "utf-16be":
		for _, r := range string(text) {
			for _, u := range utf16.AppendRune(nil, r) {
				if encoding == "utf-16le" {
					dst = append(dst, byte(u), byte(u>>8))
				} else {
					dst = append(dst, byte(u>>8), byte(u))
				}
			}
		}
		return dst
	case "windows-1252":
		return toCharmap(dst, text, charmap.Windows1252)
	case "iso-8859-1":
		return toCharmap(dst, text, charmap.ISO8859_1)
	}
	return append(dst, text...)
}

func toCharmap(dst, text []byte, m *charmap.Charmap) []byte {
	for _, r := range string(text) {
		c, ok := m.EncodeRune(r)
		if !ok {
			c = '?'
		}
		dst = append(dst, c)
	}
	return dst
}
