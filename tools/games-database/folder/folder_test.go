package folder

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOwnRemovesThoseOfKilledDatabases(t *testing.T) {
	parent := t.TempDir()
	abandoned := filepath.Join(parent, prefix+"killed")
	foreign := filepath.Join(parent, "others")
	for _, folder := range []string{abandoned, foreign} {
		if err := os.MkdirAll(filepath.Join(folder, "below"), 0o700); err != nil {
			t.Fatal(err)
		}
	}

	first, err := Own(parent)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Own(parent)
	if err != nil {
		t.Fatal(err)
	}

	entries, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, entry := range entries {
		left[filepath.Join(parent, entry.Name())] = true
	}
	if len(left) != 3 || !left[first] || !left[second] || !left[foreign] {
		t.Fatalf("left are %v; wanted %s, %s and %s", left, first, second, foreign)
	}
}

func TestOwnNeedsAParent(t *testing.T) {
	if _, err := Own(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Fatal("no error without the folder that holds it")
	}
}
