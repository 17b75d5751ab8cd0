package runspec

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/spline"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// Cohort is the rows that a run uses: rows of the classes, used to train and test, and rows
// that are only scored. Positions 0, 1, … number the former.
type Cohort struct {
	Outcome    *table.Column
	recorded   *table.Column // the outcome before a review; nil = the same
	before     *Cohort       // rows, classes and groups of the parent run, before a review of it; nil = the same
	Target     task.Target
	Sides      [2]table.Levels // of an event: the levels of the non-event and of the event
	ScoreOnly  []int32         // codes of levels that are only scored
	Predictors []string

	Rows    []int     // table row of each position, ascending
	Label   []int     // class of each position, from 0; of two classes 1 is the event
	Weights []float64 // of each position; nil = 1
	Group   []int     // group of each position, from 0; nil without grouping
	Groups  int       // number of distinct groups
	Extra   []int     // table rows that are only scored, ascending

	Relabelled, Excluded int // counts, from a review

	// Of a given model: its score of each table row, or with several classes the log
	// probabilities, rows × classes; NaN where it has none.
	Given       []float64
	Reads       []string // columns used by its formula or model.json
	Outside     int      // table rows with values outside the training data of its model.json
	Falls       bool     // the score decreases with the risk, and Given holds its negative
	Unpredicted []int    // table rows without a prediction, left out, ascending
}

// columns checks the fields that name columns and levels, and returns the rows they select; nil
// when the outcome is invalid.
func (f *fieldErrors) columns(t *table.Table, s *Spec) *Cohort {
	c := &Cohort{}
	f.outcome(t, s, c)
	f.predictors(t, s, c)
	f.splines(t, s, c)
	if slices.ContainsFunc([]string{"outcome", "positive", "negative", "score_only", "levels", "bins"}, f.has) {
		return nil
	}
	if f.review(s, c); f.has("review") {
		return nil
	}
	if f.predictions(t, s, c); f.has("model") {
		return nil
	}
	if c.recorded != c.Outcome && s.Review.Parent != "" {
		was := *c
		was.Outcome = c.recorded
		was.split()
		new(fieldErrors).group(t, s, &was) // its errors are those of the cohort
		was.together(t)
		c.before = &was
	}
	c.split()
	c.orient(s)
	f.group(t, s, c)
	c.together(t)
	f.weights(t, s, c)
	return c
}

// together keeps copies of a row in one fold, where that was asked for.
func (c *Cohort) together(t *table.Table) {
	if t.Dialect.Copies == table.CopiesTogether {
		c.joinCopies(t)
	}
}

func (f *fieldErrors) outcome(t *table.Table, s *Spec, c *Cohort) {
	c.Outcome = t.Column(s.Outcome)
	switch {
	case s.Outcome == "":
		f.add("outcome", "%s", check.MustNameOutcome(t))
		return
	case c.Outcome == nil:
		f.add("outcome", "must be a column of the data (got %q)", s.Outcome)
		return
	case s.Multiclass():
		f.classes(s, c)
		return
	case c.Outcome.Code == nil || len(c.Outcome.Levels) > table.MaxLevels:
		f.add("outcome", "must be a column with at most %d levels: %q has %s distinct values", table.MaxLevels, s.Outcome,
			phrase.Int(c.Outcome.Distinct))
		return
	}
	if f.event(s, c); f.has("positive") || f.has("outcome") {
		return
	}
	f.scored(s, c)
	f.other(s, c)
	c.Target.Levels = []string{c.Sides[0].String(), c.Sides[1].String()}
}

// event resolves the levels of the event.
func (f *fieldErrors) event(s *Spec, c *Cohort) {
	occurring := c.levels()
	switch {
	case len(occurring) == 0:
		f.add("outcome", "%q is empty", s.Outcome)
		return
	case s.Positive == nil:
		f.add("positive", "%s", check.MustNameEvent(occurring))
		return
	}
	c.Target = task.Target{Event: true, Codes: [][]int32{nil, f.resolve("positive", s.Positive, c)}}
	if c.Sides[1] = s.Positive; len(occurring) == 1 && !f.has("positive") {
		f.add("outcome", "has one value only: only %q is present in %q", occurring[0], s.Outcome)
	}
}

// resolve returns the codes of the levels of a class.
func (f *fieldErrors) resolve(field string, class table.Levels, c *Cohort) (codes []int32) {
	f.join(class.Check(field))
	for i, level := range class {
		k := c.Code(level)
		if k < 0 {
			at := field
			if len(class) > 1 {
				at += "[" + strconv.Itoa(i) + "]"
			}
			f.add(at, "must be one of %s (got %q)", check.QuoteNames(c.levels()), level)
		}
		codes = append(codes, k)
	}
	return codes
}

// scored resolves the levels that are scored and never trained on.
func (f *fieldErrors) scored(s *Spec, c *Cohort) {
	trained := s.Levels
	if !s.Multiclass() {
		trained = slices.Concat(s.Positive, s.Negative)
	}
	for i, level := range s.ScoreOnly {
		switch k := c.Code(level); {
		case k < 0:
			f.add("score_only["+strconv.Itoa(i)+"]", "must be one of %s (got %q)", check.QuoteNames(c.levels()), level)
		case slices.Contains(trained, level):
			f.add("score_only["+strconv.Itoa(i)+"]", "cannot be a class that is trained on (got %q)", level)
		default:
			c.ScoreOnly = append(c.ScoreOnly, k)
		}
	}
}

// other resolves the levels of the non-event. It may be left out where just one other level
// exists.
func (f *fieldErrors) other(s *Spec, c *Cohort) {
	c.Sides[0] = s.Negative
	if s.Negative != nil {
		c.Target.Codes[0] = f.resolve("negative", s.Negative, c)
		for i, k := range c.Target.Codes[0] {
			if k >= 0 && slices.Contains(c.Target.Codes[1], k) {
				f.add("negative", "must differ from positive (%q is in both)", s.Negative[i])
			}
		}
		return
	}
	var rest table.Levels
	for _, level := range c.levels() {
		if k := c.Code(level); !slices.Contains(c.Target.Codes[1], k) && !slices.Contains(c.ScoreOnly, k) {
			rest = append(rest, level)
		}
	}
	switch len(rest) {
	case 1:
		c.Sides[0], c.Target.Codes[0] = rest, []int32{c.Code(rest[0])}
	case 0:
		f.add("negative", "must name the other class: only %s is left to train on", check.QuoteNames(s.Positive))
	default:
		f.add("negative", "must name the other class, one of %s, or a list of several; put levels that are only to be "+
			"scored in score_only", check.QuoteNames(rest))
	}
}

// Code returns the code of a level, −1 if no row has it.
func (c *Cohort) Code(level string) int32 {
	for k, l := range c.Outcome.Levels {
		if l == level && c.occurs(k) {
			return int32(k)
		}
	}
	return -1
}

// levels returns the levels that occur in the data.
func (c *Cohort) levels() []string {
	var levels []string
	for k, l := range c.Outcome.Levels {
		if c.occurs(k) {
			levels = append(levels, l)
		}
	}
	return levels
}

func (c *Cohort) occurs(k int) bool { return k >= len(c.Outcome.Count) || c.Outcome.Count[k] > 0 }

// Level returns the uploaded outcome of a table row, "" when missing.
func (c *Cohort) Level(row int) string {
	if c.Target.Cuts != nil {
		if x := c.Outcome.Num[row]; !math.IsNaN(x) {
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
		return ""
	}
	if from := c.uploaded(); from.Code[row] >= 0 {
		return from.Levels[from.Code[row]]
	}
	return ""
}

// Codes are the outcome codes of the table rows, −1 where missing. For a binned number every
// present value has code 0.
func (c *Cohort) Codes() []int32 {
	if c.Target.Cuts == nil {
		return c.Outcome.Code
	}
	codes := make([]int32, len(c.Outcome.Num))
	for row, v := range c.Outcome.Num {
		if math.IsNaN(v) {
			codes[row] = -1
		}
	}
	return codes
}

// Classes is the number of classes.
func (c *Cohort) Classes() int { return len(c.Target.Levels) }

// split sorts the rows into those of a class, those only scored, and the rest, which is left
// out.
func (c *Cohort) split() {
	for row, code := range c.Codes() {
		value := math.NaN()
		if c.Target.Cuts != nil {
			value = c.Outcome.Num[row]
		}
		class := c.Target.Class(code, value)
		if c.Given != nil && c.unpredicted(row) {
			if class >= 0 || code < 0 || slices.Contains(c.ScoreOnly, code) {
				c.Unpredicted = append(c.Unpredicted, row)
			}
			continue
		}
		switch {
		case class >= 0:
			c.Rows, c.Label = append(c.Rows, row), append(c.Label, class)
		case code < 0 || slices.Contains(c.ScoreOnly, code):
			c.Extra = append(c.Extra, row)
		}
	}
}

// classes resolves the classes.
func (f *fieldErrors) classes(s *Spec, c *Cohort) {
	switch {
	case s.Bins != nil:
		f.bins(s, c)
	case c.Outcome.Code == nil || len(c.Outcome.Levels) > table.MaxLevels:
		remedy := ""
		if c.Outcome.Num != nil && s.ChosenTask().Ordered() {
			remedy = "; cut it into classes with bins"
		}
		f.add("outcome", "must be a column with at most %d levels: %q has %s distinct values%s", table.MaxLevels, s.Outcome,
			phrase.Int(c.Outcome.Distinct), remedy)
	default:
		f.scored(s, c)
		f.levels(s, c)
	}
	if c.Target.Levels != nil && !f.has("model.params") && !f.has("model.loss") {
		f.costs(s, c.Classes())
	}
}

// unusable says why a column of this type cannot be a predictor.
var unusable = map[table.Type]string{
	table.Text:       "is free text",
	table.Identifier: "is an identifier",
	table.Constant:   "never varies",
}

func (f *fieldErrors) predictors(t *table.Table, s *Spec, c *Cohort) {
	if s.Predictors == nil {
		if c.Predictors = s.DefaultPredictors(t); len(c.Predictors) == 0 && !s.Model.Given() {
			f.add("predictors", "must name a column: no column of the data is usable as it stands")
		}
		return
	}
	if len(s.Predictors) == 0 {
		f.add("predictors", "must name at least one column")
	}
	for i, name := range s.Predictors {
		if msg := unfit(t, s, name, slices.Contains(s.Predictors[:i], name)); msg != "" {
			f.add("predictors["+strconv.Itoa(i)+"]", "%s (got %q)", msg, name)
		}
	}
	c.Predictors = s.Predictors
}

// unfit says why a column cannot be a predictor, "" when it can.
func unfit(t *table.Table, s *Spec, name string, twice bool) string {
	col := t.Column(name)
	switch {
	case col == nil:
		return "must be a column of the data"
	case name == s.Outcome:
		return "cannot be the outcome"
	case name == s.Group:
		return "cannot be the group"
	case name == s.Weights:
		return "cannot be the weights"
	case slices.Contains(s.Model.Columns, name):
		return "cannot be the prediction that is compared with them"
	case twice:
		return "is in the list twice"
	case col.Type == table.Date && col.Spec.DateAs != "days":
		return "is a date: turn it into days first"
	case unusable[col.Type] != "":
		return unusable[col.Type] + ": leave it out or change its type"
	}
	return ""
}

// splines checks which predictors are splines, and that the model is linear.
func (f *fieldErrors) splines(t *table.Table, s *Spec, c *Cohort) {
	if len(s.Splines) > 0 && s.Model.Kind != "linear" {
		f.add("splines", "are for linear models: trees and kernels are nonlinear already (model.kind is %q)", s.Model.Kind)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Splines)) {
		if msg := unbendable(t.Column(name), slices.Contains(c.Predictors, name), s.Splines[name]); msg != "" {
			f.add("splines."+name, "%s", msg)
		}
	}
}

// unbendable says why a column cannot be a spline of so many knots, "" when it can.
func unbendable(col *table.Column, predicts bool, knots int) string {
	switch {
	case col == nil:
		return "must be a column of the data"
	case !predicts:
		return "must be one of the predictors"
	case !col.Numeric():
		return "must be a numeric column: only a number can be a spline"
	case knots < spline.MinKnots || knots > spline.MaxKnots:
		return fmt.Sprintf("must be %d to %d knots, or 0 for a straight line (got %d)", spline.MinKnots, spline.MaxKnots,
			knots)
	}
	return ""
}

// bent leaves out columns with linear terms; nil when no spline remains.
func bent(splines map[string]int) map[string]int {
	var all map[string]int
	for name, knots := range splines {
		if knots != 0 {
			if all == nil {
				all = map[string]int{}
			}
			all[name] = knots
		}
	}
	return all
}

// group numbers the groups in order of first appearance. A row without a value is a group of
// its own.
func (f *fieldErrors) group(t *table.Table, s *Spec, c *Cohort) {
	if s.Group == "" {
		return
	}
	col := t.Column(s.Group)
	switch {
	case col == nil:
		f.add("group", "must be a column of the data (got %q)", s.Group)
		return
	case s.Group == s.Outcome:
		f.add("group", "cannot be the outcome (%q)", s.Group)
		return
	case s.Group == s.Weights:
		f.add("group", "cannot be the weights (%q)", s.Group)
		return
	}
	number := map[uint64]int{}
	c.Group = make([]int, len(c.Rows))
	for i, row := range c.Rows {
		key, ok := identity(col, row)
		g, seen := number[key]
		if !ok || !seen {
			g = c.Groups
			c.Groups++
		}
		if ok {
			number[key] = g
		}
		c.Group[i] = g
	}
	if c.Groups < 2 {
		f.add("group", "must hold at least two groups (%q holds one)", s.Group)
	}
}

// joinCopies merges the groups of rows that agree in all predictors. Otherwise a copy of a
// training row could be tested, and the model would have seen its answer.
func (c *Cohort) joinCopies(t *table.Table) {
	var cols []*table.Column
	for _, name := range c.Predictors {
		if col := t.Column(name); col != nil {
			cols = append(cols, col)
		}
	}
	if len(cols) == 0 {
		return
	}
	digests := table.Digests(cols, t.Rows)
	if c.Group == nil {
		c.Group = make([]int, len(c.Rows))
		for i := range c.Group {
			c.Group[i] = i
		}
		c.Groups = len(c.Rows)
	}
	parent := make([]int, c.Groups) // union–find over the groups
	for g := range parent {
		parent[g] = g
	}
	root := func(g int) int {
		for parent[g] != g {
			parent[g] = parent[parent[g]]
			g = parent[g]
		}
		return g
	}
	first := map[uint64]int{} // group of the first row with each digest
	for i, row := range c.Rows {
		g, seen := first[digests[row]]
		if !seen {
			first[digests[row]] = c.Group[i]
			continue
		}
		parent[max(root(g), root(c.Group[i]))] = min(root(g), root(c.Group[i]))
	}
	number := map[int]int{} // new numbers, in order of first appearance
	for i, g := range c.Group {
		r := root(g)
		if _, seen := number[r]; !seen {
			number[r] = len(number)
		}
		c.Group[i] = number[r]
	}
	c.Groups = len(number)
}

// identity returns a key that is equal for equal cells of a column.
func identity(col *table.Column, row int) (key uint64, ok bool) {
	if col.Code != nil {
		return uint64(col.Code[row]), col.Code[row] >= 0
	}
	if col.Num == nil {
		return 0, false
	}
	v := col.Num[row] + 0 // −0 is 0
	return math.Float64bits(v), !math.IsNaN(v)
}

func (f *fieldErrors) weights(t *table.Table, s *Spec, c *Cohort) {
	if s.Weights == "" {
		return
	}
	col := t.Column(s.Weights)
	if col == nil || col.Num == nil || s.Weights == s.Outcome {
		f.add("weights", "must be a numeric column of the data other than the outcome (got %q)", s.Weights)
		return
	}
	c.Weights = make([]float64, len(c.Rows))
	for i, row := range c.Rows {
		if c.Weights[i] = col.Num[row]; !(c.Weights[i] > 0 && !math.IsInf(c.Weights[i], 1)) {
			f.add("weights", "must be positive in every row trained on: row %s of %q is not", phrase.Int(row+1),
				s.Weights)
			return
		}
	}
	if len(c.Weights) > 0 && slices.Min(c.Weights) == slices.Max(c.Weights) {
		c.Weights = nil // equal weights change no fit
	}
}

// levels resolves the classes and their order.
func (f *fieldErrors) levels(s *Spec, c *Cohort) {
	order := s.Levels
	if len(order) == 0 {
		for _, l := range LevelOrder(c.levels(), cmp.Or(c.Outcome.Decimal, ".")) {
			if !slices.Contains(c.ScoreOnly, c.Code(l)) {
				order = append(order, l)
			}
		}
	}
	var target task.Target
	for i, level := range order {
		k := c.Code(level)
		switch at := "levels[" + strconv.Itoa(i) + "]"; {
		case k < 0:
			f.add(at, "must be one of %s (got %q)", check.QuoteNames(c.levels()), level)
		case slices.Contains(order[:i], level):
			f.add(at, "is in the list twice (%q)", level)
		}
		target.Levels, target.Codes = append(target.Levels, level), append(target.Codes, []int32{k})
	}
	if len(order) < 2 {
		f.add("levels", "must name at least two classes, of %s", check.QuoteNames(c.levels()))
	}
	c.Target = target
}

// LevelOrder sorts levels in their default order: ascending where all are numbers, else by
// bytes.
func LevelOrder(levels []string, decimal string) []string {
	order := slices.Clone(levels)
	value := map[string]float64{}
	for _, l := range levels {
		if v, ok := table.ParseNumber(l, decimal); ok {
			value[l] = v
		}
	}
	slices.SortFunc(order, func(a, b string) int {
		if len(value) == len(levels) && value[a] != value[b] {
			if value[a] < value[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return order
}

// bins cuts a numeric outcome into classes of equal length, or of frequencies as equal as ties
// allow.
func (f *fieldErrors) bins(s *Spec, c *Cohort) {
	b := s.Bins
	switch {
	case !s.ChosenTask().Ordered():
		f.add("bins", "belongs to task %s (got task %q)", tasksThat(task.Task.Ordered), s.Task)
	case c.Outcome.Num == nil:
		f.add("bins", "needs a numeric outcome: %q is not one", s.Outcome)
	case b.Count < 2 || b.Count > table.MaxLevels:
		f.add("bins.count", "must lie between 2 and %d (got %d)", table.MaxLevels, b.Count)
	case b.By != "length" && b.By != "frequency":
		f.add("bins.by", "must be length or frequency (got %q)", b.By)
	case len(s.Levels) > 0 || len(s.ScoreOnly) > 0:
		f.add("levels", "must be left out with bins, which make the classes; so must score_only")
	}
	if f.has("bins") || f.has("levels") {
		return
	}
	cuts := b.edges(c.Outcome.Num)
	if len(cuts) == 0 {
		f.add("outcome", "has one value only in %q: there is nothing to cut", s.Outcome)
		return
	}
	c.Target = task.Target{Cuts: cuts, Levels: binNames(cuts)}
}

// edges returns the inner edges, strictly ascending. A class without rows is merged with the
// one above it.
func (b *Bins) edges(num []float64) []float64 {
	var v []float64
	for _, x := range num {
		if !math.IsNaN(x) {
			v = append(v, x)
		}
	}
	slices.Sort(v)
	if len(v) == 0 || v[0] == v[len(v)-1] {
		return nil
	}
	var cuts []float64
	below := 0 // rows at or below the last edge
	for k := 1; k < b.Count; k++ {
		share := float64(k) / float64(b.Count)
		cut := v[0]*(1-share) + v[len(v)-1]*share
		if b.By == "frequency" {
			cut = v[max(0, int(math.Ceil(share*float64(len(v))))-1)]
		}
		if n, _ := slices.BinarySearch(v, math.Nextafter(cut, math.Inf(1))); n > below && n < len(v) {
			cuts, below = append(cuts, cut), n
		}
	}
	return cuts
}

// binNames names the classes by their edges, with enough digits to distinguish them.
func binNames(cuts []float64) []string {
	texts := make([]string, len(cuts))
	for digits := 3; digits <= 17; digits++ {
		for i, c := range cuts {
			texts[i] = strconv.FormatFloat(c, 'g', digits, 64)
		}
		if len(slices.Compact(slices.Clone(texts))) == len(cuts) {
			break
		}
	}
	names := []string{"at most " + texts[0]}
	for i := 1; i < len(texts); i++ {
		names = append(names, fmt.Sprintf("%s to %s", texts[i-1], texts[i]))
	}
	return append(names, "above "+texts[len(texts)-1])
}

// tasksThat lists the names of the tasks that satisfy a condition.
func tasksThat(are func(task.Task) bool) string {
	return strings.Join(task.IDs(task.Which(are)), " or ")
}

// costs checks the size of a cost matrix against the number of classes.
func (f *fieldErrors) costs(s *Spec, k int) {
	how, err := fit.Parse(s.Model)
	switch {
	case err != nil || how.Costs() == nil:
	case task.HasPrice(s.ChosenTask()):
		f.add("model.params.matrix", "belongs to other tasks: leave it out for task %s, which derives it from its "+
			"cost", s.Task)
	default:
		f.join(CheckCosts(how.Costs(), s.ChosenTask(), k))
	}
}

// price checks the cost of abstaining against the task.
func (f *fieldErrors) price(s *Spec) {
	p, priced := s.ChosenTask().(task.PricedAbstention)
	switch {
	case priced && s.Price != nil:
		f.join(p.Price().Check("price", *s.Price))
	case s.Price != nil:
		f.add("price", "belongs to task %s (got task %q)", tasksThat(task.HasPrice), s.Task)
	}
}

// CheckCosts requires one row per class, and one more for abstention in task abstain.
func CheckCosts(c task.Cost, about task.Task, k int) error {
	want := k
	if about.Abstains() {
		want++
	}
	if len(c) == want && c.Classes() == k {
		return nil
	}
	words := "one row and one column per class"
	if about.Abstains() {
		words = "one column per class, one row per class and one for abstaining"
	}
	return usererr.BadField("model.params.matrix", "must be %d×%d, %s, in the order of the levels (got %d×%d)", want, k,
		words, len(c), c.Classes())
}
