package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWatchPrintsOpenedFilesBeforeTheLastOne(t *testing.T) {
	folder := t.TempDir()
	text := ""
	var paths []string
	for _, name := range []string{"read", "unread", "run", "last"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("#!/bin/true\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
		text += path + "\x00"
	}
	list := filepath.Join(folder, "list")
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(watchOpens(list, writer)) }()
	lines := bufio.NewScanner(reader)
	next := func() string {
		if !lines.Scan() {
			t.Fatalf("it ended: %v", lines.Err())
		}
		return lines.Text()
	}
	if line := next(); line != watchReady {
		t.Fatalf("the first line is %q", line)
	}
	for _, place := range []int{2, 0, 0, 3} {
		if _, err := os.ReadFile(paths[place]); err != nil {
			t.Fatal(err)
		}
	}
	for _, wanted := range []string{"2", "0", "3"} {
		if line := next(); line != wanted {
			t.Fatalf("%q was printed, not %q", line, wanted)
		}
	}
}

func TestWatchRefusesAFileThatIsNotThere(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte("/not/there\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := watchOpens(list, io.Discard); err == nil {
		t.Fatal("it watches what is not there")
	}
}
