// Package settings reads the settings of a service from environment variables, by the rules of the Python services.
package settings

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const longestList = 1_000

var (
	digits     = regexp.MustCompile(`^[0-9]{1,10}$`)
	percentage = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,3})?$`)
)

// environment reads one setting after another, and stores the first mistake and all values.
type environment struct {
	variables func(name string) (string, bool)
	mistake   error
	// written are the variables that give the same settings.
	written map[string]string
}

func (e *environment) value(name, usual string) string {
	value, found := e.variables(name)
	if !found {
		value = usual
	}
	e.written[name] = value
	return value
}

func (e *environment) refuse(name, value, expected string) {
	if e.mistake == nil {
		e.mistake = fmt.Errorf("%s is %q: it must be %s", name, value, expected)
	}
}

func (e *environment) text(name, usual string) string {
	value := e.value(name, usual)
	if value == "" && e.mistake == nil {
		e.mistake = fmt.Errorf("%s is empty: leave it out for its default, %q", name, usual)
	}
	return value
}

// choice returns one of several; the first is the default.
func (e *environment) choice(name string, choices ...string) string {
	value := e.value(name, choices[0])
	if !slices.Contains(choices, value) {
		e.refuse(name, value, "one of "+strings.Join(choices, ", "))
	}
	return value
}

func (e *environment) isOn(name, usual string) bool {
	value := e.value(name, usual)
	if value != "on" && value != "off" {
		e.refuse(name, value, "on or off")
	}
	return value == "on"
}

// bounds are the smallest and largest permitted number.
type bounds struct{ least, most int }

func (b bounds) has(text string) (int, bool) {
	number, err := strconv.Atoi(text)
	return number, err == nil && digits.MatchString(text) && number >= b.least && number <= b.most
}

func (e *environment) whole(name, usual string, limits bounds) int {
	value := e.value(name, usual)
	number, fits := limits.has(value)
	if !fits {
		e.refuse(name, value, fmt.Sprintf("a whole number from %d to %d", limits.least, limits.most))
	}
	return number
}

// wholeOrNone returns 0 if the variable is unset or "none"; the limits begin above it.
func (e *environment) wholeOrNone(name string, limits bounds) int {
	if e.value(name, "none") == "none" {
		return 0
	}
	return e.whole(name, "none", limits)
}

// ascending returns whole numbers separated by commas, each greater than the one before.
func (e *environment) ascending(name, usual string, limits bounds) []int {
	value := e.value(name, usual)
	numbers := []int{}
	for text := range strings.SplitSeq(value, ",") {
		number, fits := limits.has(text)
		grows := len(numbers) == 0 || number > numbers[len(numbers)-1]
		if !fits || !grows || len(value) > longestList {
			expected := fmt.Sprintf("whole numbers from %d to %d, each greater than the one before, such as %s", limits.least, limits.most, usual)
			e.refuse(name, value, expected)
			return nil
		}
		numbers = append(numbers, number)
	}
	return numbers
}

// extraWork returns a slowdown in percent, which only a benchmark may request.
func (e *environment) extraWork() float64 {
	value := e.value("EXTRA_WORK", "0")
	percent, err := strconv.ParseFloat(value, 64)
	if err != nil || !percentage.MatchString(value) || percent > 100 {
		e.refuse("EXTRA_WORK", value, "a number from 0 to 100, such as 5 or 2.5")
		return 0
	}
	if benchmark, _ := e.variables("BENCHMARK"); percent > 0 && benchmark != "1" && e.mistake == nil {
		e.mistake = fmt.Errorf("EXTRA_WORK is %q: it makes each request slower on purpose; "+
			"set BENCHMARK=1 as well if this is a benchmark, else leave it out", value)
	}
	return percent
}
