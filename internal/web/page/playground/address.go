package playground

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/engine/synth"
	"taper/internal/engine/usererr"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// parse reads a query. Values that cannot be used are replaced by defaults and reported, so that the page can still
// be shown. Keys that belong to other parts of the page are ignored.
func parse(q url.Values) (st state, bad []usererr.Field) {
	q = settled(q)
	bad = form.Parse(&st, q)
	st.share()
	if st.Present && st.Noise == synth.NoiseNone { // an audience always has the noise slider; here it starts at 0
		st.Noise, st.Rate = synth.NoiseRandom, 0
	}
	for k := range st.Models {
		st.Models[k].Named = st.open() && q.Get(slots[k]+"method") == st.Models[k].Method
	}
	return st, bad
}

// newState is the default state for a source of points.
func newState(data string) state {
	st, _ := parse(url.Values{"data": {data}})
	return st
}

func newModel(id string) (m model) {
	form.Parse(&m, url.Values{"method": {id}})
	return m
}

// url is the canonical address of the page; characters are escaped only where they must be.
func (st state) url() string { return "/playground" + st.query() }

// query is the query of the address with its question mark, "" when there is none.
func (st state) query() string { return form.Query(&st) }

// Field sets what depends on the source of the points.
func (st *state) Field(f *form.Field) {
	if _, key, ok := strings.Cut(f.Key, "."); ok && slices.Contains(sharedKeys, key) {
		f.Absent = f.Absent || st.Settings != ownSettings
	} else if slices.Contains(sharedKeys, f.Key) {
		f.Absent = f.Absent || st.Settings == ownSettings
	}
	switch f.Key {
	case "data":
		f.Read = form.ReadOne(st.readData)
	case "pts":
		if f.Absent = st.Data != userPoints; !f.Absent {
			f.Default = []string{pointsText(firstPoints)}
		}
		f.Read = form.ReadOne(st.readPoints)
		f.Write = func() []string { return []string{pointsText(st.UserPoints)} }
	case "n":
		f.Min, f.Max = leastPoints, mostPoints
		if st.dataset() != "" {
			f.Default = []string{"2000"} // most files are used completely
		}
	case "test":
		if st.dataset() != "" || st.Data == "adni-like" {
			f.Default = []string{"0.3"}
		}
	case "noise":
		f.Options = synth.NoiseKinds
		switch st.Data {
		case userPoints:
			f.Default = []string{synth.NoiseNone}
		case openingData:
			f.Default = []string{openingNoise}
		}
	case "rate":
		if st.Data == userPoints {
			f.Default = []string{"0"}
		}
	case "rate0":
		f.Absent = st.Noise != synth.NoiseClass
	case "settings":
		f.Keep = st.penaltiesDiffer() // without the key, an address would mean separate settings there
	case "l2":
		f.Default = []string{st.usualL2()}
	case "a.method", "b.method":
		k := int(f.Key[0] - 'a')
		methods := firstMethods[kindOf(st.Data)]
		if st.Data == openingData {
			methods = openingMethods
		}
		f.Default, f.Keep = []string{methods[k]}, st.Models[k].Named
	case "a.solver", "b.solver":
		if st.Settings != ownSettings {
			how := mustMethod(st.Models[f.Key[0]-'a'].Method)
			how.solverField(f, st.Shared.kernelOf(how))
		}
	case "brush":
		f.Read = form.ReadOne(st.readBrush)
		f.Write = func() []string {
			if st.Brush.Model < 0 {
				return nil
			}
			return []string{slots[st.Brush.Model][:1] + ":" + strconv.Itoa(st.Brush.Bin)}
		}
	case "ax":
		f.Read = form.ReadOne(st.readFrame)
		f.Write = func() []string {
			if st.Frame == nil {
				return nil
			}
			x := st.Frame
			return []string{strings.Join([]string{form.Text(x[0]), form.Text(x[1]), form.Text(x[2]), form.Text(x[3])}, ",")}
		}
	}
}

// Field sets what depends on the method and its kernel.
func (m *model) Field(f *form.Field) {
	if f.Key == "method" {
		f.Options = methodIDs()
		return
	}
	how, boost := mustMethod(m.Method), m.Method == "boost"
	only := func(has bool, otherwise string) {
		if f.Absent = !has; has {
			f.Default = []string{otherwise}
		}
	}
	switch f.Key {
	case "pi":
		only(how.banded(), ".25,.5,.75")
		boundary.Field(f, &m.Pi)
	case "l2":
		f.Absent, f.Default = boost, []string{how.l2()}
	case "kernel":
		f.Problem = func(text string) string {
			if slices.Contains([]string{"rbf", "poly"}, text) {
				return how.Title + " fits without one"
			}
			return form.NotAmong(text, []string{noKernel, "rbf", "poly"})
		}
		if !how.Kernel {
			f.Options = []string{noKernel}
		}
	case "features":
		f.Absent, f.Options = m.Kernel != noKernel, playground.FeatureKinds
	case "degree":
		only(m.Kernel == "poly", "3")
	case "solver":
		f.Absent = boost
		how.solverField(f, m.Kernel)
	case "rounds":
		only(boost, "100")
	case "depth":
		only(boost, "1")
	case "rule":
		only(boost, "half-log")
	}
}

// solverField sets the solvers that can fit with a kernel, or without.
func (h offer) solverField(f *form.Field, kernel string) {
	f.Options = h.solvers(kernel)
	f.Problem = func(text string) string {
		if slices.Contains(h.Solvers, text) {
			return "with a kernel must be " + strings.Join(f.Options, " or ") + ", not " + form.Quoted(text)
		}
		return form.NotAmong(text, h.Solvers)
	}
}

// Fields are the parameters of the method's loss, as text.
func (m *model) Fields() (all []form.Field) {
	if m.Params == nil {
		m.Params = map[string]string{}
	}
	how := mustMethod(m.Method)
	plain := how.defaults()
	for _, p := range how.Params {
		f := form.Field{Key: p.Name}
		if plain[p.Name] != "" {
			f.Default = []string{plain[p.Name]}
		}
		f.Read = form.ReadOne(func(text string) error {
			if text = strings.TrimSpace(text); text == "" {
				return nil
			}
			typed, err := canonical(p, text)
			if err == nil {
				m.Params[p.Name] = typed
			}
			return err
		})
		f.Write = func() []string {
			if m.Params[p.Name] == "" {
				return nil
			}
			return []string{m.Params[p.Name]}
		}
		all = append(all, f)
	}
	return all
}

func (st *state) readData(id string) error {
	if id != userPoints && !strings.HasPrefix(id, datasetPrefix) &&
		!slices.ContainsFunc(synth.Generators, func(g synth.Generator) bool { return g.ID == id }) {
		return form.ReadError("The address asks for points that do not exist, " + phrase.Verbatim(format.Cut(id, 30)) +
			": choose others under Points from")
	}
	st.Data = id
	return nil
}

func (st *state) readPoints(text string) error {
	own, err := parsePoints(text)
	if err == nil {
		st.UserPoints = own
	}
	return err
}

// readBrush reads a bin of a histogram: "a:3", or a number alone for model B.
func (st *state) readBrush(text string) error {
	if text == "" {
		st.Brush = brush{Model: -1}
		return nil
	}
	slot, bin, ok := strings.Cut(text, ":")
	if !ok {
		slot, bin = "b", text
	}
	k, err := strconv.Atoi(bin)
	if err != nil || k < 0 || k >= playground.Bins || slot != "a" && slot != "b" {
		return form.ReadError("must be a bin of a histogram such as b:3, not " + form.Quoted(text))
	}
	st.Brush = brush{Model: int(slot[0] - 'a'), Bin: k}
	return nil
}

// readFrame reads fixed axes: "xmin,xmax,ymin,ymax".
func (st *state) readFrame(text string) error {
	if text == "" {
		st.Frame = nil
		return nil
	}
	var f [4]float64
	parts := strings.Split(text, ",")
	for k := range parts {
		v, ok := form.ParseNumber(parts[k])
		if !ok || len(parts) != 4 {
			return form.ReadError("must be four numbers: x from, to, y from, to")
		}
		f[k] = v
	}
	if !(f[0] < f[1] && f[2] < f[3]) || max(f[1], -f[0], f[3], -f[2]) > 1e9 {
		return form.ReadError("must rise from the first to the second number of each axis")
	}
	st.Frame = &f
	return nil
}

// The default methods for each kind of points.
var firstMethods = map[kind][2]string{
	binary: {"logistic", "alpha"}, multi: {"softmax", "tempered-multiclass"}, ordinal: {"softmax", "al-ordinal"},
}

// The default state of the page, chosen so that the effect of the noise is obvious at once.
const (
	openingData  = "moons"
	openingNoise = synth.NoiseLargeMargin
)

var openingMethods = [2]string{"logistic", "alpha"}

// firstPoints are the initial points placed by hand.
var firstPoints = []playground.Point{{X: -1.5, Y: -.5}, {X: -1, Y: .5}, {X: -.5, Y: -1}, {X: -.5, Y: 0, Class: 1},
	{X: 1.5, Y: .5, Class: 1}, {X: 1, Y: -.5, Class: 1}, {X: .5, Y: 1, Class: 1}, {X: .5, Y: 0}}
