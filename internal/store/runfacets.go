package store

import (
	"context"
	"fmt"
	"strings"
)

// RunFacets are the values by which the stored runs can be filtered.
type RunFacets struct {
	Total    int
	Datasets []Facet // by name
	Losses   []Facet // by id
	Statuses []Facet // by status
}

// Facet is one value of a filter with the number of its runs.
type Facet struct {
	Value, Name string // Name and SHA of datasets only
	SHA         string
	Runs        int
}

// RunFacets counts all runs by dataset, loss and status.
func (db *DB) RunFacets(ctx context.Context) (RunFacets, error) {
	var f RunFacets
	for _, q := range []struct {
		dst   *[]Facet
		query string
	}{
		{&f.Datasets, `SELECT dataset, max(dataset_name), max(dataset_sha), count(*) FROM runs GROUP BY dataset
			ORDER BY 2 COLLATE NOCASE, 1`},
		{&f.Losses, `SELECT loss, '', '', count(*) FROM runs GROUP BY loss ORDER BY 1`},
		{&f.Statuses, `SELECT status, '', '', count(*) FROM runs GROUP BY status ORDER BY 1`},
	} {
		if err := db.facet(ctx, q.dst, q.query); err != nil {
			return f, fmt.Errorf("count runs: %w", err)
		}
	}
	for _, s := range f.Statuses {
		f.Total += s.Runs
	}
	return f, nil
}

func (db *DB) facet(ctx context.Context, dst *[]Facet, query string) error {
	rows, err := db.r.QueryContext(ctx, query)
	return each(rows, err, "count", func() error {
		var v Facet
		if err := rows.Scan(&v.Value, &v.Name, &v.SHA, &v.Runs); err != nil {
			return err
		}
		*dst = append(*dst, v)
		return nil
	})
}

// Peers are the finished runs with which a run's interval loss is comparable: same data, event,
// boundaries, validation, seed and labels, so that the same rows in the same folds evaluate all of them. Runs evaluated
// on their training rows, or recalibrated for another population, have none.
type Peers struct {
	N    int     // including the run itself
	Best float64 // lowest interval loss
	ID   string  // id of a run with that loss
	Name string

	Next     float64 // of the other runs the lowest interval loss; 0 without others
	NextID   string
	NextName string
}

// Peers returns the peers of the given runs, by run. Runs without an interval loss are absent.
func (db *DB) Peers(ctx context.Context, runs []Run) (map[string]Peers, error) {
	out := map[string]Peers{}
	data, ids := keysOf(runs)
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := db.r.QueryContext(ctx, `
		WITH peer AS (
			SELECT id, count(*) OVER w AS n, min(interval_loss) OVER w AS best,
				first_value(id) OVER best_first AS best_id, first_value(name) OVER best_first AS best_name,
				coalesce(nth_value(interval_loss, 2) OVER best_first, 0) AS next,
				coalesce(nth_value(id, 2) OVER best_first, '') AS next_id,
				coalesce(nth_value(name, 2) OVER best_first, '') AS next_name
			FROM runs JOIN run_specs ON run = id
			WHERE dataset IN (`+placeholders(data)+`) AND interval_loss IS NOT NULL
				AND `+caveatOf+` NOT IN ('`+TrainingRows+`', '`+Recalibrated+`')
			WINDOW w AS (PARTITION BY dataset, outcome, positive, boundaries,
					json_extract(spec, '$.validation', '$.seed', '$.negative', '$.group'),
					coalesce(json_extract(spec, '$.review.changes'), json_extract(spec, '$.review.id'))),
				best_first AS (w ORDER BY interval_loss, created, id
					ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
		SELECT id, n, best, best_id, best_name, next, next_id, next_name
		FROM peer
		WHERE id IN (`+placeholders(ids)+`)`, append(data, ids...)...)
	err = each(rows, err, "find peers", func() error {
		var id string
		var p Peers
		if err := rows.Scan(&id, &p.N, &p.Best, &p.ID, &p.Name, &p.Next, &p.NextID, &p.NextName); err != nil {
			return err
		}
		out[id] = p
		return nil
	})
	return out, err
}

// keysOf returns the datasets, each once, and ids of the runs that have an
// interval loss.
func keysOf(runs []Run) (datasets, ids []any) {
	seen := map[string]bool{}
	for _, r := range runs {
		if r.Summary.Statistics["interval_loss"] == nil {
			continue
		}
		ids = append(ids, r.ID)
		if !seen[r.Dataset] {
			seen[r.Dataset] = true
			datasets = append(datasets, r.Dataset)
		}
	}
	return datasets, ids
}

// placeholders returns a question mark for each argument.
func placeholders(args []any) string { return strings.TrimSuffix(strings.Repeat("?,", len(args)), ",") }
