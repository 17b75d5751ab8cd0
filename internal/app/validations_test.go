package app

import (
	"context"
	"errors"
	"testing"

	"taper/internal/engine/external"
	"taper/internal/store"
)

// TestValidationGivenUp: a validation whose request is cancelled while others run does not
// start.
func TestValidationGivenUp(t *testing.T) {
	a := &App{validating: make(chan struct{}, 1)}
	a.validating <- struct{}{}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	_, _, err := a.validate(ctx, store.Run{}, nil, nil, ValidationRequest{},
		func(external.EvaluateOptions) (*external.Evaluation, error) {
			t.Error("it began")
			return nil, nil
		})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was given up", err)
	}
}
