package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// nodeName is the name of this program when it is before Node.js on the PATH of a counted service.
const nodeName = "node"

// ownName is the name of this program's file in every folder.
const ownName = "wiregauge-load"

// nodeFlags make windows of requests count alike: the compiler and the garbage collector work on the responding thread, and garbage is
// collected once in thousands of requests. The optimizing compiler stays enabled. NODE_OPTIONS does not accept them. Measured in
// docs/instructions.md.
var nodeFlags = []string{"--single-threaded", "--min-semi-space-size=64", "--max-semi-space-size=64"}

// functionsVariable is the environment variable of a service whose functions are counted, and functionFlags make Node.js write the addresses
// of the functions that it compiles (perfmap.go).
const functionsVariable = "WIREGAUGE_FUNCTIONS"

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
	if os.Getenv(functionsVariable) == "" {
		return nodeFlags
	}
	return slices.Concat(nodeFlags, functionFlags)
}

// nextOnPath finds a program on the PATH that is not a link to this one. A counted program's own path is that of Valgrind, so the name of the
// link's target decides.
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
