package audit

import "taper/internal/engine/runspec/spectest"

// clinicSpec is the spec of most tests.
var clinicSpec = spectest.Clinic
