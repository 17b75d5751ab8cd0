package main

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"taper/internal/command"
)

func (p *program) stratifyCommand() *cli.Command {
	c := p.fit("stratify", "risk bands on a file: train for the boundaries, validate, print the bands")
	c.Description = "taper stratify clinic.csv -outcome died -event yes -o report.html\n\n" +
		"The interval surrogate is trained for the boundaries, by default 25, 50 and 75 %, and evaluated by five-fold " +
		"cross-validation. Another -loss is trained as it is and cut at the boundaries.\n\n" +
		"taper stratify clinic.csv -outcome died -event yes -prediction p\n\n" +
		"trains nothing for the column p: it evaluates the probabilities in it, beside a regression on the same rows. With " +
		"-scale score the column is any number, cut into bands where these rows cost least. -formula evaluates a formula, " +
		"-model a model.json."
	return c
}

func (p *program) fitCommand() *cli.Command {
	c := p.fit("fit", "train any model on a file, validate it, print the result")
	c.Description = "taper fit clinic.csv -outcome died -event yes -loss alpha -param alpha=4\n\n" +
		"-spec names a file with any fields of POST /api/v1/runs; where a flag and the file differ, the flag holds."
	return c
}

// fit is a command that trains a model.
func (p *program) fit(name, usage string) *cli.Command {
	var f command.Fit
	var specFile, boundaries, predictors string
	var params []string
	data := dataFlags(&f.Data)
	flags := append(data,
		&cli.StringFlag{Name: "o", Destination: &f.Report, Usage: "write the report to a `file`, .html or .pdf"},
		&cli.StringFlag{Name: "counts", Destination: &f.Counts,
			Usage: "counts of 1 to 9 in the report: `masked` (the default) or shown"},
		&cli.StringFlag{Name: "spec", Destination: &specFile, Usage: "`file` with fields of POST /api/v1/runs"},
		&cli.StringFlag{Name: "name", Usage: "`name` of the run"},
		&cli.StringFlag{Name: "task", Usage: "`task`: interval, binary, multiclass, ordinal, abstain or ordinal-abstain"},
		&cli.StringFlag{Name: "kind", Usage: "`kind` of model: linear, kernel or boost"},
		&cli.StringSliceFlag{Name: "prediction", Destination: &f.Predictions,
			Usage: "`column` with the predictions of another model, evaluated in place of training; several make several runs"},
		&cli.StringFlag{Name: "formula", Destination: &f.Formula,
			Usage: "`text` of a published formula, or @FILE with it, evaluated in place of training"},
		&cli.StringFlag{Name: "model", Destination: &f.Model,
			Usage: "`file` with a model.json, evaluated in place of training"},
		&cli.StringFlag{Name: "scale", Usage: "`scale` of what is evaluated: probability, logit or score"},
		&cli.StringFlag{Name: "direction", Usage: "`direction` of a score that means more risk: higher or lower"},
		&cli.StringFlag{Name: "loss", Usage: "`loss`: interval, logistic, alpha, tempered, t-logistic and others"},
		&cli.StringSliceFlag{Name: "param", Destination: &params,
			Usage: "parameter of the loss, like `alpha=4`; may be repeated"},
		&cli.StringFlag{Name: "boundaries", Destination: &boundaries, Usage: "risks between the bands, like `.1,.3`"},
		&cli.StringFlag{Name: "predictors", Destination: &predictors,
			Usage: "`columns`, separated by commas; else every usable one"},
		&cli.StringFlag{Name: "group", Usage: "`column` whose rows stay in one fold, like a patient’s number"},
		&cli.StringFlag{Name: "weights", Usage: "`column` of case weights"},
		&cli.StringFlag{Name: "l2", Usage: "`λ` of the penalty; cv or cv-1se choose it by cross-validation"},
		&cli.IntFlag{Name: "folds", Value: 5, Usage: "`number` of folds"},
		&cli.IntFlag{Name: "repeats", Value: 1, Usage: "`number` of times the folds are dealt"},
		&cli.Float64Flag{Name: "test", Usage: "`share` of the rows held out, in place of folds"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`seed` of folds and draws"})
	return &cli.Command{Name: name, Usage: usage, ArgsUsage: "FILE|DATASET", Flags: flags, OnUsageError: p.misused,
		Metadata: call("curl -F file=@FILE SERVER/api/v1/datasets, then POST its id, outcome and positive " +
			"to /api/v1/runs"),
		Action: func(ctx context.Context, c *cli.Command) (err error) {
			words, err := arguments(c, 1, 1)
			if err != nil {
				return err
			}
			f.Data.File = words[0]
			if f.Spec, err = specOf(c, specFile, boundaries, predictors, params); err != nil {
				return err
			}
			return p.session(ctx, c, func(s *command.Session) error { return s.Fit(ctx, f) })
		}}
}

// specOf is the spec by the flags and an optional file; flags win. Missing values are left to the defaults of the
// API, except for stratify: a task with bands and five folds.
func specOf(c *cli.Command, file, boundaries, predictors string, params []string) (spec map[string]any, err error) {
	spec = map[string]any{}
	if file != "" {
		if spec, err = command.SpecFile(file); err != nil {
			return nil, err
		}
	} else if c.Name == "stratify" {
		spec["task"] = "interval"
	}
	for _, name := range []string{"name", "task", "group", "weights"} {
		if c.IsSet(name) {
			spec[name] = c.String(name)
		}
	}
	for _, field := range []struct {
		name string
		text string
	}{{"boundaries", boundaries}, {"predictors", predictors}} {
		if field.text == "" {
			continue
		}
		parts := strings.Split(field.text, ",")
		if field.name == "predictors" {
			spec[field.name] = parts
			continue
		}
		values := make([]float64, len(parts))
		for i, part := range parts {
			if values[i], err = strconv.ParseFloat(strings.TrimSpace(part), 64); err != nil {
				return nil, command.NewMisuse("-boundaries must be numbers between 0 and 1 like .1,.3 (got %q).", part)
			}
		}
		spec[field.name] = values
	}
	model, _ := spec["model"].(map[string]any)
	if model == nil {
		model = map[string]any{}
	}
	for _, name := range []string{"kind", "loss", "scale", "direction"} {
		if c.IsSet(name) {
			model[name] = c.String(name)
		}
	}
	if c.IsSet("prediction") || c.IsSet("formula") || c.IsSet("model") {
		model["kind"] = "given"
	}
	if c.IsSet("l2") {
		model["l2"] = c.String("l2")
		if v, err := strconv.ParseFloat(c.String("l2"), 64); err == nil {
			model["l2"] = v
		}
	}
	if len(params) > 0 {
		if model["params"], err = parameters(params); err != nil {
			return nil, err
		}
	}
	if len(model) > 0 {
		spec["model"] = model
	}
	switch {
	case c.IsSet("test"):
		spec["validation"] = map[string]any{"kind": "split", "test": c.Float64("test")}
	case spec["validation"] == nil, c.IsSet("folds"), c.IsSet("repeats"):
		spec["validation"] = map[string]any{"kind": "cv", "folds": c.Int("folds"), "repeats": c.Int("repeats")}
	}
	if spec["seed"] == nil || c.IsSet("seed") {
		spec["seed"] = c.Uint64("seed")
	}
	return spec, nil
}

// parameters reads name=value, a number, a list or "inf".
func parameters(all []string) (map[string]any, error) {
	params := map[string]any{}
	for _, one := range all {
		name, text, ok := strings.Cut(one, "=")
		var value any
		if ok && json.Unmarshal([]byte(text), &value) != nil {
			if v, err := strconv.ParseFloat(text, 64); err == nil && text != "inf" && text != "-inf" {
				value = v // .5
			} else {
				value = text
			}
		}
		if !ok || name == "" {
			return nil, command.NewMisuse("-param must be a name and a value, like alpha=4 (got %q).", one)
		}
		params[name] = value
	}
	return params, nil
}

// call is the request to a running server that replaces a command, for the message about a locked folder: SERVER and
// the words of ArgsUsage in it are replaced (inUse).
func call(text string) map[string]any { return map[string]any{"call": text} }
