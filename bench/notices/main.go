// Command notices collects the licences of the program in internal/notices: of Taper, of Go, of every module that a
// release links on any system, and of the chart library. Run it in the root of the repository after changes of
// go.mod or package-lock.json; a test checks that it was run.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	var b bytes.Buffer
	add := func(name string, files ...string) {
		fmt.Fprintf(&b, "\n== %s\n", name)
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Fprintf(&b, "\n%s\n", bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
		}
	}
	add("Taper", "LICENSE")
	add("Go "+runtime.Version(), filepath.Join(output("go", "env", "GOROOT"), "LICENSE"))
	version := output("node", "-p", "require('./node_modules/echarts/package.json').version")
	add("ECharts "+version, licences("node_modules/echarts")...)
	add("ZRender, in ECharts", licences("node_modules/zrender")...)
	version = output("node", "-p", "require('./node_modules/morphdom/package.json').version")
	add("morphdom "+version, licences("node_modules/morphdom")...)
	for _, m := range modules() {
		found := licences(m.Dir)
		if len(found) == 0 {
			log.Fatalf("%s has no file of a licence: look at %s", m.Path, m.Dir)
		}
		add(m.Path+" "+m.Version, found...)
	}
	f, err := os.Create("internal/notices/notices.txt.gz")
	if err != nil {
		log.Fatal(err)
	}
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	if _, err := z.Write(b.Bytes()); err != nil {
		log.Fatal(err)
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

type module struct{ Path, Version, Dir string }

// modules are those of the packages that the program links, on any of the systems.
func modules() (all []module) {
	for _, system := range []string{"linux", "windows", "darwin"} {
		c := exec.Command("go", "list", "-deps", "-tags", "urfave_cli_no_template", "-json=Module", "./cmd/web")
		c.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil {
			log.Fatal(err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			var p struct {
				Module *struct {
					module
					Main bool
				}
			}
			if err := d.Decode(&p); err != nil {
				log.Fatal(err)
			}
			if p.Module != nil && !p.Module.Main && !slices.Contains(all, p.Module.module) {
				all = append(all, p.Module.module)
			}
		}
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return all
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// licences are the licence files of a folder, including those of code that was copied into it.
func licences(dir string) (files []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && licenceName.MatchString(e.Name()) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

func output(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}
