package templates

import "github.com/a-h/templ"

// Robustness is the page that shows accuracy against label noise.
type Robustness struct {
	Form     *StudyGridForm // nil for slides
	Progress *Progress
	Controls []Button
	Live     string
	Banner   *Banner
	Empty    *Empty
	Chart    *Chart
	Weights  RobustWeights
	Table    *Table
	Notes    []string
	Label    string // source of the result: stored or a user's study
	More     []Button
	Scene    *RobustScene
}

// RobustWeights is the histogram of a model's row weights at one noise rate.
type RobustWeights struct {
	Title string
	Say   string
	Rates []View
	Model []View
	Chart *Chart
}

// RobustScene is one of the slides.
type RobustScene struct {
	Number, Of int
	Prev, Next string // URLs, "" at the ends
	End        string // back to the page
	Say        templ.Component
	Numbers    []SceneNumber
	Noise      Slider
	Fields     []Field // fields that its form sends
	Stamps     string
}

// SceneNumber is a large number with its label.
type SceneNumber struct{ Big, Name, Say string }

// sceneChart is the chart of the slide, nil without one.
func (v Robustness) sceneChart() *Chart {
	if v.Chart != nil {
		return v.Chart
	}
	return v.Weights.Chart
}

// SceneParts are the parts of a slide that change with its slider, by id, and its chart.
func (v Robustness) SceneParts() (map[string]templ.Component, []Slot) {
	parts := map[string]templ.Component{"scene-say": v.Scene.Say, "scene-numbers": SceneNumbers(v.Scene.Numbers),
		"scene-notes": SceneNotes(v), "scene-nav": SceneNav(v)}
	c := v.sceneChart()
	if c == nil {
		parts["scene-fig"] = Words("")
		return parts, nil
	}
	return parts, []Slot{{ID: "scene-fig", Chart: *c}}
}
