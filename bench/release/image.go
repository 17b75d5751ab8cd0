package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// user is the user id in the container, which does not exist on the host.
const user = 65532

// writeImage writes a container image from scratch, with a program for each processor, as a tar in the layout of
// the Open Container Initiative. Equal programs give equal bytes: files have no times.
func writeImage(file, version, notices string, programs map[string]string) (digest.Digest, error) {
	blobs := map[digest.Digest][]byte{}
	put := func(kind string, text []byte) v1.Descriptor {
		d := v1.Descriptor{MediaType: kind, Digest: digest.FromBytes(text), Size: int64(len(text))}
		blobs[d.Digest] = text
		return d
	}
	encode := func(kind string, of any) (v1.Descriptor, error) {
		text, err := json.Marshal(of)
		return put(kind, text), err
	}
	index := v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex}
	for _, processor := range slices.Sorted(maps.Keys(programs)) {
		plain, err := layer(programs[processor], notices)
		if err != nil {
			return "", err
		}
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if _, err := z.Write(plain); err != nil {
			return "", err
		}
		if err := z.Close(); err != nil {
			return "", err
		}
		platform := v1.Platform{OS: "linux", Architecture: processor}
		config, err := encode(v1.MediaTypeImageConfig, v1.Image{Platform: platform,
			Config: v1.ImageConfig{User: "65532:65532", ExposedPorts: map[string]struct{}{"8080/tcp": {}},
				Env: []string{"TAPER_DATA=/data", "TAPER_LISTEN=0.0.0.0:8080"}, Entrypoint: []string{"/taper"},
				Volumes: map[string]struct{}{"/data": {}},
				Labels:  map[string]string{v1.AnnotationVersion: version, v1.AnnotationLicenses: "Apache-2.0"}},
			RootFS: v1.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.FromBytes(plain)}}})
		if err != nil {
			return "", err
		}
		manifest, err := encode(v1.MediaTypeImageManifest, v1.Manifest{Versioned: specs.Versioned{SchemaVersion: 2},
			MediaType: v1.MediaTypeImageManifest, Config: config,
			Layers: []v1.Descriptor{put(v1.MediaTypeImageLayerGzip, packed.Bytes())}})
		if err != nil {
			return "", err
		}
		manifest.Platform = &platform
		index.Manifests = append(index.Manifests, manifest)
	}
	image, err := encode(v1.MediaTypeImageIndex, index)
	if err != nil {
		return "", err
	}
	image.Annotations = map[string]string{v1.AnnotationRefName: version}
	outer, err := json.Marshal(v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex,
		Manifests: []v1.Descriptor{image}})
	if err != nil {
		return "", err
	}
	layout, err := json.Marshal(v1.ImageLayout{Version: v1.ImageLayoutVersion})
	if err != nil {
		return "", err
	}
	f, err := os.Create(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	t := tar.NewWriter(f)
	if err := add(t, v1.ImageLayoutFile, 0o644, 0, layout); err != nil {
		return "", err
	}
	if err := add(t, v1.ImageIndexFile, 0o644, 0, outer); err != nil {
		return "", err
	}
	for _, d := range slices.Sorted(maps.Keys(blobs)) {
		if err := add(t, "blobs/sha256/"+d.Encoded(), 0o644, 0, blobs[d]); err != nil {
			return "", err
		}
	}
	if err := t.Close(); err != nil {
		return "", err
	}
	return image.Digest, f.Close()
}

// layer is the file system of the image: the program, the licences, folders for data and for temporary files.
func layer(program, notices string) ([]byte, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, dir := range []struct {
		name  string
		mode  int64
		owner int
	}{{"data/", 0o700, user}, {"tmp/", 0o1777, 0}} {
		h := &tar.Header{Typeflag: tar.TypeDir, Name: dir.name, Mode: dir.mode, Uid: dir.owner, Gid: dir.owner}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
	}
	for _, file := range []struct {
		name, from string
		mode       int64
	}{{"NOTICES.txt", notices, 0o644}, {"taper", program, 0o755}} {
		text, err := os.ReadFile(file.from)
		if err != nil {
			return nil, err
		}
		if err := add(t, file.name, file.mode, 0, text); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), t.Close()
}

func add(t *tar.Writer, name string, mode int64, owner int, text []byte) error {
	h := &tar.Header{Name: name, Mode: mode, Size: int64(len(text)), Uid: owner, Gid: owner}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err := io.Copy(t, bytes.NewReader(text))
	return err
}
