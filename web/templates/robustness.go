package templates

import "github.com/a-h/templ"

// Robustness is the page that shows accuracy against label noise.
type Robustness struct {
	Form     *StudyGridForm // nil before an audience
	Progress *Progress
	Controls []Button
	Live     string
	Banner   *Banner
	Empty    *Empty
	Chart    *Chart
	Weights  RobustWeights
	Table    *Table
	Notes    []string
	Label    string // what the result is: stored or one's own
	More     []Button
	Scene    *RobustScene
}

// RobustWeights is what a model leaves the rows, at one rate of noise.
type RobustWeights struct {
	Title string
	Say   string
	Rates []View
	Model []View
	Chart *Chart
}

// RobustScene is one of the scenes before an audience.
type RobustScene struct {
	Number, Of int
	Prev, Next string // URLs, "" at the ends
	End        string // back to the page
	Say        templ.Component
	Numbers    []SceneNumber
	Noise      Slider
	Fields     []Field // what its form sends along
	Stamps     string
}

// SceneNumber is a number that the last row reads, with what it is of.
type SceneNumber struct{ Big, Name, Say string }

// sceneChart is that of the scene, nil without one.
func (v Robustness) sceneChart() *Chart {
	if v.Chart != nil {
		return v.Chart
	}
	return v.Weights.Chart
}

// SceneParts are what of a scene follows its slider, by id, and its chart.
func (v Robustness) SceneParts() (map[string]templ.Component, []Slot) {
	parts := map[string]templ.Component{"scene-say": v.Scene.Say, "scene-numbers": SceneNumbers(v.Scene.Numbers),
		"scene-notes": SceneNotes(v)}
	c := v.sceneChart()
	if c == nil {
		parts["scene-fig"] = Words("")
		return parts, nil
	}
	return parts, []Slot{{ID: "scene-fig", Chart: *c}}
}
