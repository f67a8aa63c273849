package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const dump = `# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 4711
cmd:  python -m user_rest
part: 2

desc: Trigger: Dump Monitor Command

positions: line
events: Ir sysCount sysTime
summary: 177655200 1880 41

ob=(1) /usr/lib/x86_64-linux-gnu/libc.so.6
fn=(1) epoll_wait
30 12

totals: 177655200 1880 41
`

// folderWith creates a folder with files, by name.
func folderWith(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// printedCounts returns the output of writeCounts, or its error.
func printedCounts(folder string, vgdb ...string) string {
	return printedOf(countsOf{folder: folder, vgdb: vgdb})
}

func printedOf(what countsOf) string {
	var printed bytes.Buffer
	if err := writeCounts(&printed, what); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(printed.String())
}

func TestWhatProgramsLeftIsAddedUpAndReadOnce(t *testing.T) {
	folder := folderWith(t, map[string]string{"counts.7": "", "counts.7.1": dump, "counts.8": dump, "log.7": "kept"})

	if printed := printedCounts(folder); printed != `{"instructions":355310400,"syscalls":3760,"allocations":0,"files":2}` {
		t.Error(printed)
	}
	if printed := printedCounts(folder); printed != `{"instructions":0,"syscalls":0,"allocations":0,"files":0}` {
		t.Error(printed)
	}
	if names, _ := namesIn(folder); strings.Join(names, " ") != "counts.7 log.7" {
		t.Error(names)
	}
}

func TestAProgramThatExecutedNothingCountsAsNothing(t *testing.T) {
	nothing := strings.ReplaceAll(dump, "177655200 1880 41", "0")
	folder := folderWith(t, map[string]string{"counts.7.1": nothing})

	if printed := printedCounts(folder); printed != `{"instructions":0,"syscalls":0,"allocations":0,"files":1}` {
		t.Error(printed)
	}
}

func TestAProgramThatEndedWithoutBeingCountedIsReported(t *testing.T) {
	nothing := strings.ReplaceAll(dump, "177655200 1880 41", "0")
	folder := folderWith(t, map[string]string{"counts.7.1": dump, "counts.8": nothing, "counts.9": dump})

	if printed := printedCounts(folder); printed != `{"instructions":355310400,"syscalls":3760,"allocations":0,"files":3,"uncounted":1}` {
		t.Error(printed)
	}
}

func TestAFileWithoutASumIsRefused(t *testing.T) {
	for what, text := range map[string]string{
		"cut short":         dump[:60],
		"of something else": "events: Dr\ntotals: 1\n",
	} {
		if printed := printedCounts(folderWith(t, map[string]string{"counts.7": text})); !strings.Contains(printed, "no totals of the counts") {
			t.Errorf("%s: %s", what, printed)
		}
	}
	if printed := printedCounts(folderWith(t, map[string]string{"counts.7": "events: Ir\ntotals: many\n"})); !strings.Contains(printed, `"many"`) {
		t.Error(printed)
	}
}

func TestEveryDoorIsQueriedWithTheNamesThatItHas(t *testing.T) {
	folder := folderWith(t, map[string]string{"door-from-vgdb-to-7-by-???-on-0.0.0.0": "", "door-to-vgdb-from-7-by-???-on-0.0.0.0": ""})
	vgdb := filepath.Join(t.TempDir(), "vgdb")
	script := "#!/bin/sh\necho \"$LOGNAME $HOST $*\" > \"" + folder + "/asked\"\n"
	if err := os.WriteFile(vgdb, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}

	for isLast, after := range map[bool]string{false: "on", true: "off"} {
		printed := printedOf(countsOf{folder: folder, vgdb: []string{"/bin/sh", vgdb}, isLast: isLast})

		received, _ := os.ReadFile(filepath.Join(folder, "asked"))
		if want := "??? 0.0.0.0 --vgdb-prefix=" + folder + "/door --pid=7 -c dump -c instrumentation " + after + "\n"; string(received) != want {
			t.Errorf("%s, printed %s", received, printed)
		}
	}
}

func TestAProgramThatDoesNotReportIsAnErrorUnlessItHasEnded(t *testing.T) {
	name := "door-from-vgdb-to-7-by-me-on-here"
	folder := folderWith(t, map[string]string{name: ""})

	if printed := printedCounts(folder, "/bin/sh", "-c", "echo no ptrace; exit 1"); !strings.Contains(printed, "process 7 did not report its counts: exit status 1: no ptrace") {
		t.Error(printed)
	}
	if printed := printedCounts(folder, "/bin/sh", "-c", "rm '"+filepath.Join(folder, name)+"'; exit 1"); !strings.HasPrefix(printed, "{") {
		t.Error(printed)
	}
}

func TestFewerCallersAreToldApartInAProgramInGo(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	options := []string{"launcher", "--tool=callgrind", "--separate-callers=80", "--quiet"}
	behind := func(command ...string) []string { return slices.Concat(options, command) }
	inGo := []string{"launcher", "--tool=callgrind", "--separate-callers=8", "--quiet", own, "--separate-callers=80"}
	if found := optionsFor(behind(own, "--separate-callers=80")); !slices.Equal(found, inGo) {
		t.Error(found)
	}
	t.Setenv("PATH", filepath.Dir(own))
	if found := optionsFor(behind(filepath.Base(own))); found[2] != goStackOption {
		t.Error(found)
	}
	for _, other := range [][]string{{"/bin/sh", own}, {"/nowhere"}, {}} {
		if found := optionsFor(behind(other...)); !slices.Equal(found, behind(other...)) {
			t.Error(found)
		}
	}
}

func TestAToolThatIsNotThereIsNamed(t *testing.T) {
	t.Setenv("VALGRIND_LIB", "/nowhere")
	if err := launch([]string{"launcher", "--tool=callgrind", "true"}); err == nil || !strings.Contains(err.Error(), "/nowhere/callgrind-") {
		t.Error(err)
	}
}
