package main

import (
	"cmp"
	"errors"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	// mostFunctions limits the reported functions to those with the highest cost, with their calls.
	mostFunctions = 100
	// mostCalls limits the reported calls to those with the highest cost, and at least a thousandth of all.
	mostCalls = 300
	leastCall = 1000
	// longestName and longestObject shorten long names, as in C++ and Rust, in the middle. All names together fit into the limit for
	// reading this program's output.
	longestName   = 160
	longestObject = 60
	// unnamed is callgrind's name for an unknown object. Here, it also means all code of an object without symbols.
	unnamed = "???"
)

// executed is the cost of a function since the last reading.
type executed struct {
	Name string `json:"name"`
	// Object is the file that the function comes from, without its folder.
	Object string `json:"object"`
	// Self is the cost of the function itself.
	Self int64 `json:"self"`
	// Inclusive includes its callees.
	Inclusive int64 `json:"inclusive"`
}

// called is the cost of a function, including its callees, on one call path.
type called struct {
	// Parent is the index of its caller in the tree; -1 if unknown.
	Parent    int    `json:"parent"`
	Name      string `json:"name"`
	Object    string `json:"object"`
	Inclusive int64  `json:"inclusive"`
}

// symbol identifies a function by name and file.
type symbol struct{ name, object string }

// callTree has the costs of functions in programs, by the stacks in which they were called.
type callTree struct {
	symbols []symbol
	places  map[symbol]int
	// self and inclusive belong to each symbol, and seen is the last stack that it was in.
	self, inclusive []int64
	seen            []int
	stacks          int
	calls           []treeCall
	children        map[treeKey]int
	total           int64
}

type treeCall struct {
	parent, symbol int
	inclusive      int64
}

type treeKey struct{ parent, symbol int }

func newCallTree() *callTree {
	return &callTree{places: map[symbol]int{}, children: map[treeKey]int{}}
}

// add takes the content of a callgrind file, the total of its instructions, and the functions that the program compiled itself.
func (tree *callTree) add(costs *stackCosts, total int64, compiled perfMap) error {
	if costs.failure != nil {
		return costs.failure
	}
	var sum int64
	for _, stack := range costs.stacks {
		// The sum of two costs must not exceed the limit for one.
		if stack.self > total-sum {
			return errors.New("its functions executed more than the whole program")
		}
		sum += stack.self
	}
	frames := make([]stackFrame, len(costs.functions))
	for place, name := range costs.functions {
		frames[place] = tree.frameOf(name, costs.objects[place], compiled)
	}
	hasPython := slices.ContainsFunc(compiled, func(one mapped) bool { return strings.HasPrefix(one.name, pythonMark) })
	for _, stack := range costs.stacks {
		if stack.self > 0 {
			tree.addStack(ownStack(stack.functions, frames, hasPython), stack.self)
		}
	}
	tree.total += total
	return nil
}

// stackFrame is a function of a stack.
type stackFrame struct {
	symbol int
	// isEvaluator is true for a function in which Python runs its functions: its cost belongs to the function that it runs, if those
	// are known.
	isEvaluator bool
	// isSwitch is true if it continues with another stack, which callgrind mistakes for a call.
	isSwitch bool
}

const evaluator = "_PyEval_EvalFrameDefault"

// interpreter matches the file of Python; without symbols, the evaluator and its callers have no names.
var interpreter = regexp.MustCompile(`^(lib)?python3\b`)

// switches of stacks: greenlets of Python, and goroutines.
var switches = []string{"slp_switch", "runtime.gogo", "runtime.mcall"}

// hexAddress is a function without a name in callgrind.
var hexAddress = regexp.MustCompile(`^0x[0-9a-f]{1,16}`)

func (tree *callTree) frameOf(name, object string, compiled perfMap) stackFrame {
	one := symbol{name: name, object: cmp.Or(path.Base(object), unnamed)}
	if object == "" {
		one.object = unnamed
	}
	if digits := hexAddress.FindString(name); digits != "" {
		one.name = unnamed
		// At most 16 digits, which always fit.
		address, _ := strconv.ParseUint(digits[2:], 16, 64)
		if found, isKnown := compiled.nameAt(address); isKnown && one.object == unnamed {
			one = compiledSymbol(found)
		}
	}
	isEvaluator := name == evaluator || one.name == unnamed && interpreter.MatchString(one.object)
	return stackFrame{tree.placeOf(one), isEvaluator, slices.Contains(switches, name)}
}

func (tree *callTree) placeOf(one symbol) int {
	one = symbol{name: shortened(cmp.Or(one.name, unnamed), longestName), object: shortened(one.object, longestObject)}
	place, isKnown := tree.places[one]
	if !isKnown {
		place = len(tree.symbols)
		tree.places[one] = place
		tree.symbols = append(tree.symbols, one)
		tree.self, tree.inclusive, tree.seen = append(tree.self, 0), append(tree.inclusive, 0), append(tree.seen, 0)
	}
	return place
}

// ownStack is a stack by its symbols, innermost first, without frames of another stack, and without Python's evaluator if its functions are
// known. A recursive function is in it once, as in callgrind; so is one of Node.js whose compiled code calls more of it.
func ownStack(functions []int32, frames []stackFrame, hasPython bool) []int {
	symbols := make([]int, 0, len(functions))
	for place, function := range functions {
		one := frames[function]
		if one.isEvaluator && hasPython && place+1 < len(functions) {
			continue
		}
		if len(symbols) == 0 || symbols[len(symbols)-1] != one.symbol {
			symbols = append(symbols, one.symbol)
		}
		if one.isSwitch {
			break
		}
	}
	return symbols
}

func (tree *callTree) addStack(symbols []int, self int64) {
	tree.stacks++
	parent := -1
	for place, symbol := range slices.Backward(symbols) {
		if tree.seen[symbol] != tree.stacks {
			tree.seen[symbol] = tree.stacks
			tree.inclusive[symbol] += self
		}
		if place == 0 {
			tree.self[symbol] += self
		}
		key := treeKey{parent, symbol}
		call, isKnown := tree.children[key]
		if !isKnown {
			call = len(tree.calls)
			tree.children[key] = call
			tree.calls = append(tree.calls, treeCall{parent: parent, symbol: symbol})
		}
		tree.calls[call].inclusive += self
		parent = call
	}
}

// functions returns those with the highest cost.
func (tree *callTree) functions() []executed {
	all := make([]executed, 0, len(tree.symbols))
	for place, one := range tree.symbols {
		if tree.inclusive[place] > 0 {
			all = append(all, executed{one.name, one.object, tree.self[place], tree.inclusive[place]})
		}
	}
	slices.SortFunc(all, func(left, right executed) int {
		return cmp.Or(
			cmp.Compare(right.Inclusive, left.Inclusive),
			cmp.Compare(right.Self, left.Self),
			cmp.Compare(left.Name, right.Name),
			cmp.Compare(left.Object, right.Object),
		)
	})
	return all[:min(len(all), mostFunctions)]
}

// most returns the calls with the highest cost, each after its caller, whose cost is at least as high.
func (tree *callTree) most() []called {
	order := make([]int, 0, len(tree.calls))
	for call, one := range tree.calls {
		if one.inclusive > 0 && one.inclusive >= tree.total/leastCall {
			order = append(order, call)
		}
	}
	slices.SortStableFunc(order, func(left, right int) int {
		return cmp.Compare(tree.calls[right].inclusive, tree.calls[left].inclusive)
	})
	places := map[int]int{-1: -1}
	reported := make([]called, 0, min(len(order), mostCalls))
	for place, call := range order[:min(len(order), mostCalls)] {
		one := tree.calls[call]
		places[call] = place
		function := tree.symbols[one.symbol]
		reported = append(reported, called{places[one.parent], function.name, function.object, one.inclusive})
	}
	return reported
}

// shortened returns untrusted text as at most n bytes of printable characters.
func shortened(text string, most int) string {
	if len(text) > most {
		const gap = "…"
		half := (most - len(gap)) / 2
		// Drops a character that was cut in half.
		text = strings.ToValidUTF8(text[:half], "") + gap + strings.ToValidUTF8(text[len(text)-half:], "")
	}
	return strings.Map(func(letter rune) rune {
		if letter == unicode.ReplacementChar || !unicode.IsPrint(letter) {
			return '?'
		}
		return letter
	}, text)
}
