package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const (
	// mostMapped limits the bytes of a map that are read: that of a service on Express has 0.2 MB.
	mostMapped = 64 << 20
	anonymous  = "(anonymous)"
)

// perfMap has the functions that a program compiled at run time, by address. Python (PYTHONPERFSUPPORT) and Node.js
// (--perf-basic-prof) write them for perf:
// https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/tools/perf/Documentation/jit-interface.txt
type perfMap []mapped

type mapped struct {
	start, size uint64
	name        string
}

// perfMapPath is where the runtimes write the map of a process, regardless of TMPDIR.
func perfMapPath(pid int) string {
	return fmt.Sprintf("/tmp/perf-%d.map", pid)
}

// perfMapOf returns the map of a process; empty if it wrote none. A map of another user is not from this process.
func perfMapOf(pid int) perfMap {
	file, err := os.OpenFile(perfMapPath(pid), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	state, err := file.Stat()
	if err != nil || !isOwnFile(state) {
		return nil
	}
	return readPerfMap(io.LimitReader(file, mostMapped))
}

// removePerfMap removes the map of a program that has ended.
func removePerfMap(pid int) {
	if state, err := os.Lstat(perfMapPath(pid)); err == nil && isOwnFile(state) {
		os.Remove(perfMapPath(pid))
	}
}

func isOwnFile(state os.FileInfo) bool {
	return state.Mode().IsRegular() && int(state.Sys().(*syscall.Stat_t).Uid) == os.Getuid()
}

// readPerfMap ignores invalid lines.
func readPerfMap(text io.Reader) perfMap {
	var all perfMap
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		start, rest, _ := strings.Cut(lines.Text(), " ")
		size, name, _ := strings.Cut(rest, " ")
		from, startErr := strconv.ParseUint(strings.TrimPrefix(start, "0x"), 16, 64)
		bytes, sizeErr := strconv.ParseUint(strings.TrimPrefix(size, "0x"), 16, 64)
		if startErr == nil && sizeErr == nil && name != "" {
			all = append(all, mapped{from, bytes, name})
		}
	}
	// The last function that was written to an address is there now.
	slices.SortStableFunc(all, func(left, right mapped) int { return cmp.Compare(left.start, right.start) })
	return all
}

// nameAt returns the name of the function at an address; false if unknown.
func (all perfMap) nameAt(address uint64) (string, bool) {
	after, _ := slices.BinarySearchFunc(all, address, func(one mapped, address uint64) int {
		if one.start <= address {
			return -1
		}
		return 1
	})
	if after == 0 {
		return "", false
	}
	one := all[after-1]
	return one.name, address-one.start < one.size
}

// pythonMark is the prefix of Python functions in a map.
const pythonMark = "py::"

// scriptFunction matches a function of Node.js: its kind, how it is compiled, its name, and its place. It may have no
// name.
var scriptFunction = regexp.MustCompile(`^(?:JS|Function|LazyCompile|Eval|Script):[*^~+]*(.*?) ?((?:/|node:|file:|evalmachine).*?|\S*?):\d+:\d+$`)

// compiledSymbol returns a function by its name in a map: "py::User.get:/srv/app/users.py", "JS:*list
// /srv/app/users.js:7:12".
func compiledSymbol(name string) symbol {
	if python, isPython := strings.CutPrefix(name, pythonMark); isPython {
		function, file, _ := strings.Cut(python, ":")
		return symbol{name: function, object: sourceFile(file)}
	}
	if parts := scriptFunction.FindStringSubmatch(name); parts != nil {
		return symbol{name: cmp.Or(parts[1], anonymous), object: sourceFile(parts[2])}
	}
	return symbol{name: name, object: unnamed}
}

// sourceFile returns a file without its folder, since versions are in different ones; that of a Python package has the package's
// name.
func sourceFile(file string) string {
	base := path.Base(file)
	if base == "__init__.py" {
		return path.Join(path.Base(path.Dir(file)), base)
	}
	return base
}
