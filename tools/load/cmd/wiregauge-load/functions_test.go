package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// functionsIn is what is printed of files, in a folder of theirs.
func functionsIn(t *testing.T, texts ...string) counted {
	t.Helper()
	files := map[string]string{}
	for place, text := range texts {
		files[fmt.Sprintf("counts.%d", place)] = text
	}
	var sum counted
	printed := printedOf(countsOf{folder: folderWith(t, files), hasFunctions: true})
	if err := json.Unmarshal([]byte(printed), &sum); err != nil {
		t.Fatalf("%s: %v", printed, err)
	}
	return sum
}

// told is each function on a line.
func told(functions []executed) string {
	lines := make([]string, len(functions))
	for place, one := range functions {
		lines[place] = fmt.Sprintf("%s %s %d %d", one.Name, one.Object, one.Self, one.Inclusive)
	}
	return strings.Join(lines, "\n")
}

const head = "positions: line\nevents: Ir sysCount\nsummary: 1000\n"

func TestCallsCountForTheirCallersAndOnce(t *testing.T) {
	for what, parts := range map[string][2]string{
		"a chain of calls, with names that are told once": {
			`ob=(1) /opt/shop/bin/shop
fl=(1) main.c
fn=(1) main
3 10
cob=(2) /usr/lib/libz.so.1
cfi=(2) zip.c
cfn=(2) zip
calls=2 +7
+3 40 1
* 5
fn=(3) other
jump=4 -2
-2
jcnd=1/2 +4
+4 1
cfn=(1)
calls=1 3
-1 55

ob=(2)
fn=(2)
7 40 1
`,
			"other shop 1 56\nmain shop 15 55\nzip libz.so.1 40 40",
		},
		"a function that calls itself": {
			"fn=(1) f\n1 9\ncfn=(1)\ncalls=3 1\n1 90\ncfn=(2) g\ncalls=1 1\n1 4\nfn=(2)\n1 4\n",
			"f ??? 9 13\ng ??? 4 4",
		},
		"one that callgrind tells apart from its own calls": {
			"fn=(1) f\n1 5\ncfn=(2) f'2\ncalls=1 1\n1 4\nfn=(2)\n1 4\n",
			"f ??? 9 9",
		},
		"functions that call each other": {
			"fn=(1) a\n1 1\ncfn=(2) b\ncalls=1 1\n1 9\nfn=(2)\n1 2\ncfn=(1)\ncalls=1 1\n1 6\ncfn=(3) c\ncalls=1 1\n1 3\nfn=(3)\n1 3\n" +
				"fn=(4) top\n1 1\ncfn=(1)\ncalls=1 1\n1 9\n",
			"top ??? 1 10\nb ??? 2 5\nc ??? 3 3\na ??? 1 1",
		},
		"code without symbols, of one file and of none": {
			"ob=(1) /lib/libx.so\nfn=(1) 0x000000000001a2b0\n1 3\nfn=(2) 0x1a2f0\n1 4\nob=(2) ???\nfn=(3) 0x4c01000\n1 5\n",
			"??? libx.so 7 7\n??? ??? 5 5",
		},
		"calls that seem to take more than there was": {
			"fn=(1) a\n1 1\ncfn=(2) b\ncalls=1 1\n1 900\ncfn=(3) c\ncalls=1 1\n1 900\n",
			"a ??? 1 1000",
		},
	} {
		if found := told(functionsIn(t, head+parts[0]).Functions); found != parts[1] {
			t.Errorf("%s:\n%s", what, found)
		}
	}
}

func TestAddressesOfInstructionsMayStandBeforeLines(t *testing.T) {
	text := "positions: instr line\nevents: sysCount Ir\nsummary: 0 70\nfn=(1) f\n0x1a2b 7 0 60\n+4 * 1 9\n"

	if found := told(functionsIn(t, text).Functions); found != "f ??? 69 69" {
		t.Error(found)
	}
}

func TestProgramsOfAServiceAreAddedUp(t *testing.T) {
	one := head + "ob=(1) /bin/sh\nfn=(1) main\n1 7\n"

	if found := functionsIn(t, one, "", one); told(found.Functions) != "main sh 14 14" || found.Files != 2 {
		t.Error(found)
	}
}

func TestAFileThatTellsNoFunctionsStillCounts(t *testing.T) {
	good := head + "fn=(1) main\n1 7\n"
	for what, text := range map[string]string{
		"a number without a name": head + "fn=(1)\n1 7\n",
		"costs of nothing":        head + "1 7\n",
		"no number":               head + "fn=(1) f\n1 many\n",
		"a negative number":       head + "fn=(1) f\n1 -7\n",
		"too large a number":      head + "fn=(1) f\n1 99999999999999999999\n",
		"too large a sum":         head + strings.Repeat("fn=(1) f\n1 9223372036854775807\n", 2),
		"too large a call":        head + "fn=(1) f\n" + strings.Repeat("cfn=(1)\ncalls=1 1\n1 9223372036854775807\n", 2),
		"more than its sum":       head + "fn=(1) f\n1 1001\n",
	} {
		if found := functionsIn(t, good, text); found.Instructions != 2000 || found.Files != 2 || len(found.Functions) != 0 {
			t.Errorf("%s: %v", what, found)
		}
	}
}

func TestNamesAreShortAndPrintable(t *testing.T) {
	long := "std::" + strings.Repeat("<\"é\\", 100_000) + "::end"
	found := functionsIn(t, head+"ob=(1) /tmp/\x1b[2J"+long+"\nfn=(1) "+long+"\n1 7\nfn=(2) \xff\u202eevil\n1 6\n").Functions

	if len(found) != 2 || found[1].Name != "??evil" {
		t.Fatal(found)
	}
	if name := found[0].Name; !strings.HasPrefix(name, `std::<"é\<`) || !strings.Contains(name, "…") || !strings.HasSuffix(name, "::end") {
		t.Error(name)
	}
	for _, one := range found {
		if len(one.Name) > longestName || len(one.Object) > longestObject || !utf8.ValidString(one.Name+one.Object) || strings.Contains(one.Object, "\x1b") {
			t.Error(one)
		}
	}
}

func TestOnlyTheFunctionsThatExecutedMostAreTold(t *testing.T) {
	var text strings.Builder
	text.WriteString("positions: line\nevents: Ir\nsummary: 900000000\n")
	for number := range 20_000 {
		fmt.Fprintf(&text, "fn=(%d) %s%d\n1 %d\n", number, strings.Repeat(`"\`, 200), number, number)
	}
	folder := folderWith(t, map[string]string{"counts.7": text.String()})
	printed := printedOf(countsOf{folder: folder, hasFunctions: true})
	var sum counted
	if err := json.Unmarshal([]byte(printed), &sum); err != nil {
		t.Fatal(err)
	}

	if len(sum.Functions) != mostFunctions || sum.Functions[0].Self != 19_999 || sum.Functions[99].Self != 19_900 {
		t.Error(told(sum.Functions))
	}
	// The callers keep the last 64 KiB of what is printed.
	if len(printed) > 60_000 {
		t.Errorf("%d bytes", len(printed))
	}
}

func TestDeepCallsAreFollowed(t *testing.T) {
	const deep = 100_000
	var text strings.Builder
	text.WriteString(head)
	for number := range deep {
		fmt.Fprintf(&text, "fn=(%d) f%d\ncfn=(%d) f%d\ncalls=1 1\n1 1\n", number, number, number+1, number+1)
	}

	if found := functionsIn(t, text.String()).Functions; len(found) != mostFunctions || found[0].Inclusive != 1 {
		t.Error(found)
	}
}

func TestTheFunctionsOfARealProgramAreThoseThatCallgrindAnnotates(t *testing.T) {
	text, err := os.ReadFile("testdata/tree.callgrind")
	if err != nil {
		t.Fatal(err)
	}
	whole := string(text)

	if found := told(functionsIn(t, whole).Functions); found != treeFunctions {
		t.Error(found)
	}
	for place := range whole {
		for _, part := range []string{whole[:place], head + whole[place:], whole[:place] + "9" + whole[place:]} {
			graph, sums := newCallGraph(), map[symbol]executed{}
			if total, _, err := sumsIn(strings.NewReader(part), graph.line); err == nil && graph.addTo(sums, total) == nil {
				for _, one := range executedMost(sums) {
					if one.Self < 0 || one.Self > one.Inclusive || one.Inclusive > total {
						t.Errorf("changed at byte %d: %v of %d", place, one, total)
					}
				}
			}
		}
	}
}

// treeFunctions are the figures of callgrind_annotate; even and odd call each other, and execute 158 with leaf.
const treeFunctions = `(below main) tree 12 863
leaf tree 702 702
even tree 47 119
factorial tree 63 81
odd tree 39 39`
