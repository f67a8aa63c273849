package jsonform

import (
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	"wiregauge/services/payload-go/internal/objects"
	"wiregauge/services/payload-go/internal/protobufform"
)

// golden are the objects of the fixture that the services in Python are tested by, too.
func golden(t *testing.T) []map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../../../tests/fixtures/payload/objects.json")
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

func TestFillsItsCacheInTheOrderOfTheIDs(t *testing.T) {
	body, err := New(3).Encode(2)
	if err != nil {
		t.Fatal(err)
	}
	list := parsed(t, body)["objects"].([]any)
	if len(list) != 2 || list[0].(map[string]any)["id"] != 1.0 || list[1].(map[string]any)["id"] != 2.0 {
		t.Errorf("expected the objects 1 and 2, found %v", list)
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
