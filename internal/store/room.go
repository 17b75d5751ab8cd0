package store

// floats is Floats, of the heap for no room.
func (r *Room) floats(n int) ([]float64, error) {
	if r == nil {
		return make([]float64, n), nil
	}
	return r.Floats(n)
}

// codes is Codes, of the heap for no room.
func (r *Room) codes(n int) ([]int32, error) {
	if r == nil {
		return make([]int32, n), nil
	}
	return r.Codes(n)
}
