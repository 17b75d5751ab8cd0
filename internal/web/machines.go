package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/job"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/httpio"
	"taper/web/templates"
)

// machinesPage answers GET /machines: the work of each machine, its speed, and what remains.
func (s *Server) machinesPage(c echo.Context) error {
	all, err := s.app.Machines(c.Request().Context())
	if err != nil {
		return err
	}
	p := s.page(c, "Machines")
	v := templates.Machines{Table: machineTable(all.List), Queue: all.Address}
	helping, cores := 0, 0
	for _, m := range all.List {
		if m.Helps {
			helping++
			cores += m.Cores
		}
	}
	switch {
	case all.Address == "":
		p.Result = templates.Sentence("Everything is computed on this machine.",
			"Start Taper with -workers or -queue to compute on other machines too.")
	case helping == 0:
		p.Result = templates.Sentence("No other machine helps at present.",
			"This one computes; workers join the queue "+all.Address+".")
	default:
		p.Result = templates.Sentence("Work is done by "+phrase.Count(helping, "machine")+" with "+
			phrase.Count(cores, "processor")+",", "which joined the queue "+all.Address+".")
	}
	for _, one := range all.Jobs {
		view := sharedView(one)
		view.Title = s.jobTitle(c.Request().Context(), one.Job)
		v.Jobs = append(v.Jobs, view)
	}
	return s.render(c, http.StatusOK, templates.MachinesPage(p, v))
}

// machinesAgain answers POST /machines/again: it offers units that failed too often once more.
func (s *Server) machinesAgain(c echo.Context) error {
	var asked struct {
		Job string `form:"job"`
	}
	if err := httpio.ReadForm(c, &asked); err != nil {
		return err
	}
	if err := s.app.TryAgain(asked.Job); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/machines")
}

func machineTable(list []job.Machine) templates.Table {
	t := templates.Table{Label: "Machines", Columns: []templates.Column{{Label: "Machine"},
		{Label: "Processors", Num: true}, {Label: "Class"}, {Label: "Jobs done", Num: true},
		{Label: "Per job", Unit: "s", Num: true}, {Label: "Holds"}}}
	for _, m := range list {
		each := "–"
		if m.Units > 0 {
			each = viz.Short(m.Seconds/float64(m.Units), 3)
		}
		class := m.Class
		if !m.Helps {
			class += "; does not help: another build or class"
		}
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: m.Machine}, {Text: phrase.Int(m.Cores)},
			{Text: class}, {Text: phrase.Int(m.Units)}, {Text: each}, {Text: holds(m.Holds)}}})
	}
	return t
}

// holds lists what a machine has in memory.
func holds(all []job.Holding) string {
	var list []string
	for _, h := range all {
		list = append(list, h.String())
	}
	if list == nil {
		return "nothing"
	}
	return strings.Join(list, "; ")
}

// sharedView describes one job and its units, which pages call jobs, as those of a study do.
func sharedView(s job.Sharing) templates.SharedJob {
	v := templates.SharedJob{ID: s.Job, URL: jobURL(s.Job)}
	v.Say = fmt.Sprintf("%s of %s of this stage are done, %s in the queue or at work.", phrase.Int(s.Done),
		phrase.Count(s.Units, "job"), phrase.Int(s.Out))
	if s.PerSecond > 0 && s.Done < s.Units && !s.Ended {
		left := time.Duration(float64(s.Units-s.Done) / s.PerSecond * float64(time.Second))
		v.Say += fmt.Sprintf(" %s jobs per second; about %s left.", viz.Short(s.PerSecond, 3), format.Duration(left))
	}
	if s.Waits != "" {
		v.Say = fmt.Sprintf("%s of %s of this stage are done. It waits for a machine of class %s, and what was "+
			"started after it waits for it.", phrase.Int(s.Done), phrase.Count(s.Units, "job"), s.Waits)
	}
	if s.Twice > 0 {
		v.Say += " " + phrase.Count(s.Twice, "job") + " computed twice, with equal numbers."
	}
	if s.Ended {
		v.Say = fmt.Sprintf("It failed: %s of %s were done, and these were left out. Open it to start it again.",
			phrase.Int(s.Done), phrase.Count(s.Units, "job"))
		if ofStudy(s.Job) {
			v.Say = fmt.Sprintf("It failed: %s of %s are stored, and these were left out. Open it to resume it.",
				phrase.Int(s.Done), phrase.Count(s.Units, "job"))
		}
	}
	t := templates.Table{Label: "Jobs of " + s.Job + " that failed", Columns: []templates.Column{{Label: "Job"},
		{Label: "Machine"}, {Label: "Times", Num: true}, {Label: "Cause"}}}
	for _, f := range s.Failed {
		state := f.Cause
		switch {
		case f.LeftOut:
			state += " (left out)"
			v.Again = v.Again || !s.Ended
		case f.Times == 0:
			state += " (offered again)"
		}
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: f.Unit}, {Text: f.On.Machine},
			{Text: phrase.Int(f.Times)}, {Text: state}}})
	}
	if len(s.Failed) > 0 {
		v.Failed = &t
	}
	return v
}

// ofStudy reports whether a job is a study; the others belong to a run.
func ofStudy(id string) bool { return strings.HasPrefix(id, "s") }

// jobKinds are the jobs that belong to a run, besides its fit, by what marks their ids.
var jobKinds = []struct{ prefix, suffix, title, before, after string }{
	{prefix: app.AuditJob(""), title: "Audit of labels", before: "/audit/"},
	{prefix: app.TrialJob(""), title: "Trial on flipped labels", before: "/audit/"},
	{suffix: app.BootstrapJob(""), title: "Bootstrap", before: "/runs/", after: "/performance"},
	{title: "Run", before: "/runs/"},
}

// jobURL is the page of a job.
func jobURL(id string) string {
	if ofStudy(id) {
		return "/studies/" + id
	}
	url, _, _ := jobOfRun(id)
	return url
}

// jobOfRun is the page of a job that belongs to a run, its kind in words, and the run.
func jobOfRun(id string) (url, title, run string) {
	for _, k := range jobKinds {
		if strings.HasPrefix(id, k.prefix) && strings.HasSuffix(id, k.suffix) {
			run = strings.TrimSuffix(strings.TrimPrefix(id, k.prefix), k.suffix)
			return k.before + run + k.after, k.title, run
		}
	}
	return "", "", "" // never: the last kind has neither prefix nor suffix
}

// jobTitle names a job as its page does, by its id where it was deleted meanwhile.
func (s *Server) jobTitle(ctx context.Context, id string) string {
	if ofStudy(id) {
		if st, err := s.db.Study(ctx, id); err == nil {
			return "Study: " + st.Name
		}
		return id
	}
	_, title, run := jobOfRun(id)
	if r, err := s.db.RunLine(ctx, run); err == nil {
		return title + ": " + r.Name
	}
	return id
}
