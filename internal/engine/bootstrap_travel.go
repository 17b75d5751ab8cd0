package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"taper/internal/engine/job"
)

var _ job.Portable = (*Refits)(nil)

// Recipe opens the refits on another machine.
func (w *Refits) Recipe() (r job.Recipe, ok bool) {
	if w.From == nil {
		return r, false
	}
	return *w.From, true
}

// Fitted is what a later job on a run needs of its result: what tuning found, and the curves.
func (r *Result) Fitted() *Result {
	of := &Result{L2: r.L2, FoldL2: r.FoldL2, FoldGamma: r.FoldGamma, Splines: r.Splines}
	if k := r.Kernel; k != nil {
		of.Kernel = &KernelSummary{Gamma: k.Gamma}
	}
	if c := r.Classes; c != nil {
		of.Classes = &ClassResult{Gamma: c.Gamma, FoldGamma: c.FoldGamma}
	}
	return of
}

// refitText is a refit as it is written down; the numbers to the bit, since some may be NaN. The bands
// of the rows follow it, a byte each.
type refitText struct {
	Own, Original    []byte
	Terms            []string // in order; nil but for linear models
	Values           []byte   // of the terms
	L2               []byte
	Effect, Contrast [][]byte // null of a curve that the refit lacks
}

// Encode writes a refit down; one that could not be made has no text.
func (w *Refits) Encode(body job.Body) ([]byte, error) {
	r := body.(*refit)
	if r == nil {
		return nil, nil
	}
	t := refitText{Own: job.EncodeNumbers(r.own), Original: job.EncodeNumbers(r.original),
		L2: job.EncodeNumbers([]float64{r.l2}), Effect: eachEncoded(r.effect), Contrast: eachEncoded(r.contrast)}
	if r.terms != nil {
		t.Terms = append([]string{}, slices.Sorted(maps.Keys(r.terms))...)
		t.Values = job.EncodeNumbers(termValues(r.terms))
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("write a refit down: %w", err)
	}
	text = append(text, '\n')
	for _, band := range r.band {
		text = append(text, byte(band))
	}
	return text, nil
}

// Decode reads a refit.
func (w *Refits) Decode(_ int, text []byte) (job.Body, error) {
	if len(text) == 0 {
		return (*refit)(nil), nil
	}
	head, bands, ok := bytes.Cut(text, []byte{'\n'})
	var t refitText
	if !ok || len(bands) != len(w.at) {
		return nil, fmt.Errorf("a refit has the bands of %d rows, want %d", len(bands), len(w.at))
	}
	if err := json.Unmarshal(head, &t); err != nil {
		return nil, fmt.Errorf("read a refit: %w", err)
	}
	var all [4][]float64
	for i, from := range [][]byte{t.Own, t.Original, t.L2, t.Values} {
		var err error
		if all[i], err = job.DecodeNumbers(from); err != nil {
			return nil, fmt.Errorf("read a refit: %w", err)
		}
	}
	n := len(w.model.own)
	if len(all[0]) != n || len(all[1]) != n || len(all[2]) != 1 || len(all[3]) != len(t.Terms) ||
		len(t.Effect) != len(w.model.effect) || len(t.Contrast) != len(w.model.contrast) {
		return nil, errors.New("a refit has other numbers than the run")
	}
	r := &refit{own: all[0], original: all[1], l2: all[2][0]}
	for _, band := range bands {
		r.band = append(r.band, int(band))
	}
	if t.Terms != nil {
		r.terms = map[string]float64{}
		for i, name := range t.Terms {
			r.terms[name] = all[3][i]
		}
	}
	var err error
	if r.effect, err = eachDecoded(t.Effect); err == nil {
		r.contrast, err = eachDecoded(t.Contrast)
	}
	return r, err
}

// Numbers are all that a refit found but for the bands.
func (w *Refits) Numbers(body job.Body) []float64 {
	r := body.(*refit)
	if r == nil {
		return nil
	}
	all := slices.Concat(r.own, r.original, []float64{r.l2}, termValues(r.terms))
	return slices.Concat(all, slices.Concat(r.effect...), slices.Concat(r.contrast...))
}

// termValues are those of terms in the order of their names.
func termValues(terms map[string]float64) (all []float64) {
	for _, name := range slices.Sorted(maps.Keys(terms)) {
		all = append(all, terms[name])
	}
	return all
}

func eachEncoded(lists [][]float64) [][]byte {
	var all [][]byte
	for _, v := range lists {
		if v == nil {
			all = append(all, nil)
			continue
		}
		all = append(all, job.EncodeNumbers(v))
	}
	return all
}

func eachDecoded(lists [][]byte) (all [][]float64, err error) {
	for _, text := range lists {
		if text == nil {
			all = append(all, nil)
			continue
		}
		v, err := job.DecodeNumbers(text)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}
