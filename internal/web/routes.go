package web

import (
	"log/slog"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/app/datasets"
	"taper/internal/engine/audit"
	"taper/internal/engine/cost"
	"taper/internal/store"
	"taper/internal/web/api"
	"taper/internal/web/httpio"
	"taper/internal/web/page/explore"
	"taper/internal/web/page/playground"
	"taper/internal/web/page/report"
	runpage "taper/internal/web/page/run"
	"taper/internal/web/page/studyreport"
	"taper/web/static"
)

func newServer(cfg Config, db *store.DB, log *slog.Logger, now func() time.Time) (*Server, error) {
	tree, err := static.New()
	if err != nil {
		return nil, err
	}
	if !tree.Complete() {
		log.Warn("This build has no chart code: charts stay empty. Run make assets, then build again.")
	}
	var memory cost.Memory
	if cfg.Memory > 0 {
		memory = cost.NewMemory(cfg.Memory)
	}
	db.KeepResults(memory)
	s := &Server{cfg: cfg, db: db, log: log, now: now, newID: newRequestID, memory: memory,
		datasets: datasets.New(db, cfg.Limits, memory, now), static: tree, explorer: explore.NewExplorer(memory),
		echo:     echo.New(),
		stopping: make(chan struct{})}
	if cfg.PasswordHash != "" {
		if s.sessions, err = newSessions(cfg.PasswordHash, now, s.newID); err != nil {
			return nil, err
		}
	}
	s.app = app.New(db, s.datasets, memory, cfg.Work, cfg.Version, log, now)
	if cfg.Patience > 0 {
		s.app.Computations.Patience = cfg.Patience
	}
	s.play = playground.New(playground.Config{Datasets: playFiles{s.datasets, s.db}, Start: s.startShown, Memory: memory})
	s.studies = studyreport.NewCatalogue()
	s.app.Keep, s.app.WithoutRows, s.app.Shared = s.keptRun, report.WithoutRows, sharedRun
	s.tags = httpio.Tagger{Start: cfg.Version + " " + s.newID(), Visitor: s.visitor,
		Answers: httpio.NewAnswers(cfg.KeptAnswers, memory)}
	s.api = api.New(api.Config{App: s.app, DB: db, Limits: cfg.Limits, Tags: s.tags,
		Streams: api.Streams{Jobs: s.app.Jobs, Stop: s.stopping}, Version: cfg.Version, Report: s.reportPage,
		Validation: s.evaluationPage, Calculator: s.calculatorFile, Bundle: s.bundleFile})
	s.echo.HTTPErrorHandler = s.fail
	s.middleware()
	s.routes()
	return s, nil
}

// middleware runs from the outside in. The checks of hosts and origins run before routing, so that they also apply
// to paths that do not exist.
func (s *Server) middleware() {
	s.echo.IPExtractor = s.cfg.TrustedProxies.addresses()
	s.echo.Pre(paced(sendWithin, takeWithin), httpio.Foreground(&s.app.Jobs.Foreground), compressed, s.logged, headers,
		recovered, s.admitted, s.underBase, s.forwarded, s.hosts, origins, httpio.LimitBody)
	if s.sessions != nil {
		s.echo.Use(s.signedIn)
	}
}

// uploads is the body limit of a request with an upload and a few form fields.
func (s *Server) uploads() echo.MiddlewareFunc { return httpio.AllowBody(s.cfg.Limits.Bytes + 1<<20) }

// routes is the table of all routes except those of the API, which api.Calls lists.
func (s *Server) routes() {
	e := s.echo
	e.GET(staticRoute, echo.WrapHandler(s.static))
	e.HEAD(staticRoute, echo.WrapHandler(s.static))

	// Answers that follow from their address and a revision have an ETag; lists that change all the time have none.
	// Pages that show single patients are marked, so that no browser stores them.
	tagged := func(path string, page echo.HandlerFunc, of httpio.Revision, around ...echo.MiddlewareFunc) {
		around = append(around, s.tags.By(of))
		e.GET(path, page, around...)
		e.HEAD(path, page, around...)
	}
	tagged("/", s.explore, httpio.Constant, inFractions)
	e.GET("/explore", s.exploreLive)
	tagged("/explore.csv", s.exploreCSV, httpio.Constant)
	e.GET("/explore/onward", s.exploreOnward)
	tagged("/playground", s.playPage, s.ofPlayground, inFractions)
	e.GET("/playground/live", s.playLive)
	e.GET("/playground/probe", s.playProbe)
	e.POST("/playground/save", s.playSave)

	// Forms that are open to everybody: no more of a body than this is read into memory.
	short := httpio.AllowBody(64 << 10)
	tagged("/help", s.helpIndex, httpio.Constant)
	tagged("/help/:topic", s.helpPage, httpio.Constant)
	e.POST("/theme", s.setTheme, short)
	tagged("/api", s.apiPage, httpio.Constant)

	upload := s.uploads()
	tagged("/data", s.dataPage, s.ofAll)
	e.POST("/data", s.uploadData, upload)
	e.POST("/data/paste", s.pasteData)
	e.POST("/data/generate", s.generateData)
	e.POST("/data/sample", s.sampleData)
	tagged("/data/:id", s.datasetPage, httpio.OfPatients(s.ofAll)) // shows the first rows
	e.POST("/data/:id", s.changeDataset)
	e.GET("/data/:id/delete", s.deleteDataPage)
	e.POST("/data/:id/delete", s.deleteData, s.tags.Forgetting)

	e.GET("/runs", s.runsPage)
	e.GET("/runs.csv", s.runsCSV)
	e.GET("/runs/delete", s.askRuns)
	e.POST("/runs/delete", s.deleteRuns, s.tags.Forgetting)
	e.GET("/runs/:id/delete", s.askRun)
	e.POST("/runs/:id/delete", s.deleteOneRun, s.tags.Forgetting)
	tagged(runpage.Result.URL(":id"), s.runPage(runpage.Result), s.ofRun)
	for _, at := range []runpage.Page{runpage.Performance, runpage.Model, runpage.Patients} { // show rows
		tagged(at.URL(":id"), s.runPage(at), httpio.OfPatients(s.ofRun))
	}
	tagged("/runs/:id/group", s.groupPage, s.ofRun, inFractions)
	e.GET("/runs/:id/group/live", s.groupLive)
	tagged("/runs/:id/calculator.html", s.calculatorFile, httpio.OfPatients(s.ofRun))
	tagged("/runs/:id/bundle.zip", s.bundleFile, httpio.OfPatients(s.ofRun))
	e.GET("/runs/:id/nomogram", s.nomogram)
	e.POST("/runs/:id/nomogram", s.nomogram)
	e.POST("/runs/:id/cancel", s.runCancel)
	e.POST("/runs/:id", s.changeRun)
	e.POST("/runs/:id/again", s.runAgain)
	e.POST("/runs/:id/bootstrap", s.startBootstrap)
	e.POST("/runs/:id/recalibrate", s.recalibrateRun)
	e.POST("/runs/:id/bootstrap/cancel", s.cancelBootstrap)
	e.GET("/runs/:id/score", s.runMoved(runpage.Patients, "#score"))
	e.POST("/runs/:id/score", s.scoreFile, upload)
	tagged("/verify", s.verifyPage, httpio.Constant)
	e.POST("/verify", s.verifyForm, upload)
	e.GET("/verify/:id", s.verifyingPage)
	e.POST("/verify/:id/cancel", s.verifyCancel)
	tagged("/evaluations/:id", s.evaluationPage, httpio.OfPatients(s.ofRecords))
	e.POST("/evaluations/:id", s.renameEvaluation)
	e.GET("/evaluations/:id/delete", s.askEvaluation)
	e.POST("/evaluations/:id/delete", s.deleteEvaluation, s.tags.Forgetting)
	e.POST("/evaluations/:id/recalibrate", s.recalibrateEvaluation)
	e.GET("/runs/:id/patient", s.runMoved(runpage.Patients, "#patient"))
	e.POST("/runs/:id/patient", s.askPatient)

	tagged("/studies", s.studiesPage, s.ofStudies)
	e.POST("/studies", s.startStudyForm)
	e.GET("/studies/new", s.studyNewPage)
	tagged("/studies/not-replicated", s.notReplicatedPage, httpio.Constant)
	tagged("/studies/preset/:preset", s.studyPresetPage, s.ofDatasets)
	e.GET("/studies/preset/:preset/picture.svg", s.studyPicture)
	tagged("/studies/preset/:preset/cells.csv", s.studyPresetCSV, httpio.Constant)
	tagged("/studies/preset/:preset/result.json", s.studyPresetJSON, httpio.Constant)
	tagged("/studies/:id", s.studyPage, s.ofStudy)
	e.GET("/studies/:id/live", s.studyLive)
	e.GET("/studies/:id/rows.csv", s.outsideRows)
	e.POST("/studies/:id/outside", s.evaluateExternalModel, httpio.AllowBody(mostPredictions))
	e.POST("/studies/:id/pause", s.studyHalt(store.Paused))
	e.POST("/studies/:id/cancel", s.studyHalt(store.Cancelled))
	e.POST("/studies/:id/resume", s.studyResume)
	e.GET("/studies/:id/delete", s.studyAsk)
	e.POST("/studies/:id/delete", s.studyDelete, s.tags.Forgetting)
	tagged("/robustness", s.robustnessPage, s.ofGrid, inFractions)
	e.POST("/robustness", s.robustnessRun)
	e.GET("/robustness/live", s.robustnessLive)

	e.GET("/audit/:id", s.auditPage)
	e.POST("/audit/:id", s.auditStart)
	e.POST("/audit/:id/cancel", s.auditCancel)
	e.POST("/audit/:id/decide", s.auditDecide)
	e.POST("/audit/:id/undo", s.auditUndo)
	e.POST("/audit/:id/try", s.auditTry)
	e.GET("/audit/:id/review.csv", s.auditCSV)
	e.POST("/audit/:id/review", s.auditImport, httpio.AllowBody(audit.MaxCSV+1<<20))
	e.POST("/audit/:id/refit", s.auditRefit)
	e.GET("/audit/:id/beside/:child", s.auditComparison)

	e.GET("/jobs/:id/live", s.jobLive)
	e.GET("/machines", s.machinesPage)
	e.POST("/machines/again", s.machinesAgain)
	tagged("/compare", s.comparePage, s.ofRecords)
	tagged("/compare.csv", s.compareCSV, s.ofRecords)

	tagged("/stratify/:id", s.stratifyPage, httpio.OfPatients(s.ofRecords), inFractions)
	e.GET("/stratify/:id/live", s.stratifyLive)
	tagged("/stratify/:id/flips", s.flipsPage, s.ofRecords, inFractions)
	e.GET("/stratify/:id/flips/live", s.flipsLive)
	e.GET("/stratify/:id/flips/draws", s.flipDraws)
	e.GET("/stratify/:id/given", s.givenPage)
	e.POST("/stratify/:id/given", s.givenRun)
	e.GET("/stratify/:id/changes", s.stratifyChanges)
	e.GET("/stratify/:id/rows.csv", s.stratifyRows)
	e.GET("/stratify/:id/model.json", s.stratifyModel)
	e.POST("/stratify/:id/save", s.stratifySave)
	e.POST("/stratify/:id/cancel", s.stratifyCancel)
	e.POST("/stratify/:id/score", s.stratifyScore)

	for _, call := range s.api.Calls() {
		e.Add(call.Method, call.Path, call.Handler, call.Middleware...)
		if call.Unchanged != nil {
			e.HEAD(call.Path, call.Handler, call.Middleware...)
		}
	}
	tagged("/report/:id", s.reportPage, httpio.OfPatients(s.ofRun))
	tagged("/report/:id/card.svg", s.reportCard(false), s.ofRun)
	tagged("/report/:id/card.png", s.reportCard(true), s.ofRun)
	if s.sessions != nil {
		e.GET("/login", s.loginPage)
		e.POST("/login", s.login, short)
		e.POST("/logout", s.logout, short, s.tags.Forgetting)
		e.GET("/sessions", s.sessionsPage)
		e.POST("/sessions", s.endSession, short)
	}
}
