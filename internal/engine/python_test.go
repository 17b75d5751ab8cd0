package engine

import (
	"os/exec"
	"strings"
	"testing"
)

// pythonWith returns a Python that has the modules, the first on the path or
// Debian's, and skips the test where there is none.
func pythonWith(t *testing.T, modules ...string) string {
	t.Helper()
	check := "import " + strings.Join(append(modules, "json"), ", ")
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", check).Run() == nil {
			return python
		}
	}
	missing := strings.Join(append([]string{"python3"}, modules...), " with ")
	t.Skipf("%s is not installed: the engine alone scored the rows, score.py did not.", missing)
	return ""
}
