package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"taper/internal/bundle"
	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/job"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/notices"
	"taper/internal/store"
)

// Shared holds the parts of a run that go into a bundle.
type Shared struct {
	Result *engine.Result
	Model  *model.Model
	Report []byte
}

// Bundle returns the bundle of a finished run, optionally with the data file.
func (a *App) Bundle(ctx context.Context, run string, withData bool) (*bundle.Bundle, error) {
	r, err := a.db.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	d, err := a.bundled(ctx, r, withData)
	if err != nil {
		return nil, err
	}
	m, err := a.db.RunModel(ctx, run)
	if err != nil {
		return nil, err
	}
	rows, err := a.db.RunRows(ctx, run)
	if err != nil {
		return nil, err
	}
	if r.Reading == nil { // an older run without it: as parsed now
		r.Reading = &d.Options
	}
	// Reading covers all columns, also unused ones, so that questions already answered are not
	// asked again.
	b := &bundle.Bundle{Spec: r.Spec, Reading: *r.Reading, Notices: notices.Text(), About: bundle.About{
		Format: bundle.Format, Run: r.ID, Name: r.Name, Created: r.Created.UTC(), Version: r.Version, Modules: modules(),
		Data: bundle.Data{Name: r.DatasetName, SHA256: r.DatasetSHA, Rows: r.Rows, Simulated: d.Simulated}}}
	if by := r.Result.Maker; by != nil {
		b.About.Engine, b.About.Class = by.Engine, by.Class
	}
	if err := a.share(b, r, rows, m); err != nil {
		return nil, err
	}
	if withData {
		b.Data = func() (io.ReadCloser, error) { return a.db.OpenWhole(ctx, d.ID) }
	}
	return b, nil
}

// bundled returns the dataset of a run if a bundle can be made of it, otherwise an error with
// the reason.
func (a *App) bundled(ctx context.Context, r store.Run, withData bool) (d store.Dataset, err error) {
	switch {
	case r.Result == nil:
		return d, usererr.New(usererr.Conflict, "This run is %s: a bundle needs a finished run.", r.Status)
	case !r.Wiped.IsZero():
		return d, usererr.New(usererr.Conflict, "The data of this run were deleted, and with them how the file was read: "+
			"a bundle of it could not be verified.")
	case r.Spec.Model.Kind == "kernel":
		return d, usererr.New(usererr.Conflict,
			"A kernel model contains rows of the data, and a bundle must not.")
	case r.Spec.Review != nil && len(r.Spec.Review.Changes) > 0 && !withData:
		return d, usererr.New(usererr.Conflict, "This run was trained on reviewed labels, and its spec names the rows that "+
			"were changed. Ask for the data in the bundle too, or bundle the run that was reviewed.")
	}
	from, err := a.db.RunOrigin(ctx, r.ID)
	if err != nil {
		return d, err
	}
	if from != nil {
		return d, usererr.New(usererr.Conflict, "This run was recalibrated from run %s and not trained: bundle that one.",
			from.Parent)
	}
	if d, err = a.db.Dataset(ctx, r.Dataset); err != nil {
		return d, err
	}
	if withData && d.State == store.Kept {
		return d, usererr.New(usererr.Conflict, "The uploaded file was wiped when its columns were confirmed, so it "+
			"cannot be in the bundle. Make the bundle without data, and pass the file on separately.")
	}
	return d, nil
}

// share adds a run's results and rows to a bundle, without durations.
func (a *App) share(b *bundle.Bundle, r store.Run, rows []engine.RowScore, m *model.Model) error {
	s, err := a.Shared(r, rows, m)
	if err != nil {
		return err
	}
	s.Result.Seconds, s.Result.ElapsedS = 0, 0
	b.Report = s.Report
	if b.Result, err = json.MarshalIndent(s.Result, "", "  "); err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	if b.Model, err = json.MarshalIndent(s.Model, "", "  "); err != nil {
		return fmt.Errorf("encode model: %w", err)
	}
	return nil
}

// modules lists the libraries of this program with versions.
func modules() []string {
	all := []string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return all
	}
	all = append(all, "go "+info.GoVersion)
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, m.Path+" "+m.Version)
	}
	return all
}

// The verdicts of a verification.
const (
	SameBits  = "same-bits"
	SameClose = "same-1e-9"
	Differs   = "differs"
)

// Verification is the result of recomputing a bundle.
type Verification struct {
	Verdict  string `json:"verdict"`
	Sentence string `json:"sentence"`
	bundle.Comparison

	Run     string       `json:"run"`
	Name    string       `json:"name"`
	SHA256  string       `json:"sha256"`  // of the data
	Version string       `json:"version"` // of the program that computed the run
	Maker   engine.Maker `json:"maker"`   // of the run; empty if unknown

	HereVersion string       `json:"here_version"`
	Here        engine.Maker `json:"here"` // this process, which recomputed it
}

// Verify recomputes a run from its bundle and its data, by default those in the bundle, and
// compares the results. Nothing is stored. It runs while the caller waits, like an external
// validation (validate). report may be nil.
func (a *App) Verify(ctx context.Context, packed, data *store.Upload, report func(job.Progress)) (v Verification,
	err error) {
	select {
	case a.validating <- struct{}{}:
		defer func() { <-a.validating }()
	case <-ctx.Done():
		return v, ctx.Err()
	}
	b, file, err := a.unpacked(ctx, packed, data)
	if err != nil {
		return v, err
	}
	v = verificationOf(b.About)
	v.HereVersion = a.version
	if by := a.resultMaker(); by != nil {
		v.Here = *by
	}
	ours, err := a.again(ctx, b, file, report)
	if err != nil {
		return v, err
	}
	if v.Comparison, err = compared(b, ours, v.alike()); err != nil {
		return v, err
	}
	v.judge()
	return v, nil
}

// verificationOf describes a bundle. Its texts are cut, because the verification stays in memory
// (mostVerified).
func verificationOf(of bundle.About) Verification {
	cut := func(text string) string { return phrase.Shorten(text, 200) }
	return Verification{Run: cut(of.Run), Name: cut(of.Name), SHA256: cut(of.Data.SHA256), Version: cut(of.Version),
		Maker: engine.Maker{Engine: cut(of.Engine), Class: cut(of.Class)}}
}

// unpacked reads a bundle and its data file.
func (a *App) unpacked(ctx context.Context, packed, data *store.Upload) (*bundle.Bundle, []byte, error) {
	zip, err := packed.Take(ctx)
	if err != nil {
		return nil, nil, err
	}
	most := a.Datasets.Limits().Bytes
	need, err := bundle.Memory(zip, most)
	if err != nil {
		return nil, nil, err
	}
	if _, err := cost.Hold(ctx, "Reading this bundle", 2*need); err != nil {
		return nil, nil, err
	}
	b, err := bundle.Read(zip, most)
	if err != nil {
		return nil, nil, err
	}
	var file []byte
	switch {
	case data != nil:
		file, err = data.Take(ctx)
	case b.Data != nil:
		file, err = unpackedData(b)
	default:
		why := "The bundle contains no data. Choose the file of the run too: " + about(b.About.Data)
		return nil, nil, &usererr.Error{Code: usererr.Invalid, Detail: why + ".",
			Fields: []usererr.Field{{Field: "data", Message: "is missing: the bundle contains none"}}}
	}
	if err != nil {
		return nil, nil, err
	}
	if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != b.About.Data.SHA256 {
		return nil, nil, usererr.New(usererr.Conflict, "The data are not those of the bundle: their SHA-256 is %s. "+
			"Choose the file that the run was made from, %s. One changed character gives another SHA-256.",
			hex.EncodeToString(sum[:]), about(b.About.Data))
	}
	return b, file, nil
}

func unpackedData(b *bundle.Bundle) ([]byte, error) {
	from, err := b.Data()
	if err != nil {
		return nil, err
	}
	defer from.Close()
	return io.ReadAll(from)
}

func about(d bundle.Data) string {
	return usererr.Sprintf("%.100q with the SHA-256 %.64s", d.Name, d.SHA256)
}

// again recomputes the run of a bundle with this program.
func (a *App) again(ctx context.Context, b *bundle.Bundle, file []byte, report func(job.Progress)) (*bundle.Bundle,
	error) {
	if _, err := cost.Hold(ctx, "Reading this file", table.ReadMemory(int64(len(file)))); err != nil {
		return nil, err
	}
	t, err := table.Read(ctx, file, b.Reading.Reading(), a.Datasets.Limits())
	if err != nil {
		return nil, err
	}
	t = t.WithOptions(b.Reading)
	if err := b.Spec.Validate(t); err != nil {
		return nil, err
	}
	if err := crossfit.WorkOf(b.Spec, t.Shape()).Check("This run", a.mostWork); err != nil {
		return nil, err
	}
	if _, err := cost.Hold(ctx, "This run", crossfit.Memory(b.Spec, t.Shape())); err != nil {
		return nil, err
	}
	found, err := engine.Fit(ctx, t, b.Spec, report)
	if err != nil {
		return nil, err
	}
	// A round trip through JSON as in the store, which may turn an empty list into null.
	kept, m := &engine.Result{}, &model.Model{}
	found.Model.Version = b.About.Version
	if err := overflowed(stored(found, kept)); err != nil {
		return nil, err
	}
	if err := stored(found.Model, m); err != nil {
		return nil, err
	}
	r := store.Run{ID: b.About.Run, Dataset: b.Spec.Dataset, DatasetName: b.About.Data.Name,
		DatasetSHA: b.About.Data.SHA256, Rows: b.About.Data.Rows, Name: b.About.Name, Created: b.About.Created,
		Version: b.About.Version, Status: store.Done, Spec: b.Spec, Reading: &b.Reading, Result: kept}
	ours := &bundle.Bundle{}
	return ours, a.share(ours, r, found.Rows, m)
}

func stored(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// alike reports whether the same build computed both results on the same class of processor;
// then they must be bit-identical.
func (v Verification) alike() bool { return v.Maker.Engine != "" && v.Maker == v.Here }

// solverPath are fields about how a solver ended. Different rounding changes them without
// changing the optimum.
var solverPath = []string{"gap", "gradient_norm", "iterations", "evaluations", "stopped"}

// compared compares a bundle with the recomputed one, file by file.
func compared(theirs, ours *bundle.Bundle, alike bool) (bundle.Comparison, error) {
	skip := func(path string) bool { return !alike && slices.Contains(solverPath, path) }
	result, err := bundle.CompareJSON(bundle.ResultName, theirs.Result, ours.Result, skip)
	if err != nil {
		return result, err
	}
	m, err := bundle.CompareJSON(bundle.ModelName, theirs.Model, ours.Model, skip)
	if err != nil {
		return result, err
	}
	report, err := bundle.CompareHTML(bundle.ReportName, theirs.Report, ours.Report, alike)
	return result.Add(m).Add(report), err
}

// judge sets the verdict and its sentence.
func (v *Verification) judge() {
	switch {
	case v.Differing == 0:
		v.Verdict = SameBits
		v.Sentence = fmt.Sprintf("Reproduced to the bit: all %d values of the bundle.", v.Values)
	case v.Beyond == 0 && !v.alike():
		v.Verdict = SameClose
		v.Sentence = fmt.Sprintf("Reproduced to 10⁻⁹: of %d values %d differ, with a relative difference of at most "+
			"%.2g.", v.Values, v.Differing, v.Largest)
	default:
		v.Verdict = Differs
		v.Sentence = fmt.Sprintf("Not reproduced: %s of %s is %s in the bundle and %s when computed again.",
			v.First.Path, v.First.File, v.First.Bundle, v.First.Refit)
	}
	v.Sentence += v.circumstances()
}

// circumstances describes differences of build or processor that can change numbers.
func (v Verification) circumstances() string {
	switch {
	case v.alike():
		return ""
	case v.Maker.Engine == "":
		return fmt.Sprintf(" The run does not say which build computed it (Taper %s); this is %s on %s.", v.Version,
			v.Here.Engine, v.Here.Class)
	case v.Maker.Engine != v.Here.Engine:
		return fmt.Sprintf(" Another build computed the run (%s on %s); this is %s on %s.", v.Maker.Engine, v.Maker.Class,
			v.Here.Engine, v.Here.Class)
	}
	return fmt.Sprintf(" Another class of processor computed the run (%s); this is %s.", v.Maker.Class, v.Here.Class)
}
