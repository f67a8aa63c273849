package main

import (
	"strings"
	"testing"
)

const withAllocations = `# callgrind format
events: Ir sysCount sysTime

ob=(1) /usr/lib/libc.so.6
fn=(1) handle
cob=(1)
cfn=(2) malloc
calls=20 0
7 400
cfn=(3) operator new(unsigned long)
calls=5 0
7 400
cfn=(4) free
calls=25 0
7 400
cfn=(5) mallocate
calls=9 0
7 400

fn=(3)
cfn=(2)
calls=5 0
3 100

fn=(6) main
cfn=(7) runtime.mallocgcSmallNoscan'2
calls=3 0
3 100
cfn=(8) _PyObject_Malloc'handle'main
calls=2 0
3 100
cfn=realloc
calls=1 0
3 100
cfn=(2)
calls=-4 0
3 100

totals: 1000 10 1
`

func TestAllocationsAreTheCallsOfOutermostAllocators(t *testing.T) {
	var calls allocationCalls
	for line := range strings.Lines(withAllocations) {
		calls.line(strings.TrimSuffix(line, "\n"))
	}
	if calls.sum != 20+5+3+2+1 {
		t.Error(calls.sum)
	}

	folder := folderWith(t, map[string]string{"counts.7.1": withAllocations, "counts.8": withAllocations})
	if printed := printedCounts(folder); !strings.Contains(printed, `"allocations":62`) {
		t.Error(printed)
	}
}
