package viz

import "encoding/json"

// marked adds a series without data that carries the line.
func marked(o Option, x float64) Option {
	var tree object
	if err := json.Unmarshal(o, &tree); err != nil {
		panic("viz: option does not read back: " + err.Error())
	}
	series, _ := tree["series"].([]any)
	tree["series"] = append(series, object{"type": "line", "name": "", "data": []any{}, "silent": true, "markLine": object{
		"silent": true, "symbol": "none", "precision": -1, "label": object{"show": false},
		"data": []any{object{"xAxis": coord(x)}}, "lineStyle": object{"color": "@ink", "width": 1, "type": []int{1, 3}}}})
	out, err := json.Marshal(tree)
	if err != nil {
		panic("viz: option does not marshal: " + err.Error())
	}
	return out
}
