package app

import (
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// OutsideMethod is the method of another program in a study that is done.
func OutsideMethod(st store.Study) (*study.ExternalModel, error) {
	p, ok := paper.Presets.ByID(st.Spec.Preset)
	switch {
	case !ok || p.ExternalModel == nil:
		return nil, usererr.New(usererr.NotFound, "The figure of this study has no place for another program’s predictions.")
	case st.Status != store.Done:
		return nil, usererr.New(usererr.Conflict, "This study is %s: predictions are compared when it is done.", st.Status)
	}
	return p.ExternalModel, nil
}
