package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// functionsIn returns the output for files, in their own folder.
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

// reported returns one line per function.
func reported(functions []executed) string {
	lines := make([]string, len(functions))
	for place, one := range functions {
		lines[place] = fmt.Sprintf("%s %s %d %d", one.Name, one.Object, one.Self, one.Inclusive)
	}
	return strings.Join(lines, "\n")
}

const head = "positions: line\nevents: Ir sysCount\nsummary: 1000\n"

func TestWhatAFunctionCallsCountsForItOnce(t *testing.T) {
	for what, parts := range map[string][2]string{
		"stacks with names that are recorded once": {
			`ob=(1) /opt/shop/bin/shop
fl=(1) main.c
fn=(1) main
3 10
cob=(2) /usr/lib/libz.so.1
cfi=(2) zip.c
cfn=(2) zip'main
calls=2 +7
+3 40 1
* 5
fn=(3) other
jump=4 -2
-2
jcnd=1/2 +4
+4 1
ob=(2)
fn=(2)
7 40 1
`,
			"main shop 15 55\nzip libz.so.1 40 40\nother shop 1 1",
		},
		"a function that calls itself": {
			"fn=(1) f\n1 5\nfn=(2) f'2\n1 4\nfn=(3) g'f\n1 4\n",
			"f ??? 9 13\ng ??? 4 4",
		},
		"functions that call each other": {
			"fn=(1) top\n1 1\nfn=(2) a'top\n1 2\nfn=(3) b'a'top\n1 3\nfn=(4) a'2'b'a'top\n1 4\nfn=(5) c'a'b'a'top\n1 5\n",
			"top ??? 1 15\na ??? 6 14\nb ??? 3 12\nc ??? 5 5",
		},
		"code without symbols, of one file and of none": {
			"ob=(1) /lib/libx.so\nfn=(1) 0x000000000001a2b0\n1 3\nfn=(2) 0x1a2f0\n1 4\nob=(2) ???\nfn=(3) 0x4c01000\n1 5\n",
			"??? libx.so 7 7\n??? ??? 5 5",
		},
		"a function of which another part goes on": {
			"fn=(1) 0x4c01000'0x4c02000'main\n1 6\n",
			"??? ??? 6 6\nmain ??? 0 6",
		},
		"a stack that goes on with another": {
			"fn=(1) work'slp_switch'switch'sleep'other\n1 6\n",
			"work ??? 6 6\nslp_switch ??? 0 6",
		},
		"the evaluator of a Python that does not report its functions": {
			"ob=(1) /usr/bin/python3.11\nfn=(1) _PyEval_EvalFrameDefault'0x1701'main\n1 6\nfn=(2) 0x1701\n1 3\n",
			"??? python3.11 3 9\n_PyEval_EvalFrameDefault python3.11 6 6\nmain ??? 0 6",
		},
	} {
		if found := reported(functionsIn(t, head+parts[0]).Functions); found != parts[1] {
			t.Errorf("%s:\n%s", what, found)
		}
	}
}

// drawn returns one line per call, below its caller.
func drawn(calls []called) string {
	var text strings.Builder
	depths := make([]int, len(calls))
	for place, one := range calls {
		if one.Parent >= place {
			return fmt.Sprintf("%v is listed before its caller", one)
		}
		if one.Parent >= 0 {
			depths[place] = depths[one.Parent] + 1
		}
		fmt.Fprintf(&text, "%*s%s %d\n", depths[place], "", one.Name, one.Inclusive)
	}
	return text.String()
}

func TestTheTreeHasWhoCalledWhom(t *testing.T) {
	found := functionsIn(t, head+"fn=(1) main\n1 5\nfn=(2) get'main\n1 10\nfn=(3) encode'get'main\n1 300\nfn=(4) encode'list'main\n1 200\nfn=(5) rare'main\n1 0\n")

	if text := drawn(found.Calls); text != "main 515\n get 310\n  encode 300\n list 200\n  encode 200\n" {
		t.Error(text)
	}
}

func TestCallsBelowAThousandthAreNotDrawn(t *testing.T) {
	text := "positions: line\nevents: Ir\nsummary: 100000\nfn=(1) main\n1 9000\nfn=(2) some'main\n1 100\nfn=(3) few'main\n1 99\n"

	if text := drawn(functionsIn(t, text).Calls); text != "main 9199\n some 100\n" {
		t.Error(text)
	}
}

func TestAddressesOfInstructionsMayStandBeforeLines(t *testing.T) {
	text := "positions: instr line\nevents: sysCount Ir\nsummary: 0 70\nfn=(1) f\n0x1a2b 7 0 60\n+4 * 1 9\n"

	if found := reported(functionsIn(t, text).Functions); found != "f ??? 69 69" {
		t.Error(found)
	}
}

func TestProgramsOfAServiceAreAddedUp(t *testing.T) {
	one := head + "ob=(1) /bin/sh\nfn=(1) main\n1 7\n"

	if found := functionsIn(t, one, "", one); reported(found.Functions) != "main sh 14 14" || found.Files != 2 {
		t.Error(found)
	}
}

func TestAFileThatReportsNoFunctionsStillCounts(t *testing.T) {
	good := head + "fn=(1) main\n1 7\n"
	for what, text := range map[string]string{
		"a number without a name": head + "fn=(1)\n1 7\n",
		"costs of nothing":        head + "1 7\n",
		"no number":               head + "fn=(1) f\n1 many\n",
		"a negative number":       head + "fn=(1) f\n1 -7\n",
		"too large a number":      head + "fn=(1) f\n1 99999999999999999999\n",
		"too large a sum":         head + strings.Repeat("fn=(1) f\n1 9223372036854775807\n", 2),
		"a file without a name":   head + "ob=(7)\nfn=(1) f\n1 7\n",
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

func TestOnlyTheFunctionsThatExecutedMostAreReported(t *testing.T) {
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
		t.Error(reported(sum.Functions))
	}
	// The callers keep the last 64 KiB of the output.
	if len(printed) > 60_000 {
		t.Errorf("%d bytes", len(printed))
	}
}

func TestAFileOfTooManyStacksReportsNone(t *testing.T) {
	var text strings.Builder
	text.WriteString(head)
	for number := range mostStacks + 1 {
		fmt.Fprintf(&text, "fn=(%d) f\n", number)
	}

	if found := functionsIn(t, text.String()); len(found.Functions) != 0 || found.Instructions != 1000 {
		t.Error(found)
	}
	costs := newStackCosts()
	costs.frames = mostFrames - 1
	costs.line("fn=(1) f")
	if costs.failure != nil {
		t.Error(costs.failure)
	}
	if costs.line("fn=(2) f'g"); costs.failure == nil {
		t.Error("one more was kept")
	}
}

func TestTheFunctionsOfARealProgramAreThoseThatCallgrindAnnotates(t *testing.T) {
	text, err := os.ReadFile("testdata/tree.callgrind")
	if err != nil {
		t.Fatal(err)
	}
	whole := string(text)

	if found := reported(functionsIn(t, whole).Functions); found != treeFunctions {
		t.Error(found)
	}
	for place := range whole {
		for _, part := range []string{whole[:place], head + whole[place:], whole[:place] + "9" + whole[place:]} {
			checkTree(t, part)
		}
	}
}

// checkTree fails if a cost exceeds that of the whole program, or of its caller.
func checkTree(t *testing.T, text string) {
	costs, tree := newStackCosts(), newCallTree()
	total, _, err := sumsIn(strings.NewReader(text), costs.line)
	if err != nil || tree.add(costs, total, nil) != nil {
		return
	}
	for _, one := range tree.functions() {
		if one.Self < 0 || one.Self > one.Inclusive || one.Inclusive > total {
			t.Errorf("%q: %v of %d", text, one, total)
		}
	}
	calls := tree.most()
	for place, one := range calls {
		if one.Parent >= place || one.Parent >= 0 && one.Inclusive > calls[one.Parent].Inclusive {
			t.Errorf("%q: %v", text, one)
		}
	}
}

// treeFunctions are the figures of callgrind_annotate: its (below main) has all, its even 158, of which the first odd has 146.
const treeFunctions = `(below main) tree 12 863
leaf tree 702 702
even tree 47 158
odd tree 39 146
factorial tree 63 81`
