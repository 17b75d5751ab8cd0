// Package migrations holds the database schema as numbered SQL files.
//
// A file NNNN_name.sql leads from schema NNNN−1 to schema NNNN and is never
// changed once released. PRAGMA user_version keeps the number. There are no
// down migrations: the way back is a backup.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed *.sql
var files embed.FS

// Migration is one step of the schema.
type Migration struct {
	Version int    // 1, 2, …, without gaps
	Name    string // file name
	SQL     string
}

// List returns every migration in order.
func List() ([]Migration, error) { return list(files) }

func list(fsys fs.FS) ([]Migration, error) {
	names, err := fs.Glob(fsys, "*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var out []Migration
	for i, name := range names {
		number, _, _ := strings.Cut(name, "_")
		v, err := strconv.Atoi(number)
		if err != nil || v != i+1 {
			return nil, fmt.Errorf("migration %s: expected number %04d", name, i+1)
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		out = append(out, Migration{v, name, string(text)})
	}
	return out, nil
}
