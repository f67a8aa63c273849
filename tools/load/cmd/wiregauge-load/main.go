// Command wiregauge-load sends all load, by the libraries of vegeta and ghz. It stays up between blocks of load, so that a block neither
// starts a program nor dials.
//
//	wiregauge-load          runs the blocks that standard input requests, one JSON line each (protocol.go)
//	wiregauge-load remote   the same where its files cannot be read: it prints the records ahead of the answer to their block (driver.go)
//	wiregauge-load pod      answers each line with what the programs of the pod have used whose processes it sees (pod.go)
//	wiregauge-load encode <vegeta|ghz> <records> <output>
//	                        writes a record file in the form that programs for vegeta or ghz read (encode.go)
//	wiregauge-load control  prints the wall time of a fixed CPU loop, in nanoseconds
//	wiregauge-load rtt <host:port>
//	                        prints the median round-trip time to an address, in nanoseconds (rtt.go)
//	wiregauge-load version  prints a hash of the source that it was built from
//	wiregauge-load counts <folder> <vgdb>...
//	                        prints the cost of the programs under callgrind with files in a folder, since the last reading
//	wiregauge-load functions <folder> <vgdb>...
//	                        the same, and the functions with the highest cost, by caller
//	wiregauge-load pause <folder> <vgdb>...
//	                        the same as counts, and stops counting until the next reading
//	wiregauge-load plant <size> <command>...
//	                        runs a command with more CPU time (5%), a later start (200ms), more memory (20MB) or a leak (leak=400B) (plant.go)
//	wiregauge-load watch <list>
//	                        prints the opened files of a list, until it is ended (opens.go)
//	wiregauge-load relay <host>
//	                        counts the calls of a service to its needs (relay.go)
//	wiregauge-load --tool=<name> <option>... <command>...
//	                        becomes a command under a tool of Valgrind, which is in the folder that VALGRIND_LIB names
//	node <argument>...      becomes the next Node.js on the PATH, with flags that make its counts steady (node.go)
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// source is set by the linker: see src/runtime/tools/tools.ts.
var source = "unknown"

// memoryGoal is the heap size at which the garbage collector speeds up. Responses over gRPC are kept whole until their end, those of 500 users to
// 1,000 objects of the payload suite are 300 MiB, and without it the same amount of garbage would be added: more than a load tool may have. The
// heap has few, large objects without pointers, so that this costs little.
const memoryGoal = 320 << 20

// garbagePercent is the permitted garbage relative to the live heap. Little is live between requests, so that the usual 100% collects
// several times in a block: 400% saves a closed loop a sixth of its CPU time per request.
const garbagePercent = 400

func main() {
	// The load tool has one core, and more threads would only take turns on it.
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(memoryGoal)
	debug.SetGCPercent(garbagePercent)
	if filepath.Base(os.Args[0]) == nodeName {
		fail(becomeNode(os.Args[1:]).Error())
	}
	mode := mode(os.Args[1:])
	if strings.HasPrefix(mode, toolOption) {
		fail(launch(os.Args).Error())
	}
	switch mode {
	case "":
		if err := newDriver(os.Stdout).serve(os.Stdin); err != nil {
			fail(err.Error())
		}
	case "remote":
		if err := serveRemote(os.Stdin, os.Stdout); err != nil {
			fail(err.Error())
		}
	case "pod":
		if err := watchPod(os.Stdin, os.Stdout); err != nil {
			fail(err.Error())
		}
	case "encode":
		if len(os.Args) != 5 {
			fail("encode takes vegeta or ghz, a record file, and the file to write")
		}
		if err := encode(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			fail(err.Error())
		}
	case "control":
		fmt.Println(control().Nanoseconds())
	case "version":
		fmt.Println(source)
	case "counts", "functions", "pause":
		if len(os.Args) < 4 {
			fail(mode + " takes a folder and the command of vgdb")
		}
		what := countsOf{folder: os.Args[2], vgdb: os.Args[3:], hasFunctions: mode == "functions", isLast: mode == "pause"}
		if err := writeCounts(os.Stdout, what); err != nil {
			fail(err.Error())
		}
	case "plant":
		if len(os.Args) < 4 {
			fail("plant takes a size and a command")
		}
		code, err := plant(os.Args[2], os.Args[3:])
		if err != nil {
			fail(err.Error())
		}
		os.Exit(code)
	case "watch":
		if len(os.Args) != 3 {
			fail("watch takes a list of files")
		}
		fail(watchOpens(os.Args[2], os.Stdout).Error())
	case "relay":
		if len(os.Args) != 3 {
			fail("relay takes the address to listen at")
		}
		if err := runRelay(os.Stdin, os.Stdout, os.Args[2]); err != nil {
			fail(err.Error())
		}
	case "rtt":
		if len(os.Args) != 3 {
			fail("rtt takes an address")
		}
		took, err := roundTripTime(os.Args[2])
		if err != nil {
			fail(err.Error())
		}
		fmt.Println(took.Nanoseconds())
	default:
		fail(fmt.Sprintf("unknown mode %q: it is none, control, counts, encode, functions, pause, plant, pod, relay, remote, rtt, version or watch", mode))
	}
}

func mode(arguments []string) string {
	if len(arguments) == 0 {
		return ""
	}
	return arguments[0]
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "wiregauge-load:", message)
	os.Exit(2)
}
