package table

// Profile is what is shown of a column before anything is trained.
type Profile struct {
	Name         string       `json:"name"`
	Type         Type         `json:"type"`
	Role         Role         `json:"role"`
	Missing      int          `json:"missing"`
	Distinct     int          `json:"distinct"`
	Min          *float64     `json:"min"` // numeric columns only
	Max          *float64     `json:"max"`
	Median       *float64     `json:"median"`
	Levels       []LevelCount `json:"levels"`    // commonest first, at most 50; null when there are more or none
	Histogram    []int        `json:"histogram"` // 16 equal bins from Min to Max, or the commonest levels
	MissingCodes []string     `json:"missing_codes"`
}

// LevelCount is a level as uploaded and the rows that hold it.
type LevelCount struct {
	Level string `json:"level"`
	Rows  int    `json:"rows"`
}
