package engine

import "taper/internal/engine/method"

// Links of model.json: how a score becomes the probability of the event.
const (
	LinkSoftmax      = "softmax" // several classes
	LinkNone         = method.LinkNone
	LinkLogistic     = method.LinkLogistic
	LinkScaled       = method.LinkScaled
	LinkEscort       = method.LinkEscort
	LinkSquaredHinge = method.LinkSquaredHinge
	LinkDWD          = method.LinkDWD
)
