package engine

import "taper/internal/engine/loss"

// Links of model.json: how a score becomes the probability of the event.
const (
	LinkSoftmax      = loss.LinkSoftmax
	LinkNone         = loss.LinkNone
	LinkLogistic     = loss.LinkLogistic
	LinkScaled       = loss.LinkScaled
	LinkEscort       = loss.LinkEscort
	LinkSquaredHinge = loss.LinkSquaredHinge
	LinkDWD          = loss.LinkDWD
)
