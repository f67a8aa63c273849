package objects

import "testing"

func TestDrawsTheNumbersOfSplitmix64(t *testing.T) {
	for _, test := range []struct {
		seed    uint64
		numbers []uint64
	}{
		{0, []uint64{0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4}},
		// The first of https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64.
		{1_234_567, []uint64{6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423}},
	} {
		d := draws{state: test.seed}
		for _, expected := range test.numbers {
			if number := d.next(); number != expected {
				t.Errorf("seed %d: drew %d, expected %d", test.seed, number, expected)
			}
		}
	}
}
