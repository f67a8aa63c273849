package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestAnAddressHasTheNameOfWhatWasWrittenThereLast(t *testing.T) {
	all := readPerfMap(strings.NewReader("7f20 10 second one\n7f00 10 first\nno line\n7f00 8 first again\n0x7f30 0x4 with marks\n"))

	for address, want := range map[uint64]string{0x7f00: "first again", 0x7f07: "first again", 0x7f2f: "second one", 0x7f33: "with marks"} {
		if found, isKnown := all.nameAt(address); found != want || !isKnown {
			t.Errorf("%x: %q", address, found)
		}
	}
	for _, address := range []uint64{0, 0x7eff, 0x7f08, 0x7f1f, 0x7f34, 1 << 63} {
		if found, isKnown := all.nameAt(address); isKnown {
			t.Errorf("%x: %q", address, found)
		}
	}
}

func TestFunctionsOfRuntimesHaveTheirOwnNamesAndFiles(t *testing.T) {
	for name, want := range map[string]symbol{
		"py::Flask.wsgi_app:/srv/site-packages/flask/app.py":       {"Flask.wsgi_app", "app.py"},
		"py::dumps:/usr/lib/python3.13/json/__init__.py":           {"dumps", "json/__init__.py"},
		"py::_find_spec:<frozen importlib._bootstrap>":             {"_find_spec", "<frozen importlib._bootstrap>"},
		"py::list.<locals>.<lambda>:/srv/a b.py":                   {"list.<locals>.<lambda>", "a b.py"},
		"JS:*list /srv/shop/users.js:7:12":                         {"list", "users.js"},
		"JS:^get size /srv/my shop/users.js:7:12":                  {"get size", "users.js"},
		"JS:~ file:///srv/shop/server.mjs:1:1":                     {anonymous, "server.mjs"},
		"JS:+emit node:events:471:44":                              {"emit", "node:events"},
		"Function:next /srv/node_modules/express/lib/route.js:3:9": {"next", "route.js"},
		"RegExp:^a b$":     {"RegExp:^a b$", unnamed},
		"Builtin:ArrayMap": {"Builtin:ArrayMap", unnamed},
		"py::":             {"", "."},
	} {
		if found := compiledSymbol(name); found != want {
			t.Errorf("%s: %q", name, found)
		}
	}
}

func TestPythonsWorkIsThatOfItsFunctions(t *testing.T) {
	pid := os.Getpid()
	path := perfMapPath(pid)
	t.Cleanup(func() { os.Remove(path) })
	if err := os.WriteFile(path, []byte("4c01000 10 py::get:/srv/app.py\n4c02000 10 JS:*list /srv/users.js:7:12\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("pid: %d\n%sob=(1) /usr/bin/python3.13\nfn=(1) _PyEval_EvalFrameDefault'0x0000000004c01000'main\n1 90\n", pid, head) +
		"fn=(4) 0x0000000000170000'0x0000000004c01000'main\n1 10\nfn=(2) encode'_PyEval_EvalFrameDefault'0x0000000004c01000'main\n1 7\nob=(2) ???\nfn=(3) 0x0000000004c02008'main\n1 5\n"

	if found := reported(functionsIn(t, text).Functions); found != "main ??? 0 112\nget app.py 100 107\nencode python3.13 7 7\nlist users.js 5 5" {
		t.Error(found)
	}
}

func TestAMapThatIsALinkIsNotRead(t *testing.T) {
	path := perfMapPath(os.Getpid())
	t.Cleanup(func() { os.Remove(path) })
	target := t.TempDir() + "/map"
	if err := os.WriteFile(target, []byte("4c01000 10 py::get:/srv/app.py\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	if found := perfMapOf(os.Getpid()); found != nil {
		t.Error(found)
	}
}
