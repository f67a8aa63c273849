package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestUseOfAPodIsThatOfItsProgramsButThisOneAndTheFirst(t *testing.T) {
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
	proc := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(proc, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := func(pid int, name string) {
		write(strconv.Itoa(pid)+"/stat", strconv.Itoa(pid)+" ("+name+") S 1 1 1 0 -1 0 0 0 0 0 7 8 2 3 20 0 1 0 100 0 0\n")
		write(strconv.Itoa(pid)+"/status", "Name:\t"+name+"\nVmHWM:\t    3000 kB\nVmRSS:\t    2000 kB\n")
	}
	program(1, "pause")
	program(child.Process.Pid, "a (web) server")
	program(os.Getpid(), driverName)
	write("stat", "cpu 1 2 3 4\ncpu0 1 2 3 4\n")
	write("net/sockstat", "sockets: used 3\nTCP: inuse 1 orphan 0 tw 2\n")

	used := readPod(proc)

	if used.MemoryKiB != 2000 || used.PeakKiB != 3000 {
		t.Errorf("%d and %d KiB", used.MemoryKiB, used.PeakKiB)
	}
	// Its ended children and those of the first program have used 5 ticks each, and it has used less than a second
	// itself.
	if used.CPUNs <= 10*tick || used.CPUNs > 110*tick {
		t.Errorf("%d ns", used.CPUNs)
	}
	if used.Files["stat"] != "cpu 1 2 3 4" || used.Files["net/sockstat"] != "sockets: used 3\nTCP: inuse 1 orphan 0 tw 2\n" || used.Files["net/dev"] != "" {
		t.Errorf("%q", used.Files)
	}
}

func TestEachLineIsAnsweredWithAReading(t *testing.T) {
	var out bytes.Buffer
	if err := watchPod(strings.NewReader("\n\n"), &out); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(&out)
	var first, second podAnswer
	if err := answers.Decode(&first); err != nil {
		t.Fatal(err)
	}
	if err := answers.Decode(&second); err != nil {
		t.Fatal(err)
	}
	if first.AtNs <= 0 || second.AtNs < first.AtNs || second.Cores < 1 || !strings.HasPrefix(second.Files["stat"], "cpu ") {
		t.Errorf("%+v", second)
	}
}
