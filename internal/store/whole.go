package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"

	"taper/internal/engine/usererr"
)

// OpenWhole opens the uploaded file of a dataset for readers that pass all of it on. It reads the file first, so that
// one which was changed on the disk is refused before anything is passed on. No lock is held, because passing on takes
// as long as the receiver likes: if the file is wiped meanwhile, the reading ends with an error.
func (db *DB) OpenWhole(ctx context.Context, id string) (io.ReadCloser, error) {
	if err := db.hasRaw(ctx, id); err != nil {
		return nil, err
	}
	d, err := db.Dataset(ctx, id)
	if err != nil {
		return nil, err
	}
	f, err := db.OpenRaw(id)
	if err != nil {
		return nil, err
	}
	w := &whole{f: f, sum: sha256.New(), want: d.SHA256, id: id}
	_, err = io.Copy(io.Discard, ctxReader{ctx, w})
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	w.sum.Reset()
	return w, nil
}

// whole compares what was read with what was uploaded, at the end of the file.
type whole struct {
	f    *os.File
	sum  hash.Hash
	want string
	id   string
}

func (w *whole) Read(p []byte) (int, error) {
	n, err := w.f.Read(p)
	w.sum.Write(p[:n])
	if err == io.EOF && hex.EncodeToString(w.sum.Sum(nil)) != w.want {
		err = usererr.New(usererr.Conflict, "The file of the dataset %s in the data folder is not what was uploaded: its "+
			"checksum differs. Put the right file back, or upload it again and delete this dataset.", w.id)
	}
	return n, err
}

func (w *whole) Close() error { return w.f.Close() }
