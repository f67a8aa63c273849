package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// nodeName is what this program is called by if it stands before Node.js on the PATH of a service that is counted.
const nodeName = "node"

// ownName is that of this program's file, in whatever folder it lies.
const ownName = "wiregauge-load"

// nodeFlags make one window of requests count like another: the compiler and the garbage collector work on the thread that answers, and
// garbage is collected once in thousands of requests. The optimizing compiler stays on. NODE_OPTIONS does not admit them. Measured in
// docs/instructions.md.
var nodeFlags = []string{"--single-threaded", "--min-semi-space-size=64", "--max-semi-space-size=64"}

// toldFunctions is the variable of a service whose functions are told, and functionFlags make Node.js write where the functions lie that
// it compiles (perfmap.go).
const toldFunctions = "WIREGAUGE_FUNCTIONS"

var functionFlags = []string{"--perf-basic-prof", "--interpreted-frames-native-stack"}

// becomeNode becomes the next program of that name on the PATH, with flags before its arguments. It returns only if it fails.
func becomeNode(arguments []string) error {
	program, err := nextOnPath(nodeName)
	if err != nil {
		return err
	}
	err = syscall.Exec(program, slices.Concat([]string{nodeName}, flagsOfNode(), arguments), os.Environ())
	return fmt.Errorf("%s cannot be started: %w", program, err)
}

func flagsOfNode() []string {
	if os.Getenv(toldFunctions) == "" {
		return nodeFlags
	}
	return slices.Concat(nodeFlags, functionFlags)
}

// nextOnPath finds a program on the PATH that is no link to this one. What a counted program is told of itself is Valgrind's, so the name
// of what a link leads to decides.
func nextOnPath(name string) (string, error) {
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(folder, name)
		to, err := filepath.EvalSymlinks(path)
		if err != nil || filepath.Base(to) == ownName {
			continue
		}
		if found, err := os.Stat(to); err == nil && !found.IsDir() && found.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", errors.New("there is no " + name + " on the PATH of the service")
}
