package main

import "time"

const (
	// tableWords makes a table of 1 MiB: larger than a core's first cache, like an interpreter's objects, and within its second or
	// third.
	tableWords = 1 << 17
	// controlSteps take about 150 ms on a server core of 2023.
	controlSteps = 12_000_000
)

// controlSum prevents the compiler from removing the loop.
var controlSum uint64

// control times a fixed amount of work: arithmetic, an unpredictable branch, and reads and writes at places that depend on the
// previous step, as in an interpreter. It allocates nothing while the time runs.
func control() time.Duration {
	table := make([]uint64, tableWords)
	for i := range table {
		table[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	began := time.Now()
	controlSum = work(table, controlSteps)
	return time.Since(began)
}

func work(table []uint64, steps int) uint64 {
	state := uint64(88172645463325252)
	for range steps {
		// xorshift64 (Marsaglia 2003).
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		at := state % tableWords
		if table[at]&1 == 0 {
			table[at] += state
		} else {
			state += table[at] >> 32
		}
	}
	return state
}
