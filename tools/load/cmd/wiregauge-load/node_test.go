package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pathWith creates a PATH of two folders: one with a link to this program, and one with a program of that name.
func pathWith(t *testing.T, script string) string {
	t.Helper()
	links, programs := t.TempDir(), t.TempDir()
	own := filepath.Join(t.TempDir(), ownName)
	for path, text := range map[string]string{own: "", filepath.Join(programs, nodeName): script} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(own, filepath.Join(links, nodeName)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", links+":"+programs)
	return filepath.Join(programs, nodeName)
}

func TestTheNextNodeOnThePathIsNoLinkToThisProgram(t *testing.T) {
	want := pathWith(t, "#!/bin/sh\n")
	if found, err := nextOnPath(nodeName); err != nil || found != want {
		t.Error(found, err)
	}
}

func TestANodeThatCannotBeExecutedIsPassedOver(t *testing.T) {
	if err := os.Chmod(pathWith(t, ""), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := becomeNode(nil); err == nil || !strings.Contains(err.Error(), "no node on the PATH") {
		t.Error(err)
	}
}

func TestANodeWhoseFunctionsAreReportedSaysWhereTheyLie(t *testing.T) {
	for reported, want := range map[string][]string{"": nodeFlags, "1": append(slices.Clone(nodeFlags), functionFlags...)} {
		t.Setenv(functionsVariable, reported)
		if found := flagsOfNode(); !slices.Equal(found, want) {
			t.Errorf("%q: %v", reported, found)
		}
	}
}

func TestANodeThatDoesNotStartIsNamed(t *testing.T) {
	path := pathWith(t, "no program")
	if err := becomeNode([]string{"server.js"}); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}
