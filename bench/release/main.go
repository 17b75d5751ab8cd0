// Command release makes the distributed files (make release): a static program for each system and processor, a
// container image, the software bill of materials (SBOM), the licences, and the hashes of all files. The same
// source and the same Go give the same bytes on any machine. The command checks this by building everything again
// from another copy of the source, in another folder, without a cache.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	log.SetFlags(0)
	version := flag.String("version", "", "`version` that the programs say")
	out := flag.String("out", "dist", "`folder` to write to; what is in it goes")
	only := flag.String("targets", strings.Join(targets, ","), "`systems` and processors")
	once := flag.Bool("once", false, "build once: do not check that the bytes are the same again")
	flag.Parse()
	if *version == "" || strings.ContainsAny(*version, "/ ") {
		log.Fatal("release: -version names the release.")
	}
	if err := release(*version, *out, strings.Split(*only, ","), !*once); err != nil {
		log.Fatal("release: ", err)
	}
}

func release(version, out string, targets []string, twice bool) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, t := range targets {
		if err := build(".", out, version, t, ""); err != nil {
			return err
		}
		info, err := os.Stat(filepath.Join(out, program(version, t)))
		if err != nil {
			return err
		}
		log.Printf("%s is built, %.1f MB", t, float64(info.Size())/1e6)
	}
	if twice {
		if err := again(version, out, targets); err != nil {
			return err
		}
	}
	list := filepath.Join(out, "taper-"+version+".cdx.json")
	if err := writeBOM(list, version, programs(out, version, targets)); err != nil {
		return err
	}
	if err := writeNotices(filepath.Join(out, "NOTICES.txt")); err != nil {
		return err
	}
	image := map[string]string{}
	for _, t := range targets {
		if system, processor, _ := strings.Cut(t, "/"); system == "linux" {
			image[processor] = filepath.Join(out, program(version, t))
		}
	}
	if len(image) > 0 {
		digest, err := writeImage(filepath.Join(out, "taper-"+version+"-oci.tar"), version, filepath.Join(out, "NOTICES.txt"),
			image)
		if err != nil {
			return err
		}
		log.Printf("the image is %s", digest)
	}
	return writeSums(out)
}

// program is the name of the file of a target.
func program(version, target string) string {
	name := "taper-" + version + "-" + strings.ReplaceAll(target, "/", "-")
	if strings.HasPrefix(target, "windows/") {
		name += ".exe"
	}
	return name
}

func programs(out, version string, targets []string) (files []string) {
	for _, t := range targets {
		files = append(files, filepath.Join(out, program(version, t)))
	}
	return files
}

// build compiles the source of a folder for a target. The revision is not stamped: the version contains it, and a
// copy of the source without its history must give the same bytes.
func build(source, out, version, target, cache string) error {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return fmt.Errorf("%q is no target like linux/amd64", target)
	}
	file, err := filepath.Abs(filepath.Join(out, program(version, target)))
	if err != nil {
		return err
	}
	c := exec.Command("scripts/build", version, "-buildvcs=false", "-o", file, "./cmd/web")
	c.Dir, c.Stderr = source, os.Stderr
	c.Env = append(os.Environ(), "TAPER_LDFLAGS=-buildid=", "GOOS="+system, "GOARCH="+processor, "GOAMD64=v1",
		"GOARM64=v8.0", "GOFLAGS=")
	if cache != "" {
		c.Env = append(c.Env, "GOCACHE="+cache)
	}
	if err := c.Run(); err != nil {
		return fmt.Errorf("build %s: %w", target, err)
	}
	return nil
}

// again builds everything from a copy of the source and compares.
func again(version, out string, targets []string) error {
	dir, err := os.MkdirTemp("", "taper-release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "another", "place")
	for _, part := range []string{"go.mod", "go.sum", "cmd", "internal", "migrations", "scripts", "testdata", "web"} {
		if err := copied(part, filepath.Join(source, part)); err != nil {
			return err
		}
	}
	for _, t := range targets {
		if err := build(source, dir, version, t, filepath.Join(dir, "cache")); err != nil {
			return err
		}
		first, err := sum(filepath.Join(out, program(version, t)))
		if err != nil {
			return err
		}
		second, err := sum(filepath.Join(dir, program(version, t)))
		if err != nil {
			return err
		}
		if first != second {
			return fmt.Errorf("%s: another program the second time, %s and %s", t, first, second)
		}
		log.Printf("%s is the same bytes again", t)
	}
	return nil
}

func copied(from, to string) error {
	info, err := os.Stat(from)
	if err == nil && info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	return err
}

func sum(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// writeSums writes the hashes of all files of a folder, as sha256sum -c reads them.
func writeSums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		hash, err := sum(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, hash+"  "+e.Name()+"\n")
	}
	slices.Sort(lines)
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}
