package templates

// VerifyView is the result of verifying a bundle, or its progress; with neither nothing was verified yet.
type VerifyView struct {
	Progress *Progress
	Banner   *Banner
	Facts    []Fact
}
