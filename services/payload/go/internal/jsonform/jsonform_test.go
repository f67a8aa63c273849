package jsonform

import (
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"testing"

	"github.com/bytedance/sonic"
	"google.golang.org/protobuf/encoding/protojson"

	"wiregauge/services/payload/go/internal/objects"
	"wiregauge/services/payload/go/internal/protobufform"
)

// golden returns the objects of the fixture that also tests the Python services.
func golden(t *testing.T) []map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../../../../tests/fixtures/payload/objects.json")
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Objects []map[string]any }
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Objects
}

func TestMakesTheObjectsOfTheFixture(t *testing.T) {
	for _, expected := range golden(t) {
		id := int(expected["id"].(float64))
		t.Run(strconv.Itoa(id), func(t *testing.T) {
			made := objects.Make(id)
			asJSON, err := json.Marshal(Of(made))
			if err != nil {
				t.Fatal(err)
			}
			asMessage, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(protobufform.Of(made))
			if err != nil {
				t.Fatal(err)
			}
			for form, text := range map[string][]byte{"JSON": asJSON, "message": asMessage} {
				if found := parsed(t, text); !reflect.DeepEqual(found, expected) {
					t.Errorf("%s: %v, expected %v", form, found, expected)
				}
			}
		})
	}
}

var libraries = map[string]func(value any) ([]byte, error){"encoding/json": json.Marshal, "sonic": sonic.Marshal}

func TestFillsItsCacheInTheOrderOfTheIDs(t *testing.T) {
	for library, marshal := range libraries {
		body, err := New(3, marshal).Encode(2)
		if err != nil {
			t.Fatal(err)
		}
		list := parsed(t, body)["objects"].([]any)
		if len(list) != 2 || list[0].(map[string]any)["id"] != 1.0 || list[1].(map[string]any)["id"] != 2.0 {
			t.Errorf("%s: expected the objects 1 and 2, found %v", library, list)
		}
	}
}

func TestBothLibrariesWriteTheSameObjects(t *testing.T) {
	standard, err := New(50, json.Marshal).Encode(50)
	if err != nil {
		t.Fatal(err)
	}
	fast, err := New(50, sonic.Marshal).Encode(50)
	if err != nil {
		t.Fatal(err)
	}
	// The entries of a map have no order there.
	if len(fast) != len(standard) || !reflect.DeepEqual(parsed(t, fast), parsed(t, standard)) {
		t.Errorf("sonic wrote %d bytes, encoding/json %d, or other objects", len(fast), len(standard))
	}
}

func TestSonicKnowsThisVersionOfGo(t *testing.T) {
	if sonic.APIKind != sonic.UseSonicJSON {
		t.Error("sonic does not know this version of Go and hands everything to encoding/json: update one of them in go.mod")
	}
}

func parsed(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
