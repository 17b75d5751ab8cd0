package form

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// Stamp is short for what a part of a page shows. A page sends the stamps of
// what it has, so that an answer brings only what differs.
func Stamp(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// Stamps reads those of a page by the ids of its parts: "id:stamp,id:stamp".
func Stamps(text string) map[string]string {
	had := map[string]string{}
	for _, pair := range strings.Split(text, ",") {
		if id, mark, ok := strings.Cut(pair, ":"); ok {
			had[id] = mark
		}
	}
	return had
}
