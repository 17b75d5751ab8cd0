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

// words are sentences, limits and allowed texts of fields, by type and field. They are
// kept by hand, because a Go type has no place for them.
//
//go:embed words.json
var words []byte

// Description is the API for programs and for the page that lists it.
func (h *Handlers) Description() openapi.API {
	return openapi.API{
		Title:   "Taper",
		Summary: "Robust and risk-interval classification on your own machine.",
		About: "The same use cases as the pages, through the same code. Numbers are finite JSON numbers; the strings " +
			"\"inf\" and \"-inf\" stand for infinite parameters and values; what does not exist is null. Lists come as " +
			"{\"items\": […], \"total\": n} with limit and offset. Errors are problem+json (RFC 9457): 403 foreign " +
			"Host or Origin, 404 unknown id, 409 not possible in the present state, 413 over a limit, 422 everything " +
			"else that is wrong with the input.",
		Tags: []openapi.Tag{
			{Name: "datasets", About: "Datasets: read a file, change how it is read, say what its columns are for"},
			{Name: "losses", About: "The losses of the five papers and their baselines, to evaluate"},
			{Name: "program", About: "The program itself"},
			{Name: "runs", About: "Training, its results, and what is made from them"},
			{Name: "studies", About: "Repeated experiments, and the papers' figures and tables redone"},
		},
		Types: namedTypes(), Words: words, Operations: h.Calls(),
		Lists: map[string]openapi.List{
			"statuses":         {Texts: store.RunStatuses()},
			"study statuses":   {Texts: append(store.RunStatuses(), store.Paused)},
			"losses":           {Texts: lossIDs()},
			"tasks":            {Texts: task.IDs(task.All)},
			"losses by task":   {Texts: fit.Losses(), About: lossesByTask()},
			"tasks of classes": {Texts: task.IDs(task.Classed()), About: "Several classes; left out: two"},
			"warnings":         warningCodes(),
		},
	}
}

// lossesByTask says which losses learn which task.
func lossesByTask() string {
	text := "Ids of GET /losses. binary, interval: interval or any margin loss but zero-one. "
	for _, t := range task.Classed() {
		ids := t.Losses()
		text += t.ID() + ": " + ids[0] + " (default), " + strings.Join(ids[1:], ", ") + ". "
	}
	return text + "A cost matrix has a row more than classes where a task may abstain. A loss that recovers no " +
		"probability (hinge, ramp, probit, alpha with alpha inf, tempered with t1 0) takes the boundary 0.5 alone"
}

// statisticFields describe the statistics that a type holds.
func statisticFields(holds func(stat.Statistic) bool, of any, always bool) (all []openapi.Field) {
	for _, s := range stat.Which(holds) {
		all = append(all, openapi.Field{Name: s.ID, About: format.Describe(s), Of: of, Always: always})
	}
	return all
}

// namedTypes are the types with a name. A type that writes its own JSON, and JSON that is
// written number by number, is described by hand: reflection sees neither.
func namedTypes() []openapi.Type {
	return []openapi.Type{
		{Name: "Problem", Of: httpio.Problem{}},
		{Name: "Queued", Of: queued{}},
		{Name: "Progress", Of: Progress{}},
		{Name: "Estimate", Of: stat.Estimate{}},

		{Name: "Number", Hand: true},
		{Name: "Numbers", Hand: true},
		{Name: "Rows", Hand: true},
		{Name: "Losses", Of: lossList{}},
		{Name: "Loss", Of: lossEntry{}},
		{Name: "LossQuestion", Of: lossQuestion{}},
		{Name: "MarginAnswer", Hand: true},
		{Name: "IntervalAnswer", Hand: true},
		{Name: "Surrogate", Hand: true},
		{Name: "PotentialAnswer", Hand: true},
		{Name: "ThresholdAnswer", Hand: true},

		{Name: "Levels", Of: table.Levels{}, Hand: true},
		{Name: "Dialect", Of: table.Dialect{}},
		{Name: "ColumnSpec", Of: table.ColumnSpec{}},
		{Name: "Column", Of: table.Profile{}},
		{Name: "Warning", Of: table.Warning{}},
		{Name: "Dataset", Of: Dataset{}},
		{Name: "Datasets", Of: list[Dataset]{}},
		{Name: "DatasetPatch", Of: datasets.Patch{}},
		{Name: "GenerateRequest", Of: generateRequest{}},
		{Name: "Preview", Of: previewJSON{}},
		{Name: "KeptRuns", Of: keptRuns{}},
		{Name: "Generator", Of: synth.Generator{}},
		{Name: "Generators", Of: list[synth.Generator]{}},

		{Name: "Spec", Of: runspec.Spec{}},
		{Name: "ModelSpec", Of: fit.Spec{}},
		{Name: "L2", Of: fit.L2{}, Hand: true},
		{Name: "RunItem", Of: runItem{}},
		{Name: "Runs", Of: list[runItem]{}},
		{Name: "Run", Of: Run{}},
		{Name: "RunPatch", Of: runPatch{}},
		{Name: "Metrics", Of: stat.Binary{}, Fields: statisticFields(stat.Statistic.Measured, new(float64), false)},
		{Name: "ClassMetrics", Of: stat.Classes{}, Fields: statisticFields(stat.Statistic.Classified, new(float64), false)},
		{Name: "RunMetrics", Of: engine.Metrics{}},
		{Name: "ClassRunMetrics", Of: engine.ClassMetrics{}},
		{Name: "Stratum", Of: stat.Stratum{}},
		{Name: "Performance", Of: stat.Performance{},
			Fields: statisticFields(stat.Statistic.Performed, stat.Estimate{}, false)},
		{Name: "Boundary", Of: stat.Boundary{},
			Fields: statisticFields(stat.Statistic.AtBoundaries, stat.Estimate{}, true)},
		{Name: "Comparison", Of: compare.Comparison{}},
		{Name: "Setting", Of: compare.Setting{}},
		{Name: "BandMoves", Of: stat.BandChanges{}},
		{Name: "Prediction", Of: model.Prediction{}, Hand: true},
		{Name: "RowsRequest", Of: rowsRequest{}},
		{Name: "Predictions", Of: predictedRows{}},
		{Name: "EvaluationItem", Of: evaluationItem{}},
		{Name: "Evaluations", Of: list[evaluationItem]{}},
		{Name: "EvaluationRecord", Of: evaluationRecord{}},
		{Name: "Evaluation", Of: evaluationJSON{}},
		{Name: "EvaluatedRows", Of: predictedEvaluation{}},
		{Name: "EvaluationPatch", Of: renameRequest{}},
		{Name: "Recalibration", Of: app.Recalibration{}},
		{Name: "Recalibrated", Of: recalibratedJSON{}},
		{Name: "Statistics", Of: statisticsJSON{}},
		{Name: "Bootstrap", Of: Bootstrap{}},
		{Name: "BootstrapRequest", Of: checkRequest{}},
		{Name: "Audit", Of: Audit{}},
		{Name: "AuditRequest", Of: auditRequest{}},
		{Name: "Model", Of: model.Model{}},
		{Name: "ModelColumn", Of: prep.Column{}},
		{Name: "ModelTerm", Of: prep.Term{}},
		{Name: "Potentials", Of: multiclass.Model{}, Hand: true},

		{Name: "Preset", Of: presetItem{}},
		{Name: "Presets", Of: list[presetItem]{}},
		{Name: "StudySpec", Of: study.Spec{}},
		{Name: "StudySource", Of: study.Source{}, Hand: true},
		{Name: "Study", Of: Study{}},
		{Name: "Studies", Of: list[Study]{}},
		{Name: "Cell", Of: study.Cell{}},

		{Name: "Health", Of: healthJSON{}},

		{Name: "File", Hand: true},
		{Name: "FileForm", Hand: true}, // an upload, read part by part as it comes
		{Name: "EvaluatedLoss", Hand: true},
		{Name: "Predicted", Hand: true},
	}
}

// Codes are those of warnings about data and runs, with their meanings.
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
	list.About = strings.Join(meanings, "; ")
	return list
}
