package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	// mostFunctions are told: those that executed most, with what they called.
	mostFunctions = 100
	// mostNames is more than any program has functions, and mostArcs more than it has pairs of one that called another.
	mostNames = 300_000
	mostArcs  = 2_000_000
	// longestName and longestObject cut names, of which C++ and Rust have long ones, from the middle. All of them together fit into what
	// is read of this program's output.
	longestName   = 160
	longestObject = 60
	// unnamed is how callgrind calls an object that it does not know. Here, it is all code of an object without symbols, too.
	unnamed = "???"
)

// executed is what programs executed in a function since they were last asked.
type executed struct {
	Name string `json:"name"`
	// Object is the file that the function comes from, without its folder.
	Object string `json:"object"`
	// Self is what it executed itself.
	Self int64 `json:"self"`
	// Inclusive has what it called, too, but for calls that led back to it.
	Inclusive int64 `json:"inclusive"`
}

// executedMost is those of the functions that executed most.
func executedMost(sums map[symbol]executed) []executed {
	all := make([]executed, 0, len(sums))
	for _, one := range sums {
		all = append(all, one)
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

// symbol is a function by what it is called.
type symbol struct{ name, object string }

// callGraph is what a file of callgrind tells of functions: what each executed, and what its calls of others did. It is told line by line.
// https://valgrind.org/docs/manual/cl-format.html
type callGraph struct {
	places    map[symbol]int
	functions []*graphNode
	arcs      int
	// Names of a kind are written out once, and then told by their numbers.
	objects, names compressedNames
	// instructions is the place of what was executed on a line of costs.
	positions, instructions int
	// object and current are what the lines that follow are about.
	object  string
	current *graphNode
	// callee and calleeObject are of the next call, and isCall says that its costs come next.
	callee       int
	calleeObject string
	isCall       bool
	// failure is why the file tells nothing; what comes after it is not looked at.
	failure error
}

type graphNode struct {
	symbol
	self int64
	// calls has what calls of another function executed, by its place.
	calls map[int]int64
}

func newCallGraph() *callGraph {
	return &callGraph{places: map[symbol]int{}, objects: compressedNames{}, names: compressedNames{}, positions: 1}
}

func (graph *callGraph) line(text string) {
	if graph.failure == nil && text != "" {
		graph.failure = graph.read(text)
	}
}

func (graph *callGraph) read(text string) error {
	if first := text[0]; first >= '0' && first <= '9' || strings.IndexByte("+-*", first) >= 0 {
		return graph.cost(strings.Fields(text))
	}
	if names, isPositions := strings.CutPrefix(text, "positions:"); isPositions {
		graph.positions = len(strings.Fields(names))
	}
	if names, isEvents := strings.CutPrefix(text, "events:"); isEvents {
		graph.instructions = slices.Index(strings.Fields(names), "Ir")
	}
	key, value, _ := strings.Cut(text, "=")
	var err error
	switch key {
	case "ob":
		graph.object, err = graph.objects.full(value)
	case "cob":
		graph.calleeObject, err = graph.objects.full(value)
	case "fn":
		var place int
		if place, err = graph.place(value, graph.object); err == nil {
			graph.current = graph.functions[place]
		}
	case "cfn":
		graph.callee, err = graph.place(value, cmp.Or(graph.calleeObject, graph.object))
		graph.calleeObject = ""
	case "calls":
		graph.isCall = true
	}
	return err
}

// cost adds what a line of costs says to the function that it is about, or to a call of it.
func (graph *callGraph) cost(columns []string) error {
	isCall := graph.isCall
	graph.isCall = false
	place := graph.positions + graph.instructions
	if graph.instructions < 0 || place >= len(columns) {
		// Trailing zeros are left out, and a jump has no costs.
		return nil
	}
	cost, err := strconv.ParseInt(columns[place], 10, 64)
	if err != nil || cost < 0 || graph.current == nil {
		return fmt.Errorf("%q is no cost of a function", columns[place])
	}
	if !isCall {
		graph.current.self, err = plus(graph.current.self, cost)
		return err
	}
	if graph.current.calls == nil {
		graph.current.calls = map[int]int64{}
	}
	before, isKnown := graph.current.calls[graph.callee]
	if !isKnown {
		graph.arcs++
	}
	if graph.arcs > mostArcs {
		return errors.New("too many calls")
	}
	graph.current.calls[graph.callee], err = plus(before, cost)
	return err
}

func plus(left, right int64) (int64, error) {
	if left > math.MaxInt64-right {
		return 0, errors.New("costs are too large")
	}
	return left + right, nil
}

// place is where a function stands; one that is new gets a place.
func (graph *callGraph) place(value, object string) (int, error) {
	name, err := graph.names.full(value)
	if err != nil {
		return 0, err
	}
	one := symbol{name: shortened(plainName(name), longestName), object: shortened(path.Base(object), longestObject)}
	if object == "" {
		one.object = unnamed
	}
	place, isKnown := graph.places[one]
	if !isKnown {
		place = len(graph.functions)
		graph.places[one] = place
		graph.functions = append(graph.functions, &graphNode{symbol: one})
	}
	if len(graph.functions) > mostNames {
		return 0, errors.New("too many functions")
	}
	return place, nil
}

var (
	// nestedCall ends the name of a function that called itself, if callgrind is told to tell such calls apart.
	nestedCall = regexp.MustCompile(`'\d+$`)
	// hexAddress is a function of which callgrind knows no name.
	hexAddress = regexp.MustCompile(`^0x[0-9a-f]+$`)
)

func plainName(name string) string {
	if name = nestedCall.ReplaceAllString(name, ""); name == "" || hexAddress.MatchString(name) {
		return unnamed
	}
	return name
}

// shortened is a text from a program of others as printable characters, at most so many bytes of them.
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

type compressedNames map[string]string

var compressed = regexp.MustCompile(`^\((\d{1,9})\)(?: (.*))?$`)

// full is a name as it was written out first: "(7) main" stands for main, and so does "(7)" after it.
func (names compressedNames) full(value string) (string, error) {
	parts := compressed.FindStringSubmatch(value)
	if parts == nil {
		return value, nil
	}
	if parts[2] != "" {
		names[parts[1]] = parts[2]
	}
	name, isKnown := names[parts[1]]
	if !isKnown {
		return "", fmt.Errorf("no name was given to %s", value)
	}
	if len(names) > mostNames {
		return "", errors.New("too many names")
	}
	return name, nil
}

// addTo adds what the functions of a file executed, of so many instructions in all.
func (graph *callGraph) addTo(sums map[symbol]executed, total int64) error {
	if graph.failure != nil {
		return graph.failure
	}
	circles := circlesIn(graph.functions)
	for place, one := range graph.functions {
		if one.self > total {
			return fmt.Errorf("%s executed more than the whole program", one.name)
		}
		inclusive := one.self
		for callee, cost := range one.calls {
			if circles[callee] != circles[place] {
				// A program that switches stacks by itself seems to call what it goes on with, so that calls can be more than all.
				inclusive += min(cost, total-inclusive)
			}
		}
		if inclusive == 0 {
			continue
		}
		sum := sums[one.symbol]
		sums[one.symbol] = executed{one.name, one.object, sum.Self + one.self, sum.Inclusive + inclusive}
	}
	return nil
}

// circlesIn numbers functions by the circle of calls that they are in: two have the same number if each leads to the other. Most are alone
// in theirs. What those of a circle executed with all that they called cannot be told from the calls. (Tarjan's algorithm.)
func circlesIn(functions []*graphNode) []int {
	search := circleSearch{
		functions: functions,
		met:       make([]int, len(functions)),
		earliest:  make([]int, len(functions)),
		circles:   make([]int, len(functions)),
	}
	for place := range functions {
		if search.met[place] == 0 {
			search.visit(place)
		}
	}
	return search.circles
}

type circleSearch struct {
	functions []*graphNode
	// met has when a function was met first, from 1, and earliest the first met of those that it leads to and that are open.
	met, earliest []int
	// open are those whose circle is not known yet.
	open []int
	// circles has the number of each function's circle, from 1.
	circles          []int
	visited, numbers int
}

func (search *circleSearch) visit(place int) {
	search.visited++
	search.met[place], search.earliest[place] = search.visited, search.visited
	search.open = append(search.open, place)
	for callee := range search.functions[place].calls {
		if search.met[callee] == 0 {
			search.visit(callee)
			search.earliest[place] = min(search.earliest[place], search.earliest[callee])
		} else if search.circles[callee] == 0 {
			search.earliest[place] = min(search.earliest[place], search.met[callee])
		}
	}
	if search.earliest[place] < search.met[place] {
		return
	}
	search.numbers++
	for search.circles[place] == 0 {
		last := len(search.open) - 1
		search.circles[search.open[last]] = search.numbers
		search.open = search.open[:last]
	}
}
