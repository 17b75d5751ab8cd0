package web

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"sync"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/testdata"
)

// sampler loads the files that ship with the program, one at a time.
type sampler struct {
	mu sync.Mutex
	in *intake
}

// firstStart loads each sample once in the life of a data folder: one that was
// deleted stays deleted. A folder that holds data already gets none.
func (s *sampler) firstStart(ctx context.Context, log *slog.Logger) {
	for i, f := range testdata.Samples {
		err := s.offer(ctx, f, i == 0)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			log.Error("sample not loaded", slog.String("file", f.File), slog.String("cause", err.Error()))
		}
	}
}

// offer loads a sample unless it was offered before. A crash between loading
// and marking is found by the sample that is there.
func (s *sampler) offer(ctx context.Context, f testdata.Sample, first bool) error {
	db, mark := s.in.db, "sample "+f.File
	if done, err := db.Marked(ctx, mark); done || err != nil {
		return err
	}
	if first {
		if used, err := s.used(ctx); err != nil {
			return err
		} else if used {
			return s.offerNone(ctx)
		}
	}
	if _, err := s.load(ctx, f); err != nil {
		return err
	}
	return db.Mark(ctx, mark)
}

// used reports whether the folder holds data of its user's.
func (s *sampler) used(ctx context.Context) (bool, error) {
	have, err := s.in.db.Samples(ctx)
	if err != nil {
		return false, err
	}
	_, total, err := s.in.db.Datasets(ctx, 1, 0)
	return total > len(have), err
}

// offerNone marks every sample as offered.
func (s *sampler) offerNone(ctx context.Context) error {
	for _, f := range testdata.Samples {
		if err := s.in.db.Mark(ctx, "sample "+f.File); err != nil {
			return err
		}
	}
	return nil
}

// load returns the dataset of a sample and makes it when it is not there.
func (s *sampler) load(ctx context.Context, f testdata.Sample) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.in.db.Samples(ctx)
	if err != nil || have[f.File] != "" {
		return have[f.File], err
	}
	up, err := s.in.Upload(bytes.NewReader(testdata.Read(f.File)))
	if err != nil {
		return "", err
	}
	defer up.Abort()
	d, err := s.in.Create(ctx, up, newDataset{
		Name: f.Name, File: f.File, Sample: true, Simulated: f.Simulated, Source: f.Source + "; " + f.Licence,
		Choice: store.Choice{Outcome: f.Outcome, Positive: table.OneLevel(f.Positive), Negative: table.OneLevel(f.Negative),
			ScoreOnly: f.ScoreOnly},
	})
	return d.ID, err
}

// sampleFile finds a sample by its file.
func sampleFile(file string) (testdata.Sample, error) {
	i := slices.IndexFunc(testdata.Samples, func(f testdata.Sample) bool { return f.File == file })
	if i < 0 {
		return testdata.Sample{}, usererr.BadField("file", "is no sample")
	}
	return testdata.Samples[i], nil
}
