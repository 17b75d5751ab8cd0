package app

import (
	"encoding/json"
	"strings"
	"testing"

	"taper/internal/bundle"
)

// TestVerificationOfLongTexts: a verification, which stays in memory, keeps only the start of the texts of a bundle.
func TestVerificationOfLongTexts(t *testing.T) {
	long := strings.Repeat("é", 1e5)
	text, err := json.Marshal(verificationOf(bundle.About{Run: long, Name: long, Version: long, Engine: long, Class: long,
		Data: bundle.Data{SHA256: long}}))
	if err != nil || len(text) > 6*500+1000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if v := verificationOf(bundle.About{Run: "r1", Name: "one"}); v.Run != "r1" || v.Name != "one" {
		t.Errorf("%+v", v)
	}
}
