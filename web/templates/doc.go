// Package templates renders Taper's pages from view models.
//
// It knows no engine types: a handler turns its result into the structs here,
// and every number arrives as the text to be shown. Nothing in it may need an
// inline script or style; the content security policy refuses both.
//
// Page authors start from Layout (the frame), then use the components:
// Slider, Chip, Notice, Banner, Progress, Empty, Dialog, Chart, Table, Button
// and the form fields.
package templates
