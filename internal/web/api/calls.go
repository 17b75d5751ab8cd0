package api

import (
	"encoding/json"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/app/datasets"
	"taper/internal/engine/compare"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/web/httpio"
	"taper/internal/web/openapi"
	"taper/internal/web/page/comparison"
	"taper/internal/web/page/review"
	"taper/internal/web/page/runlist"
)

// Calls lists all calls with their descriptions. The router takes its routes from this list, so every route is
// described.
func (h *Handlers) Calls() []openapi.Operation {
	var all []openapi.Operation
	for _, group := range []struct {
		tag   string
		calls []openapi.Operation
	}{{"program", h.programCalls()}, {"losses", h.lossCalls()}, {"datasets", h.datasetCalls()},
		{"runs", h.runCalls()}, {"studies", h.studyCalls()}} {
		for _, op := range group.calls {
			op.Tag = group.tag
			if op.Unchanged != nil {
				op.Middleware = append([]echo.MiddlewareFunc{h.Tags.By(op.Unchanged)}, op.Middleware...)
			}
			if op.Method == http.MethodDelete {
				op.Middleware = append(op.Middleware, h.Tags.Forgetting)
			}
			all = append(all, op)
		}
	}
	return all
}

func (h *Handlers) programCalls() []openapi.Operation {
	return []openapi.Operation{
		{Method: http.MethodGet, Path: "/healthz", ID: "health",
			Handler: h.health,
			Summary: "Health check",
			Answers: []openapi.Answer{{Status: 200, Description: "The program answers " +
				"requests", Content: openapi.JSON(healthJSON{})}}},
		{Method: http.MethodGet, Path: "/api/v1/openapi.json", ID: "openapi",
			Handler: h.openAPI, Unchanged: httpio.Constant,
			Summary: "This description",
			Answers: []openapi.Answer{{Status: 200, Description: "OpenAPI 3.1",
				Content: openapi.JSON(&jsonschema.Schema{Type: "object"})}}},
		{Method: http.MethodGet, Path: "/api/v1/machines", ID: "machines",
			Handler: h.machines,
			Summary: "The machines that compute for this one",
			Description: "queue is the address at which they join, empty where everything is computed here. It carries " +
				"rows of an upload only for a job whose call names it in share_rows. Each machine says what it holds. Each job " +
				"has the number of units done in its present stage, the number computed twice with equal results, and " +
				"the failed units with machine and cause. A job that ended without failed units stays until it starts again.",
			Answers: []openapi.Answer{{Status: 200, Description: "The machines and what they do",
				Content: openapi.JSON(Machines{})}}},
		{Method: http.MethodPost, Path: "/api/v1/jobs/:id/again", ID: "tryUnitsAgain",
			Handler: h.tryAgain,
			Summary: "Offer the failed units of a job once more",
			Description: "A unit that failed three times is set aside until this call. The job fails when only such units " +
				"are left.",
			Answers: []openapi.Answer{{Status: 200, Description: "The machines and what they do",
				Content: openapi.JSON(Machines{})}},
			Errors: []int{409}},
	}
}

func (h *Handlers) lossCalls() []openapi.Operation {
	return []openapi.Operation{
		{Method: http.MethodGet, Path: "/api/v1/losses", ID: "losses",
			Handler: h.losses, Unchanged: httpio.Constant,
			Summary: "Every loss with its parameters",
			Description: "min and max are the limits of the API; slider_min and slider_max are those of the " +
				"pages. formula is TeX.",
			Answers: []openapi.Answer{{Status: 200, Description: "The losses", Content: openapi.JSON(lossList{})}}},
		{Method: http.MethodPost, Path: "/api/v1/losses/evaluate", ID: "evaluateLoss",
			Handler: h.evaluateLoss,
			Summary: "Evaluate a loss",
			Description: "margin losses and the interval surrogate take margins; potential losses take potentials and labels; " +
				"threshold losses take scores, thresholds and labels. At a kink the gradient is one of the " +
				"subgradients and the second derivative is null. A value that a loss does not have is null. " +
				"A list, all " +
				"rows of potentials together, and scores × thresholds may have at most 1 000 000 numbers, and a " +
				"row of potentials at most 1000; otherwise the answer is 422.",
			Body: &openapi.Body{Description: "The loss, its parameters (those left out have their default), and " +
				"the points at which to evaluate it",
				Content: openapi.JSON(lossQuestion{})},
			Answers: []openapi.Answer{{Status: 200,
				Description: "One entry for each margin, row of potentials or score",
				Content:     openapi.JSON(openapi.NamedType("EvaluatedLoss"))}},
			Errors: []int{413, 422}},
	}
}

func (h *Handlers) datasetCalls() []openapi.Operation {
	return []openapi.Operation{
		{Method: http.MethodPost, Path: "/api/v1/datasets", ID: "createDataset",
			Handler: h.createDataset, Middleware: []echo.MiddlewareFunc{h.uploads()},
			Summary: "Read a CSV or Excel file",
			Description: "The file is streamed into the data folder. Settings that are left out are detected. An " +
				"empty, " +
				"ragged or otherwise unreadable file is refused, the error names the place, and nothing is stored. A " +
				"client that accepts text/event-stream gets server-sent events with status 200 instead: progress " +
				"{fraction, message}, at the end created with the dataset, or problem. Closing the connection stops " +
				"the reading.",
			Body: &openapi.Body{Description: "The file and, optionally, how to read it",
				Content: openapi.Content{"multipart/form-data": openapi.NamedType("FileForm")}},
			Answers: []openapi.Answer{{Status: 201, Description: "The dataset",
				Content: openapi.JSON(Dataset{})}},
			Errors: []int{413, 422}},
		{Method: http.MethodGet, Path: "/api/v1/datasets", ID: "listDatasets",
			Handler: h.datasets,
			Summary: "The datasets, newest first",
			Query:   queries(&paging{}),
			Answers: []openapi.Answer{{Status: 200, Description: "One page of the list",
				Content: openapi.JSON(list[Dataset]{})}},
			Errors: []int{422}},
		{Method: http.MethodPost, Path: "/api/v1/datasets/generate", ID: "generateDataset",
			Handler: h.generate,
			Summary: "Simulate a dataset",
			Description: "The same generator, rows, seed and parameters give the same cells. Parameters that are " +
				"left out have their defaults.",
			Body: &openapi.Body{Description: "The generator and its parameters",
				Content: openapi.JSON(generateRequest{})},
			Answers: []openapi.Answer{{Status: 201, Description: "The dataset",
				Content: openapi.JSON(Dataset{})}},
			Errors: []int{422}},
		{Method: http.MethodGet, Path: "/api/v1/generators", ID: "generators",
			Handler: h.generators, Unchanged: httpio.Constant,
			Summary: "The generators of simulated data",
			Answers: []openapi.Answer{{Status: 200, Description: "The generators",
				Content: openapi.JSON(list[synth.Generator]{})}}},
		{Method: http.MethodGet, Path: "/api/v1/datasets/:id", ID: "dataset",
			Handler: h.dataset,
			Summary: "One dataset: dialect, columns, warnings",
			Answers: []openapi.Answer{{Status: 200, Description: "The dataset",
				Content: openapi.JSON(Dataset{})}},
			Errors: []int{404}},
		{Method: http.MethodPatch, Path: "/api/v1/datasets/:id", ID: "patchDataset",
			Handler: h.patchDataset,
			Summary: "Change how a dataset is read, or the roles of its columns",
			Description: "Fields that the body leaves out do not change. The file is read again where a change " +
				"requires it; the answer is 409 if the file was deleted. A dialect that makes the file " +
				"unreadable is refused.",
			Body: &openapi.Body{Description: "The changes",
				Content: openapi.JSON(datasets.Patch{})},
			Answers: []openapi.Answer{{Status: 200, Description: "The dataset",
				Content: openapi.JSON(Dataset{})}},
			Errors: []int{404, 409, 422}},
		{Method: http.MethodDelete, Path: "/api/v1/datasets/:id", ID: "deleteDataset",
			Handler: h.deleteDataset,
			Summary: "Delete a dataset and all runs made from it, or keep the models",
			Query: []openapi.Query{
				{Name: "models", Description: "keep: delete the data and every row, and keep the settings, the " +
					"model and the report of each finished run. Counts of 1 to 9 are masked in them. The model " +
					"keeps the names of columns and levels. Kernel models are deleted, because they contain rows.",
					Schema: byDefault(openapi.Texts(datasets.ModelsDeleted, datasets.ModelsKept), `"delete"`)},
			},
			Answers: []openapi.Answer{{Status: 200, Description: "The data are deleted; these runs remain, " +
				"without rows",
				Content: openapi.JSON(keptRuns{})},
				{Status: 204, Description: "Deleted from the data folder"}},
			Errors: []int{404, 409, 422}},
		{Method: http.MethodGet, Path: "/api/v1/datasets/:id/preview", ID: "previewDataset",
			Handler: h.preview,
			Summary: "The first rows as text",
			Query:   queries(&previewRows{}),
			Answers: []openapi.Answer{{Status: 200, Description: "The cells as in the file",
				Content: openapi.JSON(previewJSON{})}},
			Errors: []int{404, 422}},
		{Method: http.MethodGet, Path: "/api/v1/datasets/:id/download", ID: "downloadDataset",
			Handler: h.download,
			Summary: "The stored data: the uploaded file, later the columns in use",
			Description: "Until the columns are confirmed, this is the uploaded file, byte for byte. Afterwards " +
				"it has the kept columns in UTF-8 with commas, decimal points and ISO dates; text that a " +
				"spreadsheet would read as a formula has a leading quote.",
			Answers: []openapi.Answer{{Status: 200, Description: "The file",
				Content: openapi.Content{"text/csv": text(), "application/octet-stream": openapi.NamedType("File")}}},
			Errors: []int{404, 409}},
	}
}

func (h *Handlers) runCalls() []openapi.Operation {
	return []openapi.Operation{
		{Method: http.MethodPost, Path: "/api/v1/runs", ID: "createRun",
			Handler: h.createRun,
			Summary: "Train on a dataset",
			Description: "The spec is checked against the data and stored; the run is queued. Fields that are " +
				"left out have the default in their schema. If Taper is stopped meanwhile, the run goes on at the next " +
				"start, with the parts that were finished, to the same bits.",
			Query: queries(&sharing{}),
			Body: &openapi.Body{Description: "What to train",
				Content: openapi.JSON(runspec.Spec{})},
			Answers: []openapi.Answer{{Status: 202, Description: "Queued", Content: openapi.JSON(queued{})}},
			Errors:  []int{409, 422}},
		{Method: http.MethodGet, Path: "/api/v1/runs", ID: "listRuns",
			Handler: h.runs,
			Summary: "The runs, newest first",
			Query:   queries(&runlist.Filter{}),
			Answers: []openapi.Answer{{Status: 200, Description: "One page of the list",
				Content: openapi.JSON(list[runItem]{})}},
			Errors: []int{422}},
		{Method: http.MethodGet, Path: "/api/v1/compare", ID: "compareRuns",
			Handler: h.compare, Unchanged: h.ofRecords,
			Summary: "Two to six finished runs compared",
			Description: "Every list with one entry per run is in the order of ids. A difference is the value of " +
				"the run minus that of the baseline; where it is not defined (different data, event, boundaries " +
				"or threshold) it is null and a warning says why. Paired differences and reclassification use " +
				"the rows that both runs tested.",
			Query: queries(&comparison.State{}, "ids", "base", "all"),
			Answers: []openapi.Answer{{Status: 200, Description: "The comparison",
				Content: openapi.JSON(compare.Comparison{})}},
			Errors: []int{404, 409, 422}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id", ID: "run",
			Handler: h.run, Unchanged: httpio.OfPatients(h.ofRun),
			Summary: "One run: its spec and, when done, its result",
			Answers: []openapi.Answer{{Status: 200, Description: "The run", Content: openapi.JSON(Run{})}},
			Errors:  []int{404}},
		{Method: http.MethodPatch, Path: "/api/v1/runs/:id", ID: "patchRun",
			Handler:     h.patchRun,
			Summary:     "Change name or notes",
			Description: "Nothing else of a run can be changed.",
			Body: &openapi.Body{Description: "What changes",
				Content: openapi.JSON(runPatch{})},
			Answers: []openapi.Answer{{Status: 200, Description: "The run", Content: openapi.JSON(Run{})}},
			Errors:  []int{404, 422}},
		{Method: http.MethodDelete, Path: "/api/v1/runs/:id", ID: "deleteRun",
			Handler:     h.deleteRun,
			Summary:     "Stop and delete a run",
			Description: "Its result, model and rows are deleted; the data remain.",
			Answers:     []openapi.Answer{{Status: 204, Description: "Deleted"}},
			Errors:      []int{404}},
		{Method: http.MethodPost, Path: "/api/v1/runs/:id/cancel", ID: "cancelRun",
			Handler:     h.cancelRun,
			Summary:     "Stop a run",
			Description: "It ends within 500 ms; its record remains.",
			Answers:     []openapi.Answer{{Status: 200, Description: "The run", Content: openapi.JSON(Run{})}},
			Errors:      []int{404, 409}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/events", ID: "runEvents",
			Handler: h.runEvents,
			Summary: "Progress until the run ends",
			Description: "Server-sent events: progress {fraction, iteration, objective, gradient_norm, eta_s, " +
				"message}; at the end one of done, failed, cancelled, interrupted {id, status, error}. A run " +
				"that has ended sends only this event. One that is interrupted, because Taper stops, goes on at the next start.",
			Answers: []openapi.Answer{{Status: 200, Description: "The events",
				Content: openapi.Text("text/event-stream")}},
			Errors: []int{404}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/rows", ID: "runRows",
			Handler: h.runRows,
			Summary: "All rows used, with their scores",
			Description: "row counts from 0, row_number from 1, as on the pages; outcome is as uploaded; split " +
				"is train, test, the fold from 1, or scored; score is f of a model that was not trained on the " +
				"row; stratum is 0 … K and band its label; probability is empty where the model has none. Text " +
				"that a spreadsheet would read as a formula has a leading quote.",
			Query: []openapi.Query{
				{Name: "format", Description: "csv is the only format and the default", Schema: openapi.Texts("csv")},
			},
			Answers: []openapi.Answer{{Status: 200,
				Description: "row,outcome,split,score,probability,stratum,band,weight,flipped,row_number",
				Content:     openapi.Text("text/csv")}},
			Errors: []int{404, 409}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/audit", ID: "audit",
			Handler: h.audit,
			Summary: "The label audit of a run: ranking, queue, decisions",
			Description: "Rows are ranked by suspicion = 1 − the five-fold out-of-fold, calibrated " +
				"(link-inverted) probability of their recorded label; for a loss without probabilities, by the margin for the " +
				"recorded label (audit.basis). weight is the weight in the fit, weight_over_median the same " +
				"divided by its median. sort=review mixes random controls into the order of suspicion without " +
				"marking them. label is as uploaded and never changes; other is the class that a flip gives.",
			Query: append(queries(&review.State{}, "sort", "state", "label"), queries(&auditPage{})...),
			Answers: []openapi.Answer{{Status: 200,
				Description: "The audit. Before the first one: status none and no items",
				Content:     openapi.JSON(Audit{})}},
			Errors: []int{404, 409, 422}},
		{Method: http.MethodPost, Path: "/api/v1/runs/:id/audit", ID: "auditPost",
			Handler: h.auditPost,
			Summary: "Rank the labels, decide, undo, flip for a test, or fit on the reviewed labels",
			Description: "One of: start, to rank the labels (with retune, λ is tuned again by the held-out mean " +
				"of the loss of the model); decisions, by the key of each row; undo, for the last decision; try, " +
				"to flip labels at random and find them; refit, for a child run on the reviewed labels. No label " +
				"changes without a decision. A ranking or test that is under way when Taper stops goes on at the next start.",
			Query: queries(&sharing{}),
			Body:  &openapi.Body{Content: openapi.JSON(auditRequest{})},
			Answers: []openapi.Answer{{Status: 200, Description: "decisions and undo: the audit afterwards",
				Content: openapi.JSON(Audit{})},
				{Status: 202, Description: "start and try: queued; refit: the child run, with its Location",
					Content: openapi.JSON(queued{})}},
			Errors: []int{404, 409, 422}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/model.json", ID: "model",
			Handler: h.model, Unchanged: httpio.OfPatients(h.ofRun),
			Summary:     "The model, complete for scoring without this program",
			Description: "docs/model-json.md describes every field.",
			Query: []openapi.Query{
				{Name: "download", Description: "1: download as a file", Schema: openapi.Texts("1")},
			},
			Answers: []openapi.Answer{{Status: 200, Description: "The model", Content: openapi.JSON(model.Model{})}},
			Errors:  []int{404, 409}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/calculator.html", ID: "calculator",
			Handler: h.Calculator, Unchanged: httpio.OfPatients(h.ofRun),
			Summary: "The model as an HTML file that scores patients without this program",
			Description: "At most 150 kB; it makes no requests and can be opened from any disk. It contains the " +
				"model without data, and at least 200 simulated rows. It scores these rows when it is opened and " +
				"stops if one score differs from that of Taper by a relative difference above 10⁻¹². Kernel " +
				"models, which contain rows, and losses with a cost matrix are refused (409).",
			Query: []openapi.Query{
				{Name: "download", Description: "1: download as a file", Schema: openapi.Texts("1")},
			},
			Answers: []openapi.Answer{{Status: 200, Description: "The calculator", Content: openapi.Text("text/html")}},
			Errors:  []int{404, 409}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/bundle.zip", ID: "bundle",
			Handler: h.Bundle, Unchanged: httpio.OfPatients(h.ofRun),
			Summary: "The run as one ZIP file that somebody else can check",
			Description: "Spec, reading, numbers, model and the masked report, with versions, licences and the hash of the " +
				"data: what verify computes again, and nothing else. Refused (409): kernel models, which hold rows; recalibrated " +
				"runs, which were not trained; runs whose data were deleted; without the data, runs on reviewed labels.",
			Query: []openapi.Query{
				{Name: "data", Description: "1: with the uploaded file, which must still be there (409)",
					Schema: byDefault(openapi.Texts("0", "1"), `"0"`)},
			},
			Answers: []openapi.Answer{{Status: 200, Description: "The bundle",
				Content: openapi.Content{"application/zip": &jsonschema.Schema{Type: "string"}}}},
			Errors: []int{404, 409, 422}},
		{Method: http.MethodPost, Path: "/api/v1/verifications", ID: "verify",
			Handler: h.verify, Middleware: []echo.MiddlewareFunc{h.uploads()},
			Summary: "Compute a run again from its bundle and its data, and compare",
			Description: "The answer comes when the run is computed. Nothing is stored. verdict is same-bits; same-1e-9, " +
				"where another build or class of processor computed the run; or differs: then first is the first value that " +
				"differs. The part data is the file that the run was made from, byte for byte (409 for another); it can be left " +
				"out where the bundle holds it.",
			Body: &openapi.Body{Description: "The bundle, and the data",
				Content: openapi.Content{"multipart/form-data": openapi.NamedType("VerifyForm")}},
			Answers: []openapi.Answer{{Status: 200, Description: "The verdict", Content: openapi.JSON(app.Verification{})}},
			Errors:  []int{409, 413, 422}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/code/:language", ID: "code",
			Handler: h.code, Unchanged: httpio.OfPatients(h.ofRun),
			Summary: "The model as a program, or as an equation",
			Description: "language is javascript, python, r, sql (for SQLite) or postgresql, for a file that scores " +
				"without this program and without packages; or words or latex, for the equation in the units of the " +
				"columns. It contains the model without data. Refused (409): kernel models, losses with a cost matrix, " +
				"and for SQL links without a closed form (two-temperature, t-logistic) and models of more than 500 " +
				"terms or trees.",
			Answers: []openapi.Answer{{Status: 200, Description: "The file", Content: openapi.Text("text/plain")}},
			Errors:  []int{404, 409, 422}},
		{Method: http.MethodPost, Path: "/api/v1/runs/:id/predict", ID: "predict",
			Handler: h.predict, Middleware: []echo.MiddlewareFunc{h.uploads()},
			Summary: "Score new rows",
			Description: "The answer to a CSV or Excel file is CSV with the same delimiter and the same cells, " +
				"with score, probability, stratum and warning appended (_2 where a name exists already). The " +
				"answer to JSON is JSON. No row is stored. A file without a column that the model uses is " +
				"refused, and so are rows of a different number of cells; missing cells, unseen levels and " +
				"values out of range give a warning. With evaluate=1 counts and statistics are stored with the " +
				"run, unless keep=0: the answer has their id, and Location their address; evaluating the same " +
				"file again replaces them. Rows that the model was trained on, and rows of one class, are " +
				"evaluated with a warning (same-data, one-class) and not stored.",
			Query: []openapi.Query{
				{Name: "evaluate", Description: "1: the rows include the outcome. The answer to a file is an " +
					"external validation, to JSON rows their scores and the validation",
					Schema: openapi.Texts("0", "1")},
				{Name: "names", Description: "1: a scored file without a header gets one (c1, c2, …, score, …)",
					Schema: byDefault(openapi.Texts("0", "1"), `"0"`)},
				{Name: "by", Description: "with evaluate=1: column that defines subgroups, for two classes",
					Schema: text()},
				{Name: "keep", Description: "with evaluate=1: 0 stores nothing", Schema: byDefault(openapi.Texts("0",
					"1"), `"1"`)},
				{Name: "name", Description: "with evaluate=1: name of the validation. Default: data.csv or rows.json",
					Schema: &jsonschema.Schema{Type: "string", MaxLength: jsonschema.Ptr(datasets.MaxName)}},
			},
			Body: &openapi.Body{Description: "New rows",
				Content: openapi.Content{"text/csv": text(), "application/json": rowsRequest{}}},
			Answers: []openapi.Answer{{Status: 200,
				Description: "Scored rows, or with evaluate=1 the external validation",
				Content:     openapi.Content{"text/csv": text(), "application/json": openapi.NamedType("Predicted")}}},
			Errors: []int{404, 409, 413, 422}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/evaluations", ID: "evaluations",
			Handler: h.evaluations, Unchanged: h.ofRun,
			Summary:     "External validations of a run",
			Description: "Made by predict?evaluate=1, newest first. They have counts and statistics and no rows.",
			Answers: []openapi.Answer{{Status: 200, Description: "The list",
				Content: openapi.JSON(list[evaluationItem]{})}},
			Errors: []int{404}},
		{Method: http.MethodGet, Path: "/api/v1/evaluations/:id", ID: "evaluation",
			Handler: h.evaluation, Unchanged: h.ofRecords,
			Summary: "One external validation",
			Answers: []openapi.Answer{{Status: 200, Description: "The validation, with result as " +
				"predict?evaluate=1 returned it",
				Content: openapi.JSON(evaluationRecord{})}},
			Errors: []int{404}},
		{Method: http.MethodPatch, Path: "/api/v1/evaluations/:id", ID: "renameEvaluation",
			Handler: h.patchEvaluation,
			Summary: "Rename an external validation",
			Body:    &openapi.Body{Content: openapi.JSON(renameRequest{})},
			Answers: []openapi.Answer{{Status: 200, Description: "The validation",
				Content: openapi.JSON(evaluationRecord{})}},
			Errors: []int{404, 422}},
		{Method: http.MethodDelete, Path: "/api/v1/evaluations/:id", ID: "deleteEvaluation",
			Handler:     h.deleteEvaluation,
			Summary:     "Delete an external validation",
			Description: "Its counts and statistics are deleted; the run remains.",
			Answers:     []openapi.Answer{{Status: 204, Description: "Deleted"}},
			Errors:      []int{404}},
		{Method: http.MethodGet, Path: "/api/v1/evaluations/:id/report", ID: "evaluationReport",
			Handler: h.Validation, Unchanged: httpio.OfPatients(h.ofRecords),
			Summary: "The printable report of an external validation",
			Query: []openapi.Query{
				{Name: "download", Description: "1: download as a single file", Schema: openapi.Texts("1")},
				{Name: "counts", Description: "Counts of 1 to 9: masked (default) or shown",
					Schema: openapi.Texts("masked", "shown")},
			},
			Answers: []openapi.Answer{{Status: 200, Description: "The report", Content: openapi.Text("text/html")}},
			Errors:  []int{404, 422}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/statistics", ID: "statistics",
			Handler: h.statistics, Unchanged: h.ofRun,
			Summary: "The statistics of the report",
			Description: "For a finished run with two classes, computed from its rows without masks: apparent " +
				"and validated performance, the 2×2 table at every boundary, likelihood ratios of the bands, " +
				"decision curve, smooth calibration curve, reclassification versus logistic regression by " +
				"outcome, ordered groups, sample size (Riley), variance inflation; with by, subgroups. Every " +
				"estimate is {value, ci_low, ci_high} with 95 % limits, null where it does not exist.",
			Query: groupQueries(),
			Answers: []openapi.Answer{{Status: 200, Description: "The statistics",
				Content: openapi.JSON(statisticsJSON{})}},
			Errors: []int{404, 409, 422}},
		{Method: http.MethodPost, Path: "/api/v1/runs/:id/recalibrate", ID: "recalibrate",
			Handler: h.recalibrate,
			Summary: "Recalibrate the model for another population",
			Description: "Stores a child of a finished run with a logistic link: logit P = intercept + slope · " +
				"logit p, with the given numbers or for another prevalence. Its model.json gives the " +
				"recalibrated risks; its tables use the rows of the parent run.",
			Body:    &openapi.Body{Content: openapi.JSON(app.Recalibration{})},
			Answers: []openapi.Answer{{Status: 201, Description: "Stored", Content: openapi.JSON(recalibratedJSON{})}},
			Errors:  []int{404, 409, 422}},
		{Method: http.MethodPost, Path: "/api/v1/runs/:id/bootstrap", ID: "startBootstrap",
			Handler: h.startBootstrap,
			Summary: "Estimate optimism and stability by bootstrap",
			Description: "Refits the whole pipeline of a finished run with two classes, tuning included, on " +
				"bootstrap samples of its training rows, and stores the result with the run; an earlier result " +
				"is replaced. If Taper is stopped meanwhile, the bootstrap goes on at the next start, with the samples that " +
				"were finished, to the same bits.",
			Query:   queries(&sharing{}),
			Body:    &openapi.Body{Content: openapi.JSON(checkRequest{})},
			Answers: []openapi.Answer{{Status: 202, Description: "Queued", Content: openapi.JSON(queued{})}},
			Errors:  []int{404, 409, 422}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/bootstrap", ID: "bootstrap",
			Handler: h.bootstrap, Unchanged: httpio.OfPatients(h.ofRun),
			Summary: "The bootstrap results: optimism and stability",
			Description: "result is null until done: metrics with apparent, optimism and corrected (Harrell; " +
				"median says that the optimism is the median over the refits rather than their mean), " +
				"stability of the bands with the rows that fall into another band in more than 30 % of the " +
				"bootstrap models, " +
				"percentile intervals of coefficients and odds ratios, and splines with the pointwise 95 % band " +
				"of each curve (low and high at its x) and the intervals of its contrasts.",
			Answers: []openapi.Answer{{Status: 200, Description: "The bootstrap " +
				"results", Content: openapi.JSON(Bootstrap{})}},
			Errors: []int{404}},
		{Method: http.MethodPost, Path: "/api/v1/runs/:id/bootstrap/cancel", ID: "cancelBootstrap",
			Handler:     h.cancelBootstrap,
			Summary:     "Stop the bootstrap",
			Description: "It ends within 500 ms.",
			Answers: []openapi.Answer{{Status: 200, Description: "The bootstrap " +
				"results", Content: openapi.JSON(Bootstrap{})}},
			Errors: []int{404, 409}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/bootstrap/events", ID: "bootstrapEvents",
			Handler:     h.bootstrapEvents,
			Summary:     "Progress until the bootstrap ends",
			Description: "Server-sent events, as for a run.",
			Answers: []openapi.Answer{{Status: 200, Description: "The events",
				Content: openapi.Text("text/event-stream")}},
			Errors: []int{404}},
		{Method: http.MethodGet, Path: "/api/v1/runs/:id/report", ID: "report",
			Handler: h.Report, Unchanged: httpio.OfPatients(h.ofRun),
			Summary: "The printable report",
			Description: "One page with inline SVG and no script. It prints on A4. Counts of 1 to 9 are masked " +
				"unless counts=shown; after the data are deleted they are always masked. The report says which.",
			Query: append(groupQueries(),
				openapi.Query{Name: "download", Description: "1: download as a single file", Schema: openapi.Texts("1")},
				openapi.Query{Name: "counts", Description: "Counts of 1 to 9: masked (default) or shown",
					Schema: openapi.Texts("masked", "shown")}),
			Answers: []openapi.Answer{{Status: 200, Description: "The report", Content: openapi.Text("text/html")}},
			Errors:  []int{404, 409, 422}},
	}
}

func (h *Handlers) studyCalls() []openapi.Operation {
	return []openapi.Operation{
		{Method: http.MethodGet, Path: "/api/v1/presets", ID: "presets",
			Handler: h.presets, Unchanged: httpio.Constant,
			Summary:     "Figures and tables of the papers that can be reproduced",
			Description: "Each describes its protocol. The size quick takes under a minute on two cores.",
			Answers: []openapi.Answer{{Status: 200, Description: "The presets",
				Content: openapi.JSON(list[presetItem]{})}}},
		{Method: http.MethodPost, Path: "/api/v1/studies", ID: "createStudy",
			Handler: h.createStudy,
			Summary: "Start a study",
			Description: "Either a preset with its size, or a grid of models and noise rates on a dataset or a " +
				"generator. Results are stored as they finish.",
			Query: queries(&sharing{}),
			Body: &openapi.Body{Description: "The preset, or the grid",
				Content: openapi.JSON(study.Spec{})},
			Answers: []openapi.Answer{{Status: 202, Description: "Queued", Content: openapi.JSON(queued{})}},
			Errors:  []int{422}},
		{Method: http.MethodGet, Path: "/api/v1/studies", ID: "studies",
			Handler:     h.studies,
			Summary:     "Studies, the newest first",
			Description: "Without their cells.",
			Query:       queries(&studyFilter{}),
			Answers: []openapi.Answer{{Status: 200, Description: "The studies",
				Content: openapi.JSON(list[Study]{})}},
			Errors: []int{422}},
		{Method: http.MethodGet, Path: "/api/v1/studies/:id", ID: "study",
			Handler:     h.study,
			Summary:     "A study with its cells",
			Description: "While it is running, the cells are those finished so far.",
			Answers:     []openapi.Answer{{Status: 200, Description: "The study", Content: openapi.JSON(Study{})}},
			Errors:      []int{404}},
		{Method: http.MethodDelete, Path: "/api/v1/studies/:id", ID: "deleteStudy",
			Handler:     h.deleteStudy,
			Summary:     "Stop and delete a study",
			Description: "All its results are deleted.",
			Answers:     []openapi.Answer{{Status: 204, Description: "Deleted"}},
			Errors:      []int{404}},
		{Method: http.MethodGet, Path: "/api/v1/studies/:id/cells.csv", ID: "studyCSV",
			Handler:     h.studyCSV,
			Summary:     "The cells as CSV",
			Description: "One row per cell, or per replicate.",
			Query: []openapi.Query{
				{Name: "of", Description: "cells (default) or replicates", Schema: openapi.Texts("cells",
					"replicates")},
			},
			Answers: []openapi.Answer{{Status: 200, Description: "The table", Content: openapi.Text("text/csv")}},
			Errors:  []int{404, 422}},
		{Method: http.MethodGet, Path: "/api/v1/studies/:id/events", ID: "studyEvents",
			Handler: h.studyEvents,
			Summary: "Progress until the study stops",
			Description: "Server-sent events: progress {fraction, message, eta_s}; at the end one of done, " +
				"failed, cancelled, paused, interrupted {id, status, error}.",
			Answers: []openapi.Answer{{Status: 200, Description: "The events",
				Content: openapi.Text("text/event-stream")}},
			Errors: []int{404}},
		{Method: http.MethodPost, Path: "/api/v1/studies/:id/cancel", ID: "cancelStudy",
			Handler:     h.cancelStudy,
			Summary:     "Stop a study",
			Description: "It stops within 500 ms; finished results remain.",
			Answers:     []openapi.Answer{{Status: 200, Description: "The study", Content: openapi.JSON(Study{})}},
			Errors:      []int{404, 409}},
		{Method: http.MethodPost, Path: "/api/v1/studies/:id/pause", ID: "pauseStudy",
			Handler:     h.pauseStudy,
			Summary:     "Pause a study",
			Description: "It stops within 500 ms and can be resumed, also after a restart of the program.",
			Answers:     []openapi.Answer{{Status: 200, Description: "The study", Content: openapi.JSON(Study{})}},
			Errors:      []int{404, 409}},
		{Method: http.MethodPost, Path: "/api/v1/studies/:id/resume", ID: "resumeStudy",
			Handler: h.resumeStudy,
			Summary: "Resume a study",
			Description: "Finished results are not computed again; the final numbers are the same as without a " +
				"pause.",
			Answers: []openapi.Answer{{Status: 200, Description: "The study", Content: openapi.JSON(Study{})}},
			Errors:  []int{404, 409}},
	}
}

func text() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

func byDefault(s *jsonschema.Schema, value string) *jsonschema.Schema {
	s.Default = json.RawMessage(value)
	return s
}

// groupQueries choose the subgroups and the ordered groups of the statistics of a binary run and of its report.
func groupQueries() []openapi.Query {
	return []openapi.Query{
		{Name: "by", Description: "A column that defines subgroups by its levels, or by thirds if it is numeric; for two " +
			"classes", Schema: text()},
		{Name: "order", Description: "Two or more groups of the outcome in ascending order, separated by commas, in " +
			"quotation marks where a name has a comma; for two classes. " +
			"Default: the non-event class, the levels that are scored but not used for training, the event",
			Schema: text()},
	}
}
