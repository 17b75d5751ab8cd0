package table

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// heapRoom is a Room on the heap, which fails after so many columns; 0 = never.
type heapRoom struct{ most, asked atomic.Int64 }

var errRoom = errors.New("no room")

func (r *heapRoom) full() bool { return r.asked.Add(1) > r.most.Load() && r.most.Load() > 0 }

func (r *heapRoom) Floats(n int) ([]float64, error) {
	if r.full() {
		return nil, errRoom
	}
	return make([]float64, n), nil
}

func (r *heapRoom) Codes(n int) ([]int32, error) {
	if r.full() {
		return nil, errRoom
	}
	return make([]int32, n), nil
}

// TestReadInto: a table in a room is that of the heap, of every file that the tests keep; a room that is full ends the
// reading with its error.
func TestReadInto(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/*/*.csv")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of samples: %v", len(files), err)
	}
	texts := [][]byte{}
	for _, s := range seeds {
		texts = append(texts, []byte(s))
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, b)
	}
	for _, b := range texts {
		for _, copies := range []string{"", CopiesFirst} {
			opt := Options{Dialect: Dialect{Copies: copies}}
			want, wantErr := Read(t.Context(), b, opt, Limits{})
			room := new(heapRoom)
			lim := Limits{memory: &memory{room: room}}
			for _, size := range []int{64, 1 << 12, 1 << 30} {
				got, err := read(context.Background(), b, opt, lim, size)
				if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" || !same(err, wantErr) {
					t.Fatalf("%.60q in a room: %v, on the heap %v: %s", b, err, wantErr, d)
				}
			}
			got, err := ReadInto(t.Context(), b, opt, Limits{}, new(heapRoom))
			if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" || !same(err, wantErr) {
				t.Fatalf("%.60q in a room: %v, on the heap %v: %s", b, err, wantErr, d)
			}
			if want == nil || room.asked.Load() == 0 {
				continue
			}
			full := new(heapRoom)
			full.most.Store(1 + room.asked.Load()/6)
			if _, err := ReadInto(t.Context(), b, opt, Limits{}, full); full.asked.Load() > full.most.Load() &&
				!errors.Is(err, errRoom) {
				t.Fatalf("%.60q in a room that is full: %v", b, err)
			}
		}
	}
}

func same(a, b error) bool { return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error()) }
