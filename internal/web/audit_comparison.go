package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/audit"
	"taper/internal/engine/usererr"
	"taper/internal/web/page/review"
	"taper/web/templates"
)

// auditComparison answers GET /audit/{run}/beside/{child}: it compares a run on reviewed labels with its parent,
// evaluated on the rows with unchanged labels.
func (s *Server) auditComparison(c echo.Context) error {
	ctx := c.Request().Context()
	parent, err := s.app.Auditable(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	child, err := s.app.Auditable(ctx, c.Param("child"))
	if err != nil {
		return err
	}
	if child.Spec.Review == nil || child.Spec.Review.Parent != parent.ID {
		return usererr.New(usererr.NotFound, "Run %q was not made on the reviewed labels of this one.", child.ID)
	}
	before, err := s.db.RunRows(ctx, parent.ID)
	if err != nil {
		return err
	}
	after, err := s.db.RunRows(ctx, child.ID)
	if err != nil {
		return err
	}
	v, err := audit.CompareReviewed(parent.Result, child.Result, before, after, child.Spec.Review)
	if err != nil {
		return err
	}
	p := s.page(c, child.Name+" beside its parent")
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs"}, {Label: parent.Name, URL: "/runs/" + parent.ID},
		{Label: "Labels", URL: "/audit/" + parent.ID}, {Label: "Beside"}}
	p.Result = templates.Sentence(review.OriginalAndReviewedSentence(v))
	return s.render(c, http.StatusOK, templates.AuditComparisonPage(p, review.OriginalAndReviewed(v, parent.ID,
		child.ID)))
}
