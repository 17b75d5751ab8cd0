package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/web/httpio"
	runpage "taper/internal/web/page/run"
	"taper/internal/web/page/scoring"
	"taper/web/templates"
)

// askPatient answers POST /runs/{id}/patient: the band of one patient. The values are in the body and never get
// into an address, a log or the store.
func (s *Server) askPatient(c echo.Context) error {
	r, m, err := s.usable(c)
	if err != nil {
		return err
	}
	sent, err := httpio.Form(c)
	if err != nil {
		return err
	}
	cells, err := scoring.Cells(m, sent)
	e, bad := usererr.As(err)
	if bad && wantsJSON(c) {
		return err
	}
	f, status := scoring.PatientForm(r, m, sent, nil), http.StatusOK
	if bad {
		f, status = scoring.PatientForm(r, m, sent, e.Fields), http.StatusUnprocessableEntity
		f.Answer = &templates.PatientAnswer{Problem: e.Detail}
	} else if f.Answer, err = scoring.PatientAnswer(r, m, cells); err != nil {
		return err
	}
	if !wantsJSON(c) {
		return s.runPart(c, status, r, runpage.Patients, templates.PatientSection(f))
	}
	return sendParts(c, map[string]templ.Component{"patient-answer": templates.PatientAnswerView(*f.Answer)})
}
