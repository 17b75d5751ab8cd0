package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/job"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
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
		v.Jobs = append(v.Jobs, sharedView(one))
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
		{Label: "Processors", Num: true}, {Label: "Class"}, {Label: "Units done", Num: true},
		{Label: "Per unit", Unit: "s", Num: true}, {Label: "Holds"}}}
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

func sharedView(s job.Sharing) templates.SharedJob {
	v := templates.SharedJob{ID: s.Job, URL: jobURL(s.Job)}
	v.Say = fmt.Sprintf("%s of %s of this stage are done, %s in the queue or at work.", phrase.Int(s.Done),
		phrase.Count(s.Units, "unit"), phrase.Int(s.Out))
	if s.PerSecond > 0 && s.Done < s.Units && !s.Ended {
		v.Say += fmt.Sprintf(" %s units per second; about %s s left.", viz.Short(s.PerSecond, 3),
			viz.Short(float64(s.Units-s.Done)/s.PerSecond, 2))
	}
	if s.Twice > 0 {
		v.Say += " " + phrase.Count(s.Twice, "unit") + " computed twice, with equal numbers."
	}
	if s.Ended {
		v.Say = fmt.Sprintf("It failed: %s of %s are stored, and these were left out. Open it to go on.", phrase.Int(s.Done),
			phrase.Count(s.Units, "unit"))
	}
	t := templates.Table{Label: "Units of " + s.Job + " that failed", Columns: []templates.Column{{Label: "Unit"},
		{Label: "Machine"}, {Label: "Times", Num: true}, {Label: "Cause"}}}
	for _, f := range s.Failed {
		state := f.Cause
		if f.LeftOut {
			state += " (left out)"
			v.Again = !s.Ended
		}
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: f.Unit}, {Text: f.On.Machine},
			{Text: phrase.Int(f.Times)}, {Text: state}}})
	}
	if len(s.Failed) > 0 {
		v.Failed = &t
	}
	return v
}

// jobURL is the page of a job.
func jobURL(id string) string {
	if run, is := strings.CutPrefix(id, app.AuditJob("")); is {
		return "/audit/" + run
	}
	if run, is := strings.CutPrefix(id, app.TrialJob("")); is {
		return "/audit/" + run
	}
	if run, is := strings.CutSuffix(id, app.BootstrapJob("")); is {
		return "/runs/" + run + "/performance"
	}
	if strings.HasPrefix(id, "s") {
		return "/studies/" + id
	}
	return "/runs/" + id
}
