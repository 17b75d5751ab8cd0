package check

import (
	"slices"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// Headers of follow-up times. "time" and "days" are common in laboratory data too; they only count as a
// time to event if the table also has a column of deaths or other events.
var (
	startNames = table.WordSet(`start tstart entry enter begin starttime timestart start1 tstart1 von t0 time1 time0
		startday startdate`)
	stopNames = table.WordSet(`stop tstop exit end stoptime timestop endtime timeend bis t1 time2 stop1 tstop1 stopday
		stopdate`)
	eventTimeNames = table.WordSet(`time times days months years futime fu followup followuptime fuptime survtime
		survivaltime timetoevent tte ttd os osmonths osdays pfs pfsmonths dfs efs rfs dmfs eventtime timetodeath
		daystodeath survival surv survivalmonths survivaldays deathtime dtime ttime timedeath`)
	eventNames = table.WordSet(`status event death died dead deceased censor censored cens delta fustat d statu vitalstatus
		deathevent osstatus pfsstatus dfsstatus outcome relapse recurrence failure mortality death30 evt fail failed`)
)

// WarnNoHorizon is the code of the note of NoHorizon.
const WarnNoHorizon = "no-horizon"

// followUp asks about rows that are intervals of follow-up, since a risk per row would have no time
// horizon, and about times to an event, which are known only afterwards.
func (d *checker) followUp() {
	if start, stop := d.spells(); start != nil {
		d.askFollowUp([]*table.Column{start, stop}, start.Name+" and "+stop.Name+
			" look like the start and stop of spells of follow-up: a row is a spell, not a person.")
	}
	times := d.eventTimes()
	if len(times) == 0 {
		return
	}
	names := namesOf(times)
	look := " looks like the time until an event or the last visit."
	if len(names) > 1 {
		look = " look like times until an event or the last visit."
	}
	d.askFollowUp(times, phrase.List(names)+look)
}

// NoHorizon is the note that a result has no time horizon: the outcome is an event, and times of follow-up are not
// among the columns that the run uses, excluded or not chosen. That was right, but patients who were followed for
// different times remain. An outcome whose name has a number, such as death30, has a horizon of its own. Of excluded
// columns that kept data no longer have, names alone decide.
func NoHorizon(t *table.Table, outcome string, used []string) (w table.Warning, found bool) {
	y := t.Column(outcome)
	if y == nil || !namesEvent(y) || strings.ContainsAny(outcome, "0123456789") {
		return w, false
	}
	unused := func(name string) bool { return name != outcome && !slices.Contains(used, name) }
	var gone, names []string
	for _, name := range t.Excluded {
		if t.Column(name) == nil && unused(name) {
			gone = append(gone, name)
		}
	}
	spells := slices.ContainsFunc(gone, namesStart) && slices.ContainsFunc(gone, namesStop)
	for _, name := range gone {
		if namesTime(name) || spells && (namesStart(name) || namesStop(name)) {
			names = append(names, name)
		}
	}
	var there []*table.Column
	for _, c := range t.Columns {
		if unused(c.Name) {
			there = append(there, c)
		}
	}
	start, stop := namedSpells(there)
	for _, c := range there {
		if c == start || c == stop || timed(c) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return w, false
	}
	return Note(WarnNoHorizon, strings.Join(names, ", "),
		"No time horizon: follow-up (%s) is not used, so a patient followed only briefly counts by the outcome seen until "+
			"then. If follow-up differs between patients, use a survival model or an outcome by a fixed time.",
		phrase.List(names)), true
}

func namesStart(name string) bool { return startNames[table.JoinedHeader(name)] }

func namesStop(name string) bool { return stopNames[table.JoinedHeader(name)] }

// namesTime reports whether a header names a time to an event or to the last visit.
func namesTime(name string) bool { return eventTimeNames[table.JoinedHeader(name)] || timeTo(name) }

// eventTimes returns the predictors named like a time to an event, if there is a column named like an event.
func (d *checker) eventTimes() (times []*table.Column) {
	if !d.hasEvent() {
		return nil
	}
	start, stop := d.spells()
	for _, c := range d.t.Columns {
		if c != start && c != stop && c.Name != d.outcome && usable(d.t, c) && timed(c) {
			times = append(times, c)
		}
	}
	return times
}

// timed reports whether a column is named like a time to an event and has values of one.
func timed(c *table.Column) bool {
	if c.Num == nil || c.Distinct <= 10 || !namesTime(c.Name) {
		return false
	}
	lo, _, n := table.Extremes(c.Num)
	return n > 0 && lo >= 0
}

// followed reports whether followUp asks about the column.
func (d *checker) followed(c *table.Column) bool {
	start, stop := d.spells()
	return c == start || c == stop || slices.Contains(d.eventTimes(), c)
}

func namesOf(columns []*table.Column) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

func (d *checker) askFollowUp(cols []*table.Column, fact string) {
	names := namesOf(cols)
	var specs []table.ColumnSpec
	for _, c := range cols {
		specs = append(specs, table.ColumnSpec{Name: c.Name, Role: table.Exclude})
	}
	d.ask(question{code: "follow-up", column: strings.Join(names, ", "), fact: fact,
		ask: "Such a column is known only afterwards, and the risk of a row then has no time horizon. Leave " +
			phrase.List(names) + " out?", kept: "Kept as known at the time of prediction.",
		choices: []table.Choice{{Label: "Leave out", Columns: specs}, {Label: "Known at the time of prediction"}}})
}

// timeTo reports whether a header names a time to something.
func timeTo(name string) bool {
	words := " " + strings.Join(table.HeaderWords(name), " ") + " "
	return slices.ContainsFunc([]string{" time to ", " days to ", " months to ", " years to ", " follow up ",
		" survival time", " time until ", " days until "}, func(p string) bool { return strings.Contains(words, p) })
}

// hasEvent reports whether a column with two or three values is named like an event or a status; the
// outcome counts.
func (d *checker) hasEvent() bool {
	return slices.ContainsFunc(d.t.Columns, namesEvent)
}

func namesEvent(c *table.Column) bool {
	return c.Distinct >= 2 && c.Distinct <= 4 && (eventNames[table.JoinedHeader(c.Name)] ||
		slices.ContainsFunc(table.HeaderWords(c.Name), func(w string) bool { return len(w) > 1 && eventNames[w] }))
}

// spells finds the columns with start and stop times: by name, or because a number equals the start of
// the same person's next row.
func (d *checker) spells() (start, stop *table.Column) {
	if start, stop = namedSpells(d.t.Columns); start != nil {
		return start, stop
	}
	var id *table.Column
	for _, c := range d.t.Columns {
		if !table.NamesRows(c.Name) {
			continue
		}
		if rows, _ := repeats(c); 2*rows > d.t.Rows {
			id = c
		}
	}
	if id == nil {
		return nil, nil
	}
	for _, a := range d.t.Columns {
		for _, b := range d.t.Columns {
			if a != b && a != id && b != id && a.Num != nil && b.Num != nil && ordered(a, b) && d.chained(id, a, b) {
				return a, b
			}
		}
	}
	return nil, nil
}

// namedSpells finds the columns that are named like start and stop times and ordered like them.
func namedSpells(columns []*table.Column) (start, stop *table.Column) {
	for _, a := range columns {
		for _, b := range columns {
			if a != b && a.Num != nil && b.Num != nil && a.Type == b.Type && namesStart(a.Name) && namesStop(b.Name) &&
				ordered(a, b) {
				return a, b
			}
		}
	}
	return nil, nil
}

// ordered reports whether a < b in all rows that have both.
func ordered(a, b *table.Column) bool {
	n := 0
	for i, v := range a.Num {
		if v == v && b.Num[i] == b.Num[i] {
			if v >= b.Num[i] {
				return false
			}
			n++
		}
	}
	return n >= 10
}

// chained reports whether consecutive rows of one person mostly start where the previous row stopped.
func (d *checker) chained(id, a, b *table.Column) bool {
	same := func(i, j int) bool {
		if id.Code != nil {
			return id.Code[i] == id.Code[j]
		}
		return id.Num[i] == id.Num[j]
	}
	n, chain := 0, 0
	for i := 1; i < d.t.Rows; i++ {
		if same(i-1, i) {
			n++
			if a.Num[i] == b.Num[i-1] {
				chain++
			}
		}
	}
	return n >= 10 && 10*chain >= 9*n
}
