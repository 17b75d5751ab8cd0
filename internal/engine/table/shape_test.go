package table

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"taper/internal/engine/cost"
	"taper/internal/engine/usererr"
)

// TestReadAgain: what reading a file again is said to take is no less than what reading it held, and for a file of
// long lines no more than so many times its size.
func TestReadAgain(t *testing.T) {
	var short, long strings.Builder
	short.WriteString("a,b,day\n")
	long.WriteString("a,note\n")
	for i := range 40_000 {
		fmt.Fprintf(&short, "%c%x,%x%c,%d.%d.%d\n", 'g'+i%3, i, i, 'g'+i%5, 1+i%28, 1+i/28%12, 1900+i/336)
		fmt.Fprintf(&long, "%d,%s\n", i, strings.Repeat("word ", 20))
	}
	rows := make([][]any, 3000)
	for i := range rows {
		rows[i] = []any{fmt.Sprintf("v%d", i), i}
	}
	for name, data := range map[string][]byte{"short texts": []byte(short.String()), "long lines": []byte(long.String()),
		"workbook": workbook(t, func(*excelize.File) {}, append([][]any{{"a", "b"}}, rows...)...)} {
		memory := cost.NewMemory(1 << 40)
		ctx, end := cost.WithScope(t.Context(), memory.Requests)
		read, err := Read(ctx, data, Options{}, DefaultLimits)
		if err != nil {
			t.Fatal(name, err)
		}
		held, size := memory.Requests.Held(), int64(len(data))
		end()
		switch again, err := WorkbookAgain(bytes.NewReader(data), size, read.Rows, Profiles(read)); {
		case name != "workbook":
			held += ReadMemory(size) // which whoever loads the bytes holds
			again = ReadAgain(size, read.Rows, Profiles(read))
			if again < held || name == "long lines" && again != ReadMemory(size) || err == nil {
				t.Errorf("%s: %d bytes are held, %d are said for another reading; read as a workbook: %v", name, held, again, err)
			}
			if name == "short texts" && held == ReadMemory(size) {
				t.Error("the texts are too few to count")
			}
		case err != nil || held == 0 || again < held:
			t.Errorf("%s: %d bytes are held, %d are said for another reading, %v", name, held, again, err)
		}
	}
}

// TestWorkbookTooCostly: a workbook that the memory cannot take is refused with the way that takes less.
func TestWorkbookTooCostly(t *testing.T) {
	rows := make([][]any, 3000)
	for i := range rows {
		rows[i] = []any{i, i % 7}
	}
	data := workbook(t, func(*excelize.File) {}, append([][]any{{"a", "b"}}, rows...)...)
	ctx, end := cost.WithScope(t.Context(), cost.NewMemory(1<<20).Requests)
	defer end()
	_, err := Read(ctx, data, Options{}, DefaultLimits)
	if !usererr.IsCostly(err) || !strings.HasSuffix(err.Error(), "(-memory), or save the sheet as CSV UTF-8.") {
		t.Errorf("%v", err)
	}
}
