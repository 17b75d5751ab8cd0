package api

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"taper/internal/app"
	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/compare"
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/store"
	"taper/internal/web/format"
	"taper/internal/web/httpio"
	"taper/internal/web/openapi"
)

// words are the descriptions, limits and allowed values of fields, by type and field. They are written by hand,
// since Go types cannot express them.
//
//go:embed words.json
var words []byte

// Description is the API in the form that the OpenAPI document and the page about the API are made from.
func (h *Handlers) Description() openapi.API {
	return openapi.API{
		Title:   "Taper",
		Summary: "Robust and risk-interval classification on your own machine.",
		Description: "The API does what the pages do, with the same code. Numbers are finite JSON numbers; an infinite " +
			"parameter or value is the string inf or -inf, and a value that does not exist is null. A list is an object " +
			"with items and their total; limit and offset select some of them. Errors are problem+json (RFC 9457): 403 " +
			"foreign Host or Origin, 404 unknown id, 409 not possible in the current state, 413 over a limit, 422 any " +
			"other error in the input.",
		Tags: []openapi.Tag{
			{Name: "datasets", Description: "Datasets: upload a file, change how it is read, set the roles of " +
				"its columns"},
			{Name: "losses", Description: "The losses of the five papers and their baselines, to evaluate"},
			{Name: "program", Description: "The program itself"},
			{Name: "runs", Description: "Training, results, and what is derived from them"},
			{Name: "studies", Description: "Simulation studies, and figures and tables of the papers"},
		},
		Types: namedTypes(), Words: words, Operations: h.Calls(),
		Lists: map[string]openapi.List{
			"statuses":         {Texts: store.RunStatuses()},
			"study statuses":   {Texts: append(store.RunStatuses(), store.Paused)},
			"losses":           {Texts: lossIDs()},
			"tasks":            {Texts: task.IDs(task.All)},
			"losses by task":   {Texts: fit.Losses(), Description: lossesByTask()},
			"tasks of classes": {Texts: task.IDs(task.ClassTasks()), Description: "Several classes; left out: two"},
			"warnings":         warningCodes(),
		},
	}
}

// lossesByTask lists the losses of each task.
func lossesByTask() string {
	text := "Ids of GET /losses. binary, interval: interval or any margin loss but zero-one. "
	for _, t := range task.ClassTasks() {
		ids := t.Losses()
		text += t.ID() + ": " + ids[0] + " (default), " + strings.Join(ids[1:], ", ") + ". "
	}
	return text + "A cost matrix has a row more than classes where a task may abstain. A loss that recovers no " +
		"probability (hinge, ramp, probit, alpha with alpha inf, tempered with t1 0) takes the boundary 0.5 alone"
}

// statisticFields describes the statistics that a type contains.
func statisticFields(holds func(stat.Statistic) bool, of any, always bool) (all []openapi.Field) {
	for _, s := range stat.Which(holds) {
		all = append(all, openapi.Field{Name: s.ID, Description: format.Describe(s), Value: of, Always: always})
	}
	return all
}

// namedTypes are the types with a name. Types with their own JSON encoding, and JSON written number by number, are
// described by hand, because reflection cannot see them.
func namedTypes() []openapi.Type {
	return []openapi.Type{
		{Name: "Problem", Value: httpio.Problem{}},
		{Name: "Queued", Value: queued{}},
		{Name: "Progress", Value: Progress{}},
		{Name: "Estimate", Value: stat.Estimate{}},

		{Name: "Number", Hand: true},
		{Name: "Numbers", Hand: true},
		{Name: "Rows", Hand: true},
		{Name: "Losses", Value: lossList{}},
		{Name: "Loss", Value: lossEntry{}},
		{Name: "LossQuestion", Value: lossQuestion{}},
		{Name: "MarginAnswer", Hand: true},
		{Name: "IntervalAnswer", Hand: true},
		{Name: "Surrogate", Hand: true},
		{Name: "PotentialAnswer", Hand: true},
		{Name: "ThresholdAnswer", Hand: true},

		{Name: "Levels", Value: table.Levels{}, Hand: true},
		{Name: "Dialect", Value: table.Dialect{}},
		{Name: "ColumnSpec", Value: table.ColumnSpec{}},
		{Name: "Column", Value: table.Profile{}},
		{Name: "Warning", Value: table.Warning{}},
		{Name: "Dataset", Value: Dataset{}},
		{Name: "Datasets", Value: list[Dataset]{}},
		{Name: "DatasetPatch", Value: datasets.Patch{}},
		{Name: "GenerateRequest", Value: generateRequest{}},
		{Name: "Preview", Value: previewJSON{}},
		{Name: "KeptRuns", Value: keptRuns{}},
		{Name: "Generator", Value: synth.Generator{}},
		{Name: "Generators", Value: list[synth.Generator]{}},

		{Name: "Spec", Value: runspec.Spec{}},
		{Name: "ModelSpec", Value: fit.Spec{}},
		{Name: "L2", Value: fit.L2{}, Hand: true},
		{Name: "RunItem", Value: runItem{}},
		{Name: "Runs", Value: list[runItem]{}},
		{Name: "Run", Value: Run{}},
		{Name: "RunPatch", Value: runPatch{}},
		{Name: "Metrics", Value: stat.Binary{}, Fields: statisticFields(stat.Statistic.InBinary, new(float64), false)},
		{Name: "ClassMetrics", Value: stat.Classes{}, Fields: statisticFields(stat.Statistic.OfClasses, new(float64),
			false)},
		{Name: "RunMetrics", Value: engine.Metrics{}},
		{Name: "ClassRunMetrics", Value: engine.ClassMetrics{}},
		{Name: "Stratum", Value: stat.Stratum{}},
		{Name: "Performance", Value: stat.Performance{},
			Fields: statisticFields(stat.Statistic.InPerformance, stat.Estimate{}, false)},
		{Name: "Boundary", Value: stat.Boundary{},
			Fields: statisticFields(stat.Statistic.AtBoundaries, stat.Estimate{}, true)},
		{Name: "Comparison", Value: compare.Comparison{}},
		{Name: "Setting", Value: compare.Setting{}},
		{Name: "BandMoves", Value: stat.BandChanges{}},
		{Name: "Prediction", Value: model.Prediction{}, Hand: true},
		{Name: "RowsRequest", Value: rowsRequest{}},
		{Name: "Predictions", Value: predictedRows{}},
		{Name: "EvaluationItem", Value: evaluationItem{}},
		{Name: "Evaluations", Value: list[evaluationItem]{}},
		{Name: "EvaluationRecord", Value: evaluationRecord{}},
		{Name: "Evaluation", Value: evaluationJSON{}},
		{Name: "EvaluatedRows", Value: predictedEvaluation{}},
		{Name: "EvaluationPatch", Value: renameRequest{}},
		{Name: "Recalibration", Value: app.Recalibration{}},
		{Name: "Verification", Value: app.Verification{}},
		{Name: "Recalibrated", Value: recalibratedJSON{}},
		{Name: "Statistics", Value: statisticsJSON{}},
		{Name: "Bootstrap", Value: Bootstrap{}},
		{Name: "BootstrapRequest", Value: checkRequest{}},
		{Name: "Audit", Value: Audit{}},
		{Name: "AuditRequest", Value: auditRequest{}},
		{Name: "Model", Value: model.Model{}},
		{Name: "ModelColumn", Value: prep.Column{}},
		{Name: "ModelTerm", Value: prep.Term{}},
		{Name: "Potentials", Value: multiclass.Model{}, Hand: true},

		{Name: "Preset", Value: presetItem{}},
		{Name: "Presets", Value: list[presetItem]{}},
		{Name: "StudySpec", Value: study.Spec{}},
		{Name: "StudySource", Value: study.Source{}, Hand: true},
		{Name: "Study", Value: Study{}},
		{Name: "Studies", Value: list[Study]{}},
		{Name: "Cell", Value: study.Cell{}},

		{Name: "Health", Value: healthJSON{}},

		{Name: "File", Hand: true},
		{Name: "FileForm", Hand: true}, // an upload, read part by part
		{Name: "VerifyForm", Hand: true},
		{Name: "EvaluatedLoss", Hand: true},
		{Name: "Predicted", Hand: true},
	}
}

// Codes are the codes of warnings about data and runs, with their meanings.
func Codes() map[string]string {
	all := maps.Clone(table.Codes)
	maps.Copy(all, engine.Codes)
	return all
}

func warningCodes() openapi.List {
	all := Codes()
	var list openapi.List
	var meanings []string
	for _, code := range slices.Sorted(maps.Keys(all)) {
		list.Texts, meanings = append(list.Texts, code), append(meanings, code+": "+all[code])
	}
	list.Description = strings.Join(meanings, "; ")
	return list
}
