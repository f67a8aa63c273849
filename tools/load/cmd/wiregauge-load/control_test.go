package main

import "testing"

func TestTheControlLoopIsFixedAndAllocatesNothing(t *testing.T) {
	first := work(make([]uint64, tableWords), 100_000)
	if second := work(make([]uint64, tableWords), 100_000); first != second || first == 0 {
		t.Errorf("%d and %d", first, second)
	}
	table := make([]uint64, tableWords)
	if allocations := testing.AllocsPerRun(3, func() { controlSum = work(table, 1000) }); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func TestTheModeIsTheFirstArgument(t *testing.T) {
	if mode(nil) != "" || mode([]string{"control"}) != "control" {
		t.Error("another mode")
	}
}
