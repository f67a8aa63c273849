package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// allocators are the functions of C libraries, C++, Go, CPython, jemalloc and mimalloc that allocate memory. Compiled code allocates
// objects of V8 and of a JVM without a call.
var allocators = regexp.MustCompile(`^(?:malloc|calloc|realloc|reallocarray|memalign|aligned_alloc|posix_memalign|operator new.*|runtime\.mallocgc\w*|_?Py(?:Object|Mem|Mem_Raw)_?(?:Malloc|Calloc|Realloc)|(?:_rjem_|je_|mi_)(?:malloc|calloc|realloc|mallocx|rallocx|zalloc)\w*)(?:'|$)`)

// allocationCalls counts the calls of allocators in a file of callgrind, line by line. An allocator that calls another one counts once.
// https://valgrind.org/docs/manual/cl-format.html
type allocationCalls struct {
	sum int64
	// byNumber is true for numbered functions that are allocators.
	byNumber           map[string]bool
	isCaller, isCallee bool
}

func (calls *allocationCalls) line(text string) {
	if name, ok := strings.CutPrefix(text, "fn="); ok {
		calls.isCaller = calls.isAllocator(name)
	} else if name, ok := strings.CutPrefix(text, "cfn="); ok {
		calls.isCallee = calls.isAllocator(name)
	} else if count, ok := strings.CutPrefix(text, "calls="); ok && calls.isCallee && !calls.isCaller {
		count, _, _ = strings.Cut(count, " ")
		if number, err := strconv.ParseInt(count, 10, 64); err == nil && number > 0 && number <= math.MaxInt64-calls.sum {
			calls.sum += number
		}
	}
}

func (calls *allocationCalls) isAllocator(value string) bool {
	parts := numbered.FindStringSubmatch(value)
	if parts == nil {
		return allocators.MatchString(value)
	}
	if parts[2] != "" && allocators.MatchString(parts[2]) {
		if calls.byNumber == nil {
			calls.byNumber = map[string]bool{}
		}
		calls.byNumber[parts[1]] = true
	}
	return calls.byNumber[parts[1]]
}
