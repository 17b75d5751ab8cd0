package templates

// VerifyView is what the check of a bundle found; without a banner nothing was checked yet.
type VerifyView struct {
	Banner *Banner
	Facts  []Fact
}
