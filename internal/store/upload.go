package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Upload receives a file into the data folder and computes its hash. CreateDataset takes ownership of it;
// otherwise Abort wipes it. It must be used by one goroutine at a time.
type Upload struct {
	f     *os.File
	sum   hash.Hash
	size  int64
	limit int64
	moved bool
}

var _ io.Writer = (*Upload)(nil)

// NewUpload returns an empty upload that takes at most limit bytes (0 = the
// default limit).
func (db *DB) NewUpload(limit int64) (*Upload, error) {
	if limit <= 0 {
		limit = table.DefaultLimits.Bytes
	}
	f, err := tempFile(db.dir)
	if err != nil {
		return nil, fmt.Errorf("new upload: %w", noSpace(db.dir, err))
	}
	return &Upload{f: f, sum: sha256.New(), limit: limit}, nil
}

// Write appends to the file.
func (u *Upload) Write(p []byte) (int, error) {
	if u.size+int64(len(p)) > u.limit {
		return 0, usererr.New(usererr.TooLarge, "The file is larger than %s, the limit. "+
			"Leave out columns or rows, or start Taper with a higher -max-bytes.", megabytes(u.limit))
	}
	n, err := u.f.Write(p)
	u.sum.Write(p[:n])
	u.size += int64(n)
	return n, noSpace("", err)
}

// megabytes formats a limit, with a no-break space between number and unit.
func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d\u00a0bytes", n)
	}
	return fmt.Sprintf("%.4g\u00a0MB", float64(n)/(1<<20))
}

// Sum returns the SHA-256 of what was written, in hexadecimal.
func (u *Upload) Sum() string { return hex.EncodeToString(u.sum.Sum(nil)) }

// Size returns the number of bytes written.
func (u *Upload) Size() int64 { return u.size }

// Open returns a reader of the bytes written so far.
func (u *Upload) Open() (*os.File, error) { return os.Open(u.f.Name()) }

// Abort wipes the file. It does nothing after CreateDataset took ownership, so it can be deferred.
func (u *Upload) Abort() error {
	if u.moved {
		return nil
	}
	u.moved = true
	return errors.Join(u.f.Close(), wipeFile(u.f.Name()))
}

// moveTo moves the file to its final name, durably.
func (u *Upload) moveTo(file string) error {
	if u.moved {
		return errors.New("upload was taken or aborted before")
	}
	if err := u.f.Sync(); err != nil {
		return err
	}
	if err := renameOpen(u.f, file); err != nil {
		return err
	}
	u.moved = true
	closed := u.f.Close()
	if errors.Is(closed, os.ErrClosed) { // before it was renamed
		closed = nil
	}
	return errors.Join(closed, syncDir(filepath.Dir(file)))
}

// Bytes returns the content of the upload.
func (u *Upload) Bytes(ctx context.Context) ([]byte, error) {
	if _, err := cost.Hold(ctx, "Reading this file", table.ReadMemory(u.size)); err != nil {
		return nil, err
	}
	return u.bytes()
}

// Map maps the content of the upload into memory, or reads it where that is not possible. The bytes may be read until
// done is called.
func (u *Upload) Map() (data []byte, done func() error, err error) {
	f, err := u.Open()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return mapFile(f)
}

func (u *Upload) bytes() ([]byte, error) {
	f, err := u.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, u.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

// Take returns the content of the upload and wipes the file.
func (u *Upload) Take(ctx context.Context) ([]byte, error) {
	_, err := cost.Hold(ctx, "Reading this file", table.ScanMemory(u.size))
	var data []byte
	if err == nil {
		data, err = u.bytes()
	}
	if wiped := u.Abort(); err == nil {
		err = wiped
	}
	return data, err
}
