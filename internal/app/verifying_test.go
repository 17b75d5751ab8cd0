package app

import (
	"fmt"
	"strings"
	"testing"

	"taper/internal/store"
	"taper/internal/testtime"
)

// TestVerificationsKept: the results of the last verifications that have ended are kept, however many wait.
func TestVerificationsKept(t *testing.T) {
	ended := make(chan struct{})
	close(ended)
	var l verifications
	for i := range 2 * mostVerified {
		l.add(&Verifying{ID: fmt.Sprint("waiting ", i), Ended: make(chan struct{})})
	}
	for i := range mostVerified + 2 {
		l.add(&Verifying{ID: fmt.Sprint("ended ", i), Ended: ended})
	}
	l.add(&Verifying{ID: "new", Ended: make(chan struct{})})
	waiting, first := 0, ""
	for _, v := range l.all {
		switch {
		case strings.HasPrefix(v.ID, "waiting"):
			waiting++
		case first == "":
			first = v.ID
		}
	}
	if got := len(l.all) - waiting - 1; got != mostVerified || first != "ended 2" || waiting != 2*mostVerified {
		t.Errorf("%d that ended are kept, the first is %q; %d wait", got, first, waiting)
	}
}

// TestRefusedVerification: a verification that the queue refuses is not remembered.
func TestRefusedVerification(t *testing.T) {
	a := testApp(t, waits)
	up, err := a.db.NewUpload(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Jobs.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var none *store.Upload
	if _, err := a.StartVerification(t.Context(), up, none, testtime.Hang); err == nil {
		t.Error("it starts while Taper stops")
	}
	if n := len(a.verified.all); n != 0 {
		t.Errorf("%d are remembered", n)
	}
}
