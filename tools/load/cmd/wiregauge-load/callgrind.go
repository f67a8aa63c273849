package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// mostStacks exceeds the number of different stacks of any service in a window: 68,000 were observed, for a service that switches
	// its stacks.
	mostStacks = 150_000
	// mostFrames limits the stored frames, four bytes each.
	mostFrames = 20_000_000
)

// stackCosts is the content of a callgrind file written with --separate-callers: the cost of each stack, innermost function first. It is read
// line by line. https://valgrind.org/docs/manual/cl-format.html
type stackCosts struct {
	// functions are the names of functions as the file has them, and objects the file of each, if known.
	functions, objects []string
	places             map[string]int32
	stacks             []stackCost
	frames             int
	// byNumber has stacks, and objectNames names, that the file writes out once and then refers to by number.
	byNumber    map[string]int
	byText      map[string]int
	objectNames map[string]string
	// instructions is the position of executed instructions on a line of costs.
	positions, instructions int
	pid                     int
	// object and current belong to the lines that follow: an index in stacks, or -1.
	object  string
	current int
	// isCall is true if the next line of costs is that of a call, which the stack of the callee has, too.
	isCall bool
	// failure is the reason that the file cannot be used; the rest of it is skipped.
	failure error
}

// stackCost is a stack by the indexes of its functions, innermost first, and its own cost.
type stackCost struct {
	functions []int32
	self      int64
}

func newStackCosts() *stackCosts {
	return &stackCosts{
		places: map[string]int32{}, byNumber: map[string]int{}, byText: map[string]int{}, objectNames: map[string]string{},
		positions: 1, current: -1,
	}
}

func (costs *stackCosts) line(text string) {
	if costs.failure == nil && text != "" {
		costs.failure = costs.read(text)
	}
}

func (costs *stackCosts) read(text string) error {
	if first := text[0]; first >= '0' && first <= '9' || strings.IndexByte("+-*", first) >= 0 {
		return costs.cost(text)
	}
	if key, value, isField := strings.Cut(text, "="); isField {
		return costs.field(key, value)
	}
	key, value, _ := strings.Cut(text, ":")
	switch fields := strings.Fields(value); key {
	case "positions":
		costs.positions = len(fields)
	case "events":
		costs.instructions = slices.Index(fields, "Ir")
	case "pid":
		costs.pid, _ = strconv.Atoi(strings.TrimSpace(value))
	}
	return nil
}

func (costs *stackCosts) field(key, value string) error {
	var err error
	switch key {
	case "ob":
		costs.object, err = costs.objectName(value)
	case "cob":
		_, err = costs.objectName(value)
	case "fn":
		if costs.current, err = costs.stack(value); err == nil && len(costs.stacks[costs.current].functions) > 0 {
			costs.objects[costs.stacks[costs.current].functions[0]] = costs.object
		}
	case "cfn":
		_, err = costs.stack(value)
	case "calls":
		costs.isCall = true
	}
	return err
}

// cost adds a line of costs to its stack.
func (costs *stackCosts) cost(text string) error {
	isCall := costs.isCall
	costs.isCall = false
	columns := strings.Fields(text)
	place := costs.positions + costs.instructions
	if isCall || costs.instructions < 0 || place >= len(columns) {
		// Trailing zeros are left out, and a jump has no costs.
		return nil
	}
	cost, err := strconv.ParseInt(columns[place], 10, 64)
	if err != nil || cost < 0 || costs.current < 0 {
		return fmt.Errorf("%q is not the cost of a function", columns[place])
	}
	stack := &costs.stacks[costs.current]
	stack.self, err = plus(stack.self, cost)
	return err
}

func plus(left, right int64) (int64, error) {
	if left > math.MaxInt64-right {
		return 0, errors.New("costs are too large")
	}
	return left + right, nil
}

// numbered resolves a name that callgrind numbers: "(7) main" defines main, and later "(7)" refers to it.
var numbered = regexp.MustCompile(`^\((\d{1,9})\)(?: (.*))?$`)

func (costs *stackCosts) objectName(value string) (string, error) {
	parts := numbered.FindStringSubmatch(value)
	if parts == nil {
		return value, nil
	}
	if parts[2] != "" {
		costs.objectNames[parts[1]] = parts[2]
	}
	name, isKnown := costs.objectNames[parts[1]]
	if !isKnown {
		return "", fmt.Errorf("no name was given to %s", value)
	}
	if len(costs.objectNames) > mostStacks {
		return "", errors.New("too many files")
	}
	return name, nil
}

// stack returns the index of a stack, which is new if it was written out.
func (costs *stackCosts) stack(value string) (int, error) {
	parts := numbered.FindStringSubmatch(value)
	if parts == nil {
		place, isKnown := costs.byText[value]
		if isKnown {
			return place, nil
		}
		place, err := costs.newStack(value)
		costs.byText[value] = place
		return place, err
	}
	if parts[2] != "" {
		place, err := costs.newStack(parts[2])
		costs.byNumber[parts[1]] = place
		return place, err
	}
	place, isKnown := costs.byNumber[parts[1]]
	if !isKnown {
		return 0, fmt.Errorf("no name was given to %s", value)
	}
	return place, nil
}

// level ends the name of a function that called itself.
var level = regexp.MustCompile(`^\d+$`)

func (costs *stackCosts) newStack(text string) (int, error) {
	var functions []int32
	for name := range strings.SplitSeq(text, "'") {
		if !level.MatchString(name) {
			functions = append(functions, costs.function(name))
		}
	}
	costs.stacks = append(costs.stacks, stackCost{functions: functions})
	if costs.frames += len(functions); costs.frames > mostFrames || len(costs.stacks) > mostStacks {
		return 0, errors.New("too many stacks")
	}
	return len(costs.stacks) - 1, nil
}

func (costs *stackCosts) function(name string) int32 {
	place, isKnown := costs.places[name]
	if !isKnown {
		place = int32(len(costs.functions))
		// A substring would keep the whole line in memory.
		name = strings.Clone(name)
		costs.places[name] = place
		costs.functions = append(costs.functions, name)
		costs.objects = append(costs.objects, "")
	}
	return place
}
