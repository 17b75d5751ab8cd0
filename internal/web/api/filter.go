package api

import (
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
)

// ReadRunFilter reads the query of a list of runs, of the API and of the page: shown are the
// runs unless limit says otherwise, and most at most.
func ReadRunFilter(c echo.Context, shown, most int) (f store.RunFilter, err error) {
	if f.Limit, err = httpio.Whole(c, "limit", shown, 1, most); err != nil {
		return f, err
	}
	if f.Offset, err = httpio.Whole(c, "offset", 0, 0, 1<<31-1); err != nil {
		return f, err
	}
	f.Query, f.Dataset, f.Loss = c.QueryParam("q"), c.QueryParam("dataset"), c.QueryParam("loss")
	statuses := store.RunStatuses()
	if f.Status = c.QueryParam("status"); f.Status != "" && !slices.Contains(statuses, f.Status) {
		return f, usererr.BadField("status", "must be one of %s (got %q)", strings.Join(statuses, ", "), f.Status)
	}
	if f.Sort = c.QueryParam("sort"); f.Sort != "" && !slices.Contains(store.RunSorts(), f.Sort) {
		return f, usererr.BadField("sort", "must be one of %s (got %q)", strings.Join(store.RunSorts(), ", "), f.Sort)
	}
	switch d := c.QueryParam("desc"); d {
	case "", "false", "0":
	case "true", "1":
		f.Desc = true
	default:
		return f, usererr.BadField("desc", "must be true or false (got %q)", d)
	}
	return f, nil
}
