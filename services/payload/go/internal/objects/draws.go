package objects

// draws are the numbers of a seed's sequence, with 64 bits each, the same in every language: splitmix64.
type draws struct{ state uint64 }

func (d *draws) next() uint64 {
	d.state += 0x9E37_79B9_7F4A_7C15
	mixed := d.state
	mixed = (mixed ^ mixed>>30) * 0xBF58_476D_1CE4_E5B9
	mixed = (mixed ^ mixed>>27) * 0x94D0_49BB_1331_11EB
	return mixed ^ mixed>>31
}
