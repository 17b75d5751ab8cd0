package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/job"
	"taper/internal/web/page/studyform"
)

// crewOfNobody is a queue that a worker of another class has joined, which does nothing.
type crewOfNobody struct{}

func (crewOfNobody) Hold(string) func() { return func() {} }

func (crewOfNobody) Work(ctx context.Context, _ string, s job.Shared) error {
	s.Staff(0, "(waiting for a machine of class "+s.Class()+")")
	<-ctx.Done()
	return nil
}

func (crewOfNobody) Machines() []job.Machine {
	return []job.Machine{{Maker: job.Maker{Machine: "far/1", Class: "riscv64"}, Cores: 4,
		Holds: []job.Holding{{Job: "s1", Kind: "study", AtWork: 2}}}}
}

func (crewOfNobody) Shared() []job.Sharing { return nil }

func (crewOfNobody) Again(string) bool { return false }

// smallStudy is a form of a study.
var smallStudy = []string{"data", "g:gmm", "rows", "200", "model", studyform.Roster[0], "rates", "0", "replicates", "1",
	"test", "30", "seed", "5"}

// TestMachinesPage: the page lists the machines with what they hold, and a job that ended without some units until it
// starts again.
func TestMachinesPage(t *testing.T) {
	s, _ := testServer(t, Config{})
	_, to, _ := encoded(s, "/studies", smallStudy...)
	id := strings.TrimPrefix(to, "/studies/")
	studyAt(t, s, id, done)
	s.app.Jobs.Here = job.Here{Crew: crewOfNobody{}, Address: "nats://queue:4222"}
	left := job.Sharing{Job: id, Units: 3, Done: 2, Ended: true, Failed: []job.FailedUnit{{Unit: "unit-7",
		On: job.Maker{Machine: "far/1"}, Cause: "no convergence", Times: 3, LeftOut: true}}}
	if err := s.app.Jobs.Ledger.LeftOut(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	page := ask(s, "GET", "/machines", "", browser).Body.String()
	for _, want := range []string{"far/1", "study s1, 2 jobs at work", "unit-7", "no convergence (left out)",
		"/studies/" + id, ">Study: Accuracy by noise, 1 replicate", "2 of 3 jobs are stored", "to resume it"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if err := s.app.Jobs.Ledger.Begun(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if page = ask(s, "GET", "/machines", "", browser).Body.String(); strings.Contains(page, "unit-7") {
		t.Error("the units that failed are still there")
	}
}

// TestSharedView: the page says of a job how long it will take, which class it waits for, and what its user can do with
// one that failed; it links to the page of each kind of job.
func TestSharedView(t *testing.T) {
	for _, test := range []struct {
		s    job.Sharing
		want string
	}{
		{job.Sharing{Job: "s1", Units: 900, Done: 100, Out: 20, PerSecond: 2},
			"100 of 900 jobs of this stage are done, 20 in the queue or at work. 2 jobs per second; about 6\u00a0min 40\u00a0s left."},
		{job.Sharing{Job: "s1", Units: 40, Waits: "riscv64"}, "0 of 40 jobs of this stage are done. It waits for a machine of " +
			"class riscv64, and what was started after it waits for it."},
		{job.Sharing{Job: "r1", Units: 1, Done: 1, Twice: 1}, "1 of 1 job of this stage are done, 0 in the queue or at work. " +
			"1 job computed twice, with equal numbers."},
		{job.Sharing{Job: "r1", Units: 40, Done: 39, Ended: true}, "It failed: 39 of 40 jobs were done, and these were left " +
			"out. Open it to start it again."},
	} {
		if got := sharedView(test.s).Say; got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	failed := sharedView(job.Sharing{Job: "s1", Units: 9, Failed: []job.FailedUnit{{Unit: "a", Cause: "no memory", Times: 3,
		LeftOut: true}, {Unit: "b", Cause: "no memory"}, {Unit: "c", Cause: "no memory", Times: 1}}})
	for i, want := range []string{"no memory (left out)", "no memory (offered again)", "no memory"} {
		if got := failed.Failed.Rows[i].Cells[3].Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if !failed.Again {
		t.Error("units that were left out cannot be offered again")
	}
	for id, want := range map[string]string{"s1": "/studies/s1", "r1": "/runs/r1", "r1.bootstrap": "/runs/r1/performance",
		"audit-r1": "/audit/r1", "trial-r1": "/audit/r1"} {
		if got := jobURL(id); got != want {
			t.Errorf("%s is at %s, want %s", id, got, want)
		}
	}
}

// TestStudyOnWorkers: the form of a study offers workers and their classes of processors only where there is a queue;
// consent to another queue, and a class that nobody has, are refused.
func TestStudyOnWorkers(t *testing.T) {
	s, _ := testServer(t, Config{})
	offer := []string{`name="share_rows" value="nats://queue:4222"`, `<option value="riscv64">`}
	has := func(url string) (n int) {
		page := ask(s, "GET", url, "", browser).Body.String()
		for _, want := range offer {
			n += strings.Count(page, want)
		}
		return n
	}
	if n := has("/studies/new"); n != 0 {
		t.Errorf("without a queue the form offers workers")
	}
	refused := func(want string, more ...string) {
		t.Helper()
		if code, _, body := encoded(s, "/studies", append(slices.Clip(smallStudy), more...)...); code !=
			http.StatusConflict || !strings.Contains(body, want) {
			t.Errorf("%v: %d %.300s", more, code, body)
		}
	}
	refused("No other machines compute", "share_rows", "nats://queue:4222")
	refused("its own class of processors", "class", "riscv64")
	s.app.Jobs.Here = job.Here{Crew: crewOfNobody{}, Address: "nats://queue:4222"}
	if n := has("/studies/new"); n != 2 {
		t.Errorf("the form offers %d of %q", n, offer)
	}
	refused("are reached by the queue nats://queue:4222", "share_rows", "nats://elsewhere:4222")
	if code, _, body := encoded(s, "/studies", append(slices.Clip(smallStudy), "class", "<b>")...); code != 422 {
		t.Errorf("a class that is none: %d %.300s", code, body)
	}
	code, to, body := encoded(s, "/studies", append(slices.Clip(smallStudy), "class", "riscv64", "share_rows",
		"nats://queue:4222")...)
	st, err := s.db.Study(t.Context(), strings.TrimPrefix(to, "/studies/"))
	if code != http.StatusSeeOther || err != nil || st.Class != "riscv64" || st.Queue != "nats://queue:4222" {
		t.Errorf("%d %s %v %+v", code, body, err, st)
	}
}
