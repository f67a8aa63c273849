package main

import (
	"bufio"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// toolOption is the prefix of the arguments of Valgrind's launcher. Valgrind itself also starts it with them for each program that a
	// counted one becomes.
	toolOption = "--tool="
	// countFiles and doorFiles are the prefixes of the files that src/runtime/valgrind has Valgrind write.
	countFiles = "counts."
	doorFiles  = "door"
	// dumpLimit exceeds the time of any observed dump.
	dumpLimit = 60 * time.Second
)

// launch becomes a Valgrind tool, which becomes the program after its arguments. Valgrind's own launcher does the same, but needs a C
// library, which the image of a service may lack. It returns only if it fails.
func launch(arguments []string) error {
	name := strings.TrimPrefix(arguments[1], toolOption)
	tool := filepath.Join(os.Getenv("VALGRIND_LIB"), name+"-"+runtime.GOARCH+"-"+runtime.GOOS)
	err := syscall.Exec(tool, optionsFor(arguments), append(os.Environ(), "VALGRIND_LAUNCHER="+arguments[0]))
	return fmt.Errorf("%s cannot be started: %w", tool, err)
}

// stackOption is the prefix of the option for the number of callers that distinguish stacks, and goStackOption the same for programs in Go, which
// change their stack whenever another goroutine continues. callgrind mistakes the frames there for calls, and the number of such stacks is
// unlimited: with 80 callers, 600 requests took more than 200 s and 1.5 GiB; with 8, 7 s and 200 MiB.
const (
	stackOption   = "--separate-callers="
	goStackOption = stackOption + "8"
)

// optionsFor returns the arguments of the launcher, with fewer callers if the program after the options is in Go.
func optionsFor(arguments []string) []string {
	program := slices.IndexFunc(arguments[1:], func(one string) bool { return !strings.HasPrefix(one, "--") }) + 1
	if program == 0 || !isGo(arguments[program]) {
		return arguments
	}
	options := slices.Clone(arguments)
	for i, one := range options[:program] {
		if strings.HasPrefix(one, stackOption) {
			options[i] = goStackOption
		}
	}
	return options
}

// isGo returns whether a program, or the one with that name on the PATH, is in Go: its linker records that, even without
// symbols.
func isGo(program string) bool {
	path, err := exec.LookPath(program)
	if err != nil {
		return false
	}
	_, err = buildinfo.ReadFile(path)
	return err == nil
}

// counted is the cost of programs since the last reading.
type counted struct {
	Instructions int64 `json:"instructions"`
	Syscalls     int64 `json:"syscalls"`
	// Allocations are the calls of functions that allocate memory, as far as their names are known.
	Allocations int64 `json:"allocations"`
	// Files is the number of usable files: 0 if no program runs under callgrind.
	Files int `json:"files"`
	// Uncounted is the number of programs that started and ended between two readings: none of their instructions were
	// counted.
	Uncounted int `json:"uncounted,omitempty"`
	// Functions are those with the highest cost, and Calls the same by caller, if requested.
	Functions []executed `json:"functions,omitempty"`
	Calls     []called   `json:"calls,omitempty"`
	tree      *callTree
}

// countsOf defines a reading: the programs whose files are in a folder, with or without functions. If it is the last for now, the programs stop
// counting until the next one, which makes them several times as fast.
type countsOf struct {
	folder       string
	vgdb         []string
	hasFunctions bool
	isLast       bool
}

// writeCounts takes a reading by vgdb of every program that has a pipe in the folder, and writes the sum of these and of those that have ended
// since. Each file is read once and removed, so that nothing is counted twice. A program that does not count yet starts to count.
func writeCounts(to io.Writer, what countsOf) error {
	if err := dumpAll(what); err != nil {
		return err
	}
	names, err := namesIn(what.folder)
	if err != nil {
		return err
	}
	var sum counted
	if what.hasFunctions {
		sum.tree = newCallTree()
	}
	for _, name := range names {
		if strings.HasPrefix(name, countFiles) {
			if err := sum.take(filepath.Join(what.folder, name)); err != nil {
				return err
			}
		}
	}
	if sum.tree != nil {
		sum.Functions, sum.Calls = sum.tree.functions(), sum.tree.most()
	}
	encoder := json.NewEncoder(to)
	// Escapes would lengthen names in C++ and Go.
	encoder.SetEscapeHTML(false)
	return encoder.Encode(sum)
}

// door is the connection to a program under Valgrind: a pipe with its PID and the names of its user and its host.
type door struct{ pid, user, host string }

var doorName = regexp.MustCompile(`^` + doorFiles + `-from-vgdb-to-(\d+)-by-(.+)-on-(.+)$`)

// endedName matches the file of a program that has ended: the names of others end with the number of the file.
var endedName = regexp.MustCompile(`^` + regexp.QuoteMeta(countFiles) + `\d+$`)

func doorsIn(folder string) ([]door, error) {
	names, err := namesIn(folder)
	var doors []door
	for _, name := range names {
		if parts := doorName.FindStringSubmatch(name); parts != nil {
			doors = append(doors, door{pid: parts[1], user: parts[2], host: parts[3]})
		}
	}
	return doors, err
}

func namesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}

func dumpAll(what countsOf) error {
	doors, err := doorsIn(what.folder)
	failures := make([]error, len(doors))
	var dumps sync.WaitGroup
	for place, one := range doors {
		dumps.Add(1)
		go func() {
			defer dumps.Done()
			failures[place] = one.dump(what)
		}()
	}
	dumps.Wait()
	return errors.Join(append(failures, err)...)
}

func (one door) dump(what countsOf) error {
	ctx, cancel := context.WithTimeout(context.Background(), dumpLimit)
	defer cancel()
	after := "on"
	if what.isLast {
		after = "off"
	}
	arguments := append(slices.Clone(what.vgdb), "--vgdb-prefix="+filepath.Join(what.folder, doorFiles), "--pid="+one.pid, "-c", "dump", "-c", "instrumentation", after)
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	// vgdb finds the pipe by these.
	command.Env = append(os.Environ(), "LOGNAME="+one.user, "HOST="+one.host)
	printed, failure := command.CombinedOutput()
	if failure == nil {
		return nil
	}
	// A program that has ended by now has written its counts itself.
	if doors, err := doorsIn(what.folder); err == nil && !slices.Contains(doors, one) {
		return nil
	}
	return fmt.Errorf("process %s did not report its counts: %w: %s", one.pid, failure, strings.TrimSpace(string(printed)))
}

// take adds the content of a file. The file of a running program is empty until it ends, and is kept.
func (sum *counted) take(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if state, err := file.Stat(); err != nil || state.Size() == 0 {
		return err
	}
	costs := newStackCosts()
	var allocations allocationCalls
	hear := allocations.line
	if sum.tree != nil {
		hear = func(line string) {
			allocations.line(line)
			costs.line(line)
		}
	}
	instructions, syscalls, err := sumsIn(file, hear)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	// A count is more important than its breakdown: a file without one has no functions.
	if sum.tree != nil && sum.tree.add(costs, instructions, perfMapOf(costs.pid)) != nil {
		sum.tree = nil
	}
	sum.Instructions += instructions
	sum.Syscalls += syscalls
	sum.Allocations += allocations.sum
	sum.Files++
	if instructions == 0 && endedName.MatchString(filepath.Base(path)) {
		sum.Uncounted++
	}
	if sum.tree != nil && endedName.MatchString(filepath.Base(path)) {
		// It is not read again.
		removePerfMap(costs.pid)
	}
	return os.Remove(path)
}

// longestLine exceeds the names of all functions of a stack in C++.
const longestLine = 16 << 20

// sumsIn reads the totals of a callgrind file: "events:" names the columns, and "summary:" (of a dump) or "totals:" (of all dumps) has a number
// for each, without trailing zeros. Each line is also passed to `hear`.
func sumsIn(text io.Reader, hear func(line string)) (instructions, syscalls int64, err error) {
	var names, numbers []string
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		line := lines.Text()
		hear(line)
		key, rest, _ := strings.Cut(line, ":")
		switch key {
		case "events":
			names = strings.Fields(rest)
		case "summary", "totals":
			numbers = strings.Fields(rest)
		}
	}
	if err := lines.Err(); err != nil {
		return 0, 0, err
	}
	if !slices.Contains(names, "Ir") || len(numbers) == 0 {
		return 0, 0, errors.New("no totals of the counts, so the file was cut short: is the disk of the temporary folder full?")
	}
	instructions, instructionsErr := numberOf("Ir", names, numbers)
	syscalls, syscallsErr := numberOf("sysCount", names, numbers)
	return instructions, syscalls, errors.Join(instructionsErr, syscallsErr)
}

func numberOf(name string, names, numbers []string) (int64, error) {
	place := slices.Index(names, name)
	if place < 0 || place >= len(numbers) {
		return 0, nil
	}
	return strconv.ParseInt(numbers[place], 10, 64)
}
