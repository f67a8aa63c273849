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
	// longestName and longestObject cut names, of which C++ and Rust have long ones, from the middle. All of them together fit into what
	// is read of this program's output.
	longestName   = 160
	longestObject = 60
	// unnamed is how callgrind calls an object that it does not know. Here, it is all code of an object without symbols, too.
	unnamed = "???"
)

// executed is the cost of a function since the last reading.
type executed struct {
	Name string `json:"name"`
	// Object is the file that the function comes from, without its folder.
	Object string `json:"object"`
	// Self is what it executed itself.
	Self int64 `json:"self"`
	// Inclusive has what it called, too.
	Inclusive int64 `json:"inclusive"`
}

// called is what a function executed, with what it called, if it was called in a certain way.
type called struct {
	// Parent is the place of its caller in the tree; -1 if none is known.
	Parent    int    `json:"parent"`
	Name      string `json:"name"`
	Object    string `json:"object"`
	Inclusive int64  `json:"inclusive"`
}

// symbol is a function by what it is called.
type symbol struct{ name, object string }

// callTree is what the functions of programs executed, by the stacks in which they were called.
type callTree struct {
	symbols []symbol
	places  map[symbol]int
	// self and inclusive are of each symbol, and seen is the last stack that it was in.
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
		// No sum of two can be larger than what one of them may be.
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
	// isEvaluator is a function in which Python runs its functions: its work is that of the function that it runs, if those are known.
	isEvaluator bool
	// isSwitch goes on with another stack, of which callgrind believes that it was called.
	isSwitch bool
}

const evaluator = "_PyEval_EvalFrameDefault"

// interpreter is the file of Python; of one without symbols, the evaluator and what leads to it have no names.
var interpreter = regexp.MustCompile(`^(lib)?python3\b`)

// switches of stacks: greenlets of Python, and goroutines.
var switches = []string{"slp_switch", "runtime.gogo", "runtime.mcall"}

// hexAddress is a function of which callgrind knows no name.
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

// ownStack is a stack by its symbols, the innermost first, without frames of another stack, and without Python's evaluator if its functions are
// known. A function that calls itself is in it once, as in callgrind; so is one of Node.js, whose compiled code calls more of it.
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

// functions are those that executed most.
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

// most are the calls that executed most, each after its caller, which executed at least as much.
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
	told := make([]called, 0, min(len(order), mostCalls))
	for place, call := range order[:min(len(order), mostCalls)] {
		one := tree.calls[call]
		places[call] = place
		function := tree.symbols[one.symbol]
		told = append(told, called{places[one.parent], function.name, function.object, one.inclusive})
	}
	return told
}

// shortened is untrusted text as printable characters, at most n bytes of them.
func shortened(text string, most int) string {
	if len(text) > most {
		const gap = "…"
		half := (most - len(gap)) / 2
		// What cutting leaves of a character is none, and goes.
		text = strings.ToValidUTF8(text[:half], "") + gap + strings.ToValidUTF8(text[len(text)-half:], "")
	}
	return strings.Map(func(letter rune) rune {
		if letter == unicode.ReplacementChar || !unicode.IsPrint(letter) {
			return '?'
		}
		return letter
	}, text)
}
