package templates

// VerifyView is the result of verifying a bundle; without a banner nothing was verified yet.
type VerifyView struct {
	Banner *Banner
	Facts  []Fact
}
