package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// files are the files of a tar by name, with their content.
func files(t *testing.T, from io.Reader) (map[string][]byte, map[string]*tar.Header) {
	t.Helper()
	texts, heads := map[string][]byte{}, map[string]*tar.Header{}
	for r := tar.NewReader(from); ; {
		h, err := r.Next()
		if err == io.EOF {
			return texts, heads
		}
		if err != nil {
			t.Fatal(err)
		}
		texts[h.Name], _ = io.ReadAll(r)
		heads[h.Name] = h
	}
}

// TestImage reads an image as container programs do: every descriptor names an existing blob with its size and
// hash; root owns all files of the layer except the data folders; and a second image has the same bytes.
func TestImage(t *testing.T) {
	dir := t.TempDir()
	notices, programs := filepath.Join(dir, "N"), map[string]string{}
	for _, name := range []string{"N", "amd64", "arm64"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != "N" {
			programs[name] = filepath.Join(dir, name)
		}
	}
	var images [2][]byte
	var digests [2]digest.Digest
	for i := range images {
		var err error
		if digests[i], err = writeImage(filepath.Join(dir, "image.tar"), "1.0", notices, programs); err != nil {
			t.Fatal(err)
		}
		if images[i], err = os.ReadFile(filepath.Join(dir, "image.tar")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(images[0], images[1]) || digests[0] != digests[1] {
		t.Error("another image the second time")
	}
	blobs, _ := files(t, bytes.NewReader(images[0]))
	read := func(d v1.Descriptor, into any) []byte {
		text := blobs["blobs/sha256/"+d.Digest.Encoded()]
		if int64(len(text)) != d.Size || digest.FromBytes(text) != d.Digest {
			t.Fatalf("%s has no blob of %d bytes", d.Digest, d.Size)
		}
		if into != nil {
			if err := json.Unmarshal(text, into); err != nil {
				t.Fatal(err)
			}
		}
		return text
	}
	var outer, index v1.Index
	if err := json.Unmarshal(blobs["index.json"], &outer); err != nil || len(outer.Manifests) != 1 ||
		string(blobs["oci-layout"]) != `{"imageLayoutVersion":"1.0.0"}` {
		t.Fatalf("%v %s %s", err, blobs["index.json"], blobs["oci-layout"])
	}
	if read(outer.Manifests[0], &index); len(index.Manifests) != 2 {
		t.Fatalf("%d processors", len(index.Manifests))
	}
	for _, m := range index.Manifests {
		var manifest v1.Manifest
		var config v1.Image
		read(m, &manifest)
		read(manifest.Config, &config)
		if config.Architecture != m.Platform.Architecture || config.Config.User != "65532:65532" || len(manifest.Layers) != 1 {
			t.Errorf("%+v of %+v", config, m.Platform)
		}
		z, err := gzip.NewReader(bytes.NewReader(read(manifest.Layers[0], nil)))
		if err != nil {
			t.Fatal(err)
		}
		plain, _ := io.ReadAll(z)
		if digest.FromBytes(plain) != config.RootFS.DiffIDs[0] {
			t.Error("the config names another layer")
		}
		texts, heads := files(t, bytes.NewReader(plain))
		if string(texts["taper"]) != "text of "+config.Architecture || heads["taper"].Mode != 0o755 ||
			heads["data/"].Uid != user || heads["data/"].Mode != 0o700 || !heads["taper"].ModTime.IsZero() &&
			heads["taper"].ModTime.Unix() != 0 {
			t.Errorf("%q %+v", texts, heads["taper"])
		}
	}
}

// TestBOM lists the modules of a program, here of the test itself.
func TestBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "bom.json")
	if err := writeBOM(to, "1.0", []string{self}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	var bom cdx.BOM
	if err := json.Unmarshal(text, &bom); err != nil || bom.BOMFormat != "CycloneDX" || bom.SerialNumber != "" {
		t.Fatalf("%v %.300s", err, text)
	}
	var names []string
	for _, c := range *bom.Components {
		names = append(names, c.Name)
		if !strings.Contains(c.PackageURL, c.Name+"@"+c.Version) {
			t.Errorf("%+v", c)
		}
	}
	if !slices.Contains(names, "std") || !slices.IsSorted(names) || len(*(*bom.Dependencies)[0].Dependencies) != len(names) {
		t.Errorf("%v", names)
	}
}

// TestSums: sha256sum -c accepts the file.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeSums(dir); err != nil {
		t.Fatal(err)
	}
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS")); err != nil ||
		string(text) != empty+"  a\n"+empty+"  b\n" {
		t.Errorf("%v %s", err, text)
	}
}
