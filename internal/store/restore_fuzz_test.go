package store

import (
	"archive/tar"
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzManifest: for any manifest, all files taken from a backup are inside the restored folder.
func FuzzManifest(f *testing.F) {
	for _, text := range []string{``, `{}`, `{"format":"taper-backup/1","schema":1,"files":[{"name":"taper.db"}]}`,
		`{"format":"taper-backup/1","schema":1,"files":[{"name":"taper.db"},{"name":"raw/d1.raw","bytes":3},{"name":"raw/../x.raw"}]}`,
		`{"format":"taper-backup/2"}`, `{"format":"taper-backup/1","schema":-1,"files":null}`} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		w.WriteHeader(tarHeader(manifestName, int64(len(text))))
		w.Write([]byte(text))
		w.Close()
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := readManifest(tar.NewReader(bytes.NewReader(b)))
		if err != nil {
			return
		}
		for _, file := range m.Files {
			at := filepath.Join("/folder", filepath.FromSlash(file.Name))
			if !filepath.IsLocal(file.Name) || at != "/folder/"+dbName && filepath.Dir(at) != "/folder/"+rawDir {
				t.Errorf("%q is taken to %s", file.Name, at)
			}
			if strings.ContainsAny(file.Name, "\\\x00") {
				t.Errorf("the name %q", file.Name)
			}
		}
	})
}
