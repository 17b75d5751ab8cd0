package datasets

import (
	"bytes"
	"context"
	"log/slog"
	"slices"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/testdata"
)

// FirstSamples loads each sample once per data folder, so that a deleted sample stays deleted.
// A folder that already has data gets none.
func (s *Service) FirstSamples(ctx context.Context, log *slog.Logger) {
	for i, f := range testdata.Samples {
		err := s.offerSample(ctx, f, i == 0)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			log.Error("sample not loaded", slog.String("file", f.File), slog.String("cause", err.Error()))
		}
	}
}

// offerSample loads a sample unless that was done before. After a crash between loading and
// marking, the existing sample is found.
func (s *Service) offerSample(ctx context.Context, f testdata.Sample, first bool) error {
	db, mark := s.db, "sample "+f.File
	if done, err := db.HasMark(ctx, mark); done || err != nil {
		return err
	}
	if first {
		if used, err := s.inUse(ctx); err != nil {
			return err
		} else if used {
			return s.offerNoSample(ctx)
		}
	}
	if _, err := s.Sample(ctx, f); err != nil {
		return err
	}
	return db.Mark(ctx, mark)
}

// inUse reports whether the folder has data of its user.
func (s *Service) inUse(ctx context.Context) (bool, error) {
	have, err := s.db.Samples(ctx)
	if err != nil {
		return false, err
	}
	_, total, err := s.db.Datasets(ctx, 1, 0)
	return total > len(have), err
}

// offerNoSample marks every sample as loaded.
func (s *Service) offerNoSample(ctx context.Context) error {
	for _, f := range testdata.Samples {
		if err := s.db.Mark(ctx, "sample "+f.File); err != nil {
			return err
		}
	}
	return nil
}

// Sample returns the dataset of a sample, and creates it if it does not exist.
func (s *Service) Sample(ctx context.Context, f testdata.Sample) (id string, err error) {
	s.sampling.Lock()
	defer s.sampling.Unlock()
	have, err := s.db.Samples(ctx)
	if err != nil || have[f.File] != "" {
		return have[f.File], err
	}
	up, err := s.Upload(bytes.NewReader(testdata.Read(f.File)))
	if err != nil {
		return "", err
	}
	defer up.Abort()
	d, err := s.Create(ctx, up, File{
		Name: f.Name, File: f.File, Sample: true, Simulated: f.Simulated, Source: f.Source + "; " + f.Licence,
		Choice: store.Choice{Outcome: f.Outcome, Positive: table.OneLevel(f.Positive), Negative: table.OneLevel(f.Negative),
			ScoreOnly: f.ScoreOnly},
	})
	return d.ID, err
}

// SampleNamed finds a sample by its file name.
func SampleNamed(file string) (testdata.Sample, error) {
	i := slices.IndexFunc(testdata.Samples, func(f testdata.Sample) bool { return f.File == file })
	if i < 0 {
		return testdata.Sample{}, usererr.BadField("file", "is no sample")
	}
	return testdata.Samples[i], nil
}
