package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// FuzzJSONMap passes documents to the reader of answers, and compares the keys that it sees with those of Go's own reader.
func FuzzJSONMap(f *testing.F) {
	for _, document := range []string{
		`{"data":{"a":[1,2,{"b":"}"}]},"errors":[]}`,
		` { "id" : "7\"," , "data" : null } `,
		`{"a":{"data":1},"a":[[],{}],"":""}`,
		`{"` + strings.Repeat("k", longestSeen) + `":"` + strings.Repeat("v", longestSeen) + `"}`,
		`["data",{"errors":1}]`, `"{"`, `{"data":`, `}]{"data":1}`,
	} {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		var seen []string
		through := jsonMap{see: func(key, value []byte) { seen = append(seen, string(key)+":"+string(value)) }}
		for _, c := range document {
			through.push(c)
		}
		if want, isMap := keysOf(document); isMap && !slices.Equal(seen, want) {
			t.Errorf("%q: sees %q, and has %q", document, seen, want)
		}
	})
}

// keysOf returns each key of a map with its value, in order and as short as they are kept; false if the document is not a
// map.
func keysOf(document []byte) ([]string, bool) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') || !json.Valid(document) {
		return nil, false
	}
	var keys []string
	for decoder.More() {
		before := decoder.InputOffset()
		if _, err := decoder.Token(); err != nil {
			return nil, false
		}
		key := bytes.TrimLeft(document[before:decoder.InputOffset()], ", \t\r\n")
		var value json.RawMessage
		var compact bytes.Buffer
		if decoder.Decode(&value) != nil || json.Compact(&compact, value) != nil {
			return nil, false
		}
		keys = append(keys, cut(key)+":"+cut(compact.Bytes()))
	}
	return keys, true
}

func cut(text []byte) string { return string(text[:min(len(text), longestSeen)]) }

// FuzzStackCosts parses arbitrary callgrind files: no function may cost more than the whole program.
func FuzzStackCosts(f *testing.F) {
	f.Add(head + "fl=(1) a.c\nfn=(1) main\n1 400 2\ncfn=(2) work'main\ncalls=3 7\n1 600 1\n\nfn=(2)\n7 600 1\n")
	f.Add(head + "ob=(1) /lib/x\nfn=(1) a\n+1 10\ncob=(2) y\ncfn=(1)\ncalls=1 0\n* 990\n")
	f.Add("events: Ir\nsummary: 5\nfn=(1) a'2'b'0x4c01000\n1 5\ncfn=(1)\ncalls=1 1\n1 5\n")
	f.Fuzz(func(t *testing.T, text string) { checkTree(t, text) })
}

// FuzzPerfMap parses arbitrary perf maps: a function found for an address must contain it.
func FuzzPerfMap(f *testing.F) {
	f.Add("7f00 10 py::User.get:/srv/app/users.py\n7f08 20 JS:*list /srv/app/users.js:7:12\n", uint64(0x7f0a))
	f.Add("0 ffffffffffffffff a b\n1 0 c\n", uint64(1<<63))
	f.Add("x\n1\n1 2\n1 2 \n", uint64(1))
	f.Fuzz(func(t *testing.T, text string, address uint64) {
		all := readPerfMap(strings.NewReader(text))
		name, isKnown := all.nameAt(address)
		if isKnown && !slices.ContainsFunc(all, func(one mapped) bool {
			return one.name == name && one.start <= address && address-one.start < one.size
		}) {
			t.Errorf("%q is not at %x", name, address)
		}
		if one := compiledSymbol(name); isKnown && one.object == "" {
			t.Errorf("%q has no file", name)
		}
	})
}
