package main

import (
	"compress/gzip"
	"debug/buildinfo"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeBOM lists the components of the programs in CycloneDX, from the build information of the linker. It has no
// time and no serial number, so equal programs have equal lists.
func writeBOM(file, version string, programs []string) error {
	components := map[string]cdx.Component{}
	for _, p := range programs {
		info, err := buildinfo.ReadFile(p)
		if err != nil {
			return err
		}
		goVersion := strings.TrimPrefix(info.GoVersion, "go")
		components["go"] = cdx.Component{BOMRef: "pkg:golang/std@" + goVersion, Type: cdx.ComponentTypeLibrary, Name: "std",
			Version: goVersion, PackageURL: "pkg:golang/std@" + goVersion}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			url := "pkg:golang/" + m.Path + "@" + m.Version
			components[m.Path] = cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version,
				PackageURL: url}
		}
	}
	var all []cdx.Component
	var refs []string
	for _, c := range components {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	for _, c := range all {
		refs = append(refs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{BOMRef: "taper", Type: cdx.ComponentTypeApplication,
		Name: "taper", Version: version, Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}}}
	bom.Components = &all
	bom.Dependencies = &[]cdx.Dependency{{Ref: "taper", Dependencies: &refs}}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return f.Close()
}

// writeNotices writes the licences inside the programs as files.
func writeNotices(file string) error {
	packed, err := os.Open(filepath.Join("internal", "notices", "notices.txt.gz"))
	if err != nil {
		return err
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
